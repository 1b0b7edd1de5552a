//! render
pub mod verdict;
