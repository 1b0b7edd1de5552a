//! The commit of a publication: on a branch, of the files that were written and of nothing else.
