//! Captures in any order and twice, and nothing half-written.
