//! Small inputs grown to large ones, and what these cost.

use crate::guard::Cost;
use crate::readers::Target;

/// A way of growing an input to a size.
type Grow = fn(&[u8], usize) -> Vec<u8>;

/// The ways, by name.
const WAYS: &[(&str, Grow)] =
    &[("whole", whole), ("lines", lines), ("middle", middle), ("nested", nested), ("word", word), ("changed", changed)];

/// Grows an input in all ways, and prints a line a way: its size, seconds of processor time and bytes of memory, each by the size too.
/// What is beyond the limits is marked so.
pub fn measure(target: Target, seed: &[u8], megabytes: usize) {
    const MB: f64 = (1 << 20) as f64;
    // The fuzzer tries an empty input first.
    if seed.len() < 2 {
        return;
    }
    // Patterns are compiled and tables made the first time.
    target(seed);
    for (way, grow) in WAYS {
        let input = grow(seed, megabytes << 20);
        let (cost, size) = (Cost::of(target, &input), input.len() as f64 / MB);
        let (each, memory) = (cost.seconds / size, cost.bytes as f64 / MB);
        let mark = if cost.is_fair(input.len()) { "" } else { "  BEYOND" };
        println!("{way:8} {size:6.2} MB {:8.3} s {each:8.3} s/MB {memory:8.1} MB {:6.1} x{mark}", cost.seconds, memory / size);
    }
}

/// The whole, again and again.
fn whole(seed: &[u8], size: usize) -> Vec<u8> {
    seed.iter().copied().cycle().take(if seed.is_empty() { 0 } else { size }).collect()
}

/// Each line as often, with a number in the place of its last digit, so that no two are alike.
fn lines(seed: &[u8], size: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = seed.split_inclusive(|byte| *byte == b'\n').collect();
    let each = (size / seed.len().max(1)).max(1);
    let mut grown = Vec::with_capacity(size);
    for line in lines {
        for at in 0..each {
            numbered(&mut grown, line, at);
        }
    }
    grown
}

/// The middle third of the lines as often as it takes, beginning and end once.
fn middle(seed: &[u8], size: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = seed.split_inclusive(|byte| *byte == b'\n').collect();
    let (head, rest) = lines.split_at(lines.len() / 3);
    let (middle, tail) = rest.split_at(rest.len() / 2);
    let mut grown = head.concat();
    let mut at = 0;
    while grown.len() < size && middle.iter().any(|line| !line.is_empty()) {
        for line in middle {
            numbered(&mut grown, line, at);
        }
        at += 1;
    }
    grown.extend(tail.concat());
    grown
}

/// The opening brackets of the input as deep as it takes.
fn nested(seed: &[u8], size: usize) -> Vec<u8> {
    let at = seed.iter().rposition(|byte| matches!(byte, b'{' | b'[')).unwrap_or(seed.len() / 2);
    let open: &[u8] = if seed.get(at) == Some(&b'{') { b"{\"a\":" } else { b"[" };
    let mut grown = seed[..at].to_vec();
    while grown.len() < size {
        grown.extend_from_slice(open);
    }
    grown.extend_from_slice(&seed[at..]);
    grown
}

/// The longest word of the input as long as it takes.
fn word(seed: &[u8], size: usize) -> Vec<u8> {
    let words = seed.split(|byte| !byte.is_ascii_alphanumeric());
    let longest = words.max_by_key(|word| word.len()).unwrap_or_default();
    let at = (longest.as_ptr() as usize).saturating_sub(seed.as_ptr() as usize).min(seed.len());
    let end = (at + longest.len()).min(seed.len());
    let mut grown = seed[..at].to_vec();
    while grown.len() < size && !longest.is_empty() {
        grown.extend_from_slice(longest);
    }
    grown.extend_from_slice(&seed[end..]);
    grown
}

/// The whole again and again, with a byte in a thousand another.
fn changed(seed: &[u8], size: usize) -> Vec<u8> {
    let mut grown = whole(seed, size);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut at = 0;
    while at < grown.len() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        grown[at] = (state >> 40) as u8;
        at += 1 + ((state >> 20) % 2_000) as usize;
    }
    grown
}

/// A line with a number in the place of the last digit of its first word that has one, else before it.
fn numbered(grown: &mut Vec<u8>, line: &[u8], number: usize) {
    match line.iter().position(u8::is_ascii_digit) {
        Some(at) => {
            grown.extend_from_slice(&line[..at]);
            grown.extend_from_slice(number.to_string().as_bytes());
            grown.extend_from_slice(&line[at + 1..]);
        }
        None => grown.extend_from_slice(line),
    }
}
