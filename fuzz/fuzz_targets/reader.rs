//! The fuzz target of the reader that `READER` names: `READER=page cargo fuzz run reader --sanitizer none`.
//!
//! With `GROWN=4` an input is grown to 4 MB in several ways and measured instead: `READER=page GROWN=4 reader FILE`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plimsoll_fuzz::readers::{self, Target};
use plimsoll_fuzz::{grow, guard};

static READER: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("READER").unwrap_or_default();
    let known = || readers::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    readers::target(&name).unwrap_or_else(|| panic!("READER is `{name}`, and there are {}", known()))
});

static GROWN: LazyLock<Option<usize>> = LazyLock::new(|| std::env::var("GROWN").ok()?.parse().ok());

fuzz_target!(|input: &[u8]| match *GROWN {
    Some(megabytes) => grow::measure(*READER, input, megabytes),
    None => guard::held(*READER, input),
});
