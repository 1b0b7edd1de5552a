//! cmd
