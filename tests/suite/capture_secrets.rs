//! Secrets planted in every kind of input, looked for in every output.
