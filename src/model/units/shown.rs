//! Values as pages show them: three significant digits, thousands grouped, with their unit. The exact value stays in the
//! record.

use super::{Unit, tidy};

/// A value of any unit as the pages show it: three significant digits, grouped, with its unit.
#[must_use]
pub fn show(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ratio => show_ratio(value),
        Unit::Ms => show_time(value),
        Unit::Bytes => show_size(value),
        Unit::Count => show_number(value),
        Unit::PerSecond => format!("{}/s", show_number(value)),
        Unit::PerMinute => format!("{}/min", show_number(value)),
    }
}

/// A share in percent. What is not nothing never shows as `0%`, and what is not all never as `100%`.
pub(super) fn show_ratio(ratio: f64) -> String {
    let percent = tidy(ratio * 100.0);
    if percent > 0.0 && percent < 0.01 {
        "< 0.01%".to_owned()
    } else if percent < 100.0 && percent > 99.99 {
        "> 99.99%".to_owned()
    } else if percent.abs() >= 10.0 && percent <= 99.9 || percent.fract().abs() < 1e-9 {
        format!("{}%", trimmed(percent, 1))
    } else {
        format!("{}%", trimmed(percent, 2))
    }
}

/// A time in the unit that suits its size. A zero that rounding left stays, `1.00 s`: k6 prints times to the hundredth.
pub(super) fn show_time(ms: f64) -> String {
    let size = ms.abs();
    if size == 0.0 {
        "0 ms".to_owned()
    } else if size < 1.0 {
        format!("{} µs", three_digits(ms * 1e3))
    } else if size < 999.5 {
        format!("{} ms", three_digits(ms))
    } else if size < 119_500.0 {
        format!("{} s", three_digits(ms / 1e3))
    } else {
        show_clock(ms)
    }
}

/// Three significant digits; no decimals where the value is whole.
fn three_digits(value: f64) -> String {
    let decimals = if value.fract() == 0.0 { 0 } else { decimals(value) };
    if is_tiny(value) { significant(value) } else { grouped(&format!("{value:.decimals$}")) }
}

/// A long time as hours, minutes and whole seconds: `30m41s`.
fn show_clock(ms: f64) -> String {
    let seconds = (ms / 1e3).round();
    let (hours, rest) = ((seconds / 3600.0).floor(), seconds % 3600.0);
    let (minutes, seconds) = ((rest / 60.0).floor(), rest % 60.0);
    match (hours > 0.0, seconds > 0.0) {
        (true, _) => format!("{hours}h{minutes:02}m{seconds:02}s"),
        (false, true) => format!("{minutes}m{seconds:02}s"),
        (false, false) => format!("{minutes}m"),
    }
}

/// A size in powers of 1000, but whole powers of 1024 as such: memory is bought in those.
pub(super) fn show_size(bytes: f64) -> String {
    for (unit, power) in [("TiB", 4), ("GiB", 3), ("MiB", 2), ("KiB", 1)] {
        let count = bytes / 1024f64.powi(power);
        if (1.0..1024.0).contains(&count) && count.fract() == 0.0 {
            return format!("{} {unit}", grouped(&format!("{count}")));
        }
    }
    show_traffic(bytes)
}

/// A size in powers of 1000, as k6 counts what goes over the network.
#[must_use]
pub fn show_traffic(bytes: f64) -> String {
    for (unit, power) in [("TB", 4), ("GB", 3), ("MB", 2), ("kB", 1)] {
        let count = bytes / 1000f64.powi(power);
        if count >= 0.9995 {
            return format!("{} {unit}", significant(count));
        }
    }
    format!("{} B", significant(bytes))
}

/// A count in full, thousands grouped.
#[must_use]
pub fn show_count(count: u64) -> String {
    grouped(&count.to_string())
}

/// A count with its noun: `1 target`, `3 targets`.
#[must_use]
pub fn show_counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", show_count(count), if count == 1 { "" } else { "s" })
}

/// A plain number: whole ones in full, others with three significant digits; thousands grouped.
#[must_use]
pub fn show_number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 9.0e15 { grouped(&format!("{value}")) } else { significant(value) }
}

/// Three significant digits, never fewer than the whole part, trailing zeros dropped.
fn significant(value: f64) -> String {
    if is_tiny(value) { format!("{value:.1e}") } else { grouped(&trimmed(value, decimals(value))) }
}

/// Whether three decimals would show a value as nothing.
fn is_tiny(value: f64) -> bool {
    value.abs() > 0.0 && value.abs() < 0.0005
}

/// How many decimals three significant digits take, three at most.
fn decimals(value: f64) -> usize {
    match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    }
}

/// At most that many decimals, trailing zeros dropped.
fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Commas between thousands of the whole part.
fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = rest.find('.').map_or((rest, ""), |at| rest.split_at(at));
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_numbers_hide_nothing() {
        assert_eq!(show(0.0, Unit::Ratio), "0%");
        assert_eq!(show(5.2e-6, Unit::Ratio), "< 0.01%");
        assert_eq!(show(0.999_999, Unit::Ratio), "> 99.99%");
        assert_eq!(show(0.969, Unit::Ratio), "96.9%");
        assert_eq!(show(1740.0, Unit::Ms), "1.74 s");
        assert_eq!(show(1000.0, Unit::Ms), "1 s");
        assert_eq!(show(1004.0, Unit::Ms), "1.00 s");
        assert_eq!(show(56.78, Unit::Ms), "56.8 ms");
        assert_eq!(show(1_841_800.0, Unit::Ms), "30m42s");
        assert_eq!(show(6.0 * 1024f64.powi(3), Unit::Bytes), "6 GiB");
        assert_eq!(show(4e9, Unit::Bytes), "4 GB");
        assert_eq!(show_traffic(512_000.0), "512 kB");
        assert_eq!(show(833.958_988, Unit::PerSecond), "834/s");
        assert_eq!(show_count(9_007_199_254_740_993), "9,007,199,254,740,993");
        assert_eq!(show(16_188_034.0, Unit::Count), "16,188,034");
    }
}
