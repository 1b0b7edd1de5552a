//! Records into pages: a tree of files in memory, which somebody else writes.
//!
//! Views are flat structs of finished text; templates put them on a page and compute nothing. Text is escaped by the
//! templates; what is markup already is in a field whose name ends in `_html` or `_svg`, and only those go through unescaped.

mod annotation;
pub mod comparison;
pub mod docs;
mod facts;
pub mod failures;
pub mod findings;
mod junit;
pub mod markup;
mod populations;
pub mod proof;
pub mod site;
pub mod summary;
pub mod svg;
pub mod templates;
pub mod verdict;
