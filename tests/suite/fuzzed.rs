//! Every reader over its seeds and over changed ones: what the fuzzer does for hours (`scripts/fuzz`), here for seconds, and where no
//! fuzzer can be built. The functions are the fuzzer's own.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use walkdir::WalkDir;

#[path = "../../fuzz/src/readers/mod.rs"]
#[allow(unreachable_pub, reason = "it is public in the fuzzer's own crate")]
pub(super) mod readers;

/// The longest input: what is longer is cut, as the fuzzer does.
const LONGEST: usize = 4 << 10;
/// Seeds of a reader, and changed inputs of each.
const SEEDS: usize = 10;
const CHANGES: usize = 6;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder of the repository, or of the material beside it, whose paths match a glob of `fuzz/material.txt`.
fn matching(glob: &str) -> Vec<PathBuf> {
    let plain = glob.split(['*', '{', '[']).next().unwrap_or_default();
    let folder = plain.rsplit_once('/').map_or("", |(folder, _)| folder);
    let matcher = GlobBuilder::new(glob).literal_separator(true).build().unwrap().compile_matcher();
    let entries = WalkDir::new(root().join(folder)).sort_by_file_name().into_iter().filter_map(Result::ok);
    let paths = entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
    paths.filter(|path| path.strip_prefix(root()).is_ok_and(|path| matcher.is_match(path))).collect()
}

/// The inputs that a reader starts from: its own seeds, and those that `fuzz/material.txt` names.
fn seeds(reader: &str) -> Vec<Vec<u8>> {
    let list = std::fs::read_to_string(root().join("fuzz/material.txt")).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(char::is_whitespace));
    let mut seeds: Vec<Vec<u8>> =
        matching(&format!("fuzz/seeds/{reader}/*")).iter().map(|path| std::fs::read(path).unwrap()).collect();
    for (of, glob) in lines.map(|(of, glob)| (of, glob.trim())) {
        let files = || matching(glob).into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap()));
        if of == reader {
            seeds.extend(some(files().collect(), SEEDS).into_iter().map(|(_, bytes)| bytes));
        } else if of.strip_suffix('+') == Some(reader) {
            let part = |(path, bytes): (PathBuf, Vec<u8>)| {
                [format!("=== {}\n", path.file_name().unwrap().display()).into_bytes(), bytes, b"\n".to_vec()].concat()
            };
            seeds.push(files().map(part).collect::<Vec<_>>().concat());
        }
    }
    assert!(!seeds.is_empty(), "{reader} has no seed");
    some(seeds, SEEDS)
}

/// Some of a list, from all over it.
fn some<T>(list: Vec<T>, most: usize) -> Vec<T> {
    let step = list.len().div_ceil(most).max(1);
    list.into_iter().step_by(step).collect()
}

/// An input with a few changes, as likely ones to matter as any: a cut, a byte, a piece twice, a piece of another, a large number.
fn changed(input: &[u8], other: &[u8], random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut input = input.to_vec();
    for _ in 0..=random.next_u32() % 4 {
        let mut below = |most: usize| usize::try_from(random.next_u64() % (most as u64 + 1)).unwrap();
        let (at, length) = (below(input.len()), below(40));
        let end = (at + length).min(input.len());
        match below(6) {
            0 => input.truncate(at),
            1 => _ = input.drain(at..end),
            2 => input.insert(at, u8::try_from(below(255)).unwrap()),
            3 => {
                let piece = input[at..end].to_vec();
                _ = input.splice(at..at, piece);
            }
            4 => {
                let from = below(other.len());
                _ = input.splice(at..end, other[from..(from + length).min(other.len())].to_vec());
            }
            5 => _ = input.splice(at..end, b"99999999999999999999".to_vec()),
            _ => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << below(7)),
        }
    }
    input
}

/// Tries a reader over its seeds and over changed ones; the same every time.
fn tried(reader: &str) {
    let target = readers::target(reader).unwrap();
    let seeds: Vec<Vec<u8>> = seeds(reader).into_iter().map(|seed| seed[..seed.len().min(LONGEST)].to_vec()).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(20_261_130);
    target(b"");
    for (at, seed) in seeds.iter().enumerate() {
        target(seed);
        for _ in 0..CHANGES {
            let input = changed(seed, &seeds[(at + 1) % seeds.len()], &mut random);
            let result = std::panic::catch_unwind(|| target(&input));
            assert!(result.is_ok(), "{reader} fails on {:?}", String::from_utf8_lossy(&input));
        }
    }
}

macro_rules! tries {
    ($($reader:ident)*) => {
        $(#[test] fn $reader() { tried(stringify!($reader)); })*

        /// A reader that has a target has a test.
        #[test]
        fn all_readers_are_tried() {
            let tried = [$(stringify!($reader)),*];
            let known: Vec<&str> = readers::ALL.iter().map(|(name, _)| *name).collect();
            assert_eq!(tried.as_slice(), known);
        }
    };
}

tries! {
    k6_text raw_csv raw_ndjson k6_json page output_json status team_csv monitoring insights prometheus exposition postgres features
    infra logging service_settings moment rules project by_hand flow record series runs sweep unfinished manifest journal navigation regions
    secrets words
}

/// What is read is what `ingest` knows: every kind of its table has a reader that is tried.
#[test]
fn every_kind_of_input_has_a_reader_that_is_tried() {
    let readers = |kind: &str| match kind {
        "run.toml" | "release.toml" => "by_hand",
        "k6-csv" => "raw_csv",
        "k6-ndjson" => "raw_ndjson",
        "page" => "page",
        "series" => "output_json",
        "status" => "status",
        "metrics-csv" => "team_csv",
        "cloud-monitoring" => "monitoring",
        "prometheus" => "prometheus",
        "postgres" => "postgres",
        "zitadel-features" => "features",
        "infrastructure" => "infra",
        "gcloud-logging" => "logging",
        "exposition" => "exposition",
        "moment" => "moment",
        "settings" => "service_settings",
        "k6-export" | "k6-handle-summary" | "k6-machine-readable" => "k6_json",
        "k6-text" => "k6_text",
        other => panic!("nothing tries the reader of {other}: add a target to fuzz/src/readers"),
    };
    for kind in plimsoll::ingest::kinds::KINDS {
        assert!(self::readers::target(readers(kind.name)).is_some(), "{}", kind.name);
    }
}
