//! The one place where a quantity becomes text, and a text a quantity.
//!
//! Grammar: `200M` rows, `4KB` (1000) and `4KiB` (1024), `300k/day`, `20ms`,
//! `12%`. `_` separates digits. Case matters only where it distinguishes
//! (`m` is not a suffix of a count; `M` is a million).

use crate::units::{Bytes, DAY, Rate, Seconds, Share, YEAR};

/// Reads a plain decimal number with `_` as a digit separator.
fn number(text: &str) -> Option<f64> {
    let ok = text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '_' | '.' | 'e' | 'E' | '+' | '-'));
    let value: f64 = if ok { text.replace('_', "").parse().ok()? } else { return None };
    (value.is_finite() && 0.0 <= value).then_some(value)
}

fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '_' | '.'))).unwrap_or(text.len());
    // `1e6` is a number, `1EB` is not one: an exponent needs digits behind it.
    let rest = &text[end..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let n = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if 0 < n {
            let end = end + 1 + (exponent.len() - digits.len()) + n;
            return (&text[..end], text[end..].trim());
        }
    }
    (&text[..end], rest.trim())
}

/// Reads a count: `1200`, `200k`, `5M`, `4B`, `1.5T`.
#[must_use]
pub fn parse_count(text: &str) -> Option<f64> {
    let (digits, unit) = split_unit(text);
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "B" | "G" => 1e9,
        "T" => 1e12,
        _ => return None,
    };
    number(digits).map(|value| value * factor)
}

/// Reads a size: `300B`, `4KB` (1000), `4KiB` (1024), `2TB`; a bare number is bytes.
#[must_use]
pub fn parse_size(text: &str) -> Option<Bytes> {
    let (digits, unit) = split_unit(text);
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" | "K" | "k" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        "TB" | "T" => 1e12,
        "PB" => 1e15,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        "TiB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "PiB" => 1024.0 * 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let value = number(digits)? * factor;
    (value <= 1.8e19).then_some(Bytes(libm::round(value) as u64))
}

/// Seconds of a time unit as a rate's denominator or a duration's unit.
fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" => 1e-3,
        "us" | "µs" => 1e-6,
        "s" | "sec" | "second" | "seconds" => 1.0,
        "min" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => DAY,
        "w" | "week" | "weeks" => 7.0 * DAY,
        "month" | "months" | "mo" => 30.44 * DAY,
        "y" | "year" | "years" => YEAR,
        _ => return None,
    })
}

/// Reads a rate: `1200/s`, `3k/min`, `40M/day`, `2/h`.
#[must_use]
pub fn parse_rate(text: &str) -> Option<Rate> {
    let (count, unit) = text.split_once('/')?;
    if matches!(unit.trim(), "ms" | "us" | "µs") {
        return None;
    }
    Rate::per_second(parse_count(count)? / seconds_of(unit.trim())?)
}

/// Reads a duration: `20ms`, `5s`, `10min`, `2h`, `7d`, `2y`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Seconds> {
    let (digits, unit) = split_unit(text);
    Seconds::new(number(digits)? * seconds_of(unit)?)
}

/// Reads a share: `12%` or `0.12`.
#[must_use]
pub fn parse_share(text: &str) -> Option<Share> {
    let text = text.trim();
    match text.strip_suffix('%') {
        Some(percent) => Share::new(number(percent.trim())? / 100.0),
        None => Share::new(number(text)?),
    }
}

/// A number with up to three significant digits and no trailing zeros.
fn short(value: f64) -> String {
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    // A sum of nothing is −0.
    let value = value + 0.0;
    for (factor, unit) in steps {
        // 999.6k rounds to 1M, so the step is taken a little early.
        if value >= factor * 0.9995 {
            return format!("{}{unit}", short(value / factor));
        }
    }
    short(value)
}

/// `1.2k`, `5M`, `41`.
#[must_use]
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return "∞".to_owned();
    }
    scaled(value, &[(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")])
}

/// `48 GB`, `300 B` (decimal units, as the makers' pages state them).
#[must_use]
pub fn bytes(value: f64) -> String {
    let text = scaled(value, &[(1e15, " PB"), (1e12, " TB"), (1e9, " GB"), (1e6, " MB"), (1e3, " KB")]);
    if text.ends_with('B') { text } else { format!("{text} B") }
}

/// `1.2k/s`, or per minute, hour or day where less than one a second happens.
#[must_use]
pub fn rate(per_second: f64) -> String {
    for (factor, unit) in [(1.0, "s"), (60.0, "min"), (3600.0, "h")] {
        if per_second * factor >= 0.9995 {
            return format!("{}/{unit}", count(per_second * factor));
        }
    }
    format!("{}/day", count(per_second * DAY))
}

/// `12.5%`, with enough digits that a small share does not read as zero.
#[must_use]
pub fn share(value: f64) -> String {
    let percent = value * 100.0 + 0.0;
    if percent == 0.0 || percent >= 99.995 {
        return format!("{percent:.0}%");
    }
    if 0.0 < percent && percent < 0.000_05 {
        return "<0.0001%".to_owned();
    }
    let digits = if percent >= 10.0 {
        1
    } else if percent >= 0.1 {
        2
    } else {
        4
    };
    let text = format!("{percent:.digits$}");
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// `20 ms`, `5 s`, `3.8 years`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if seconds >= 2.0 * YEAR {
        return format!("{} years", short(seconds / YEAR));
    }
    for (factor, unit) in [(DAY, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s")] {
        if seconds >= factor {
            let number = short(seconds / factor);
            let unit = if number == "1" && unit == "days" { "day" } else { unit };
            return format!("{number} {unit}");
        }
    }
    format!("{} ms", short(seconds * 1e3))
}

/// A whole number with thousands separators: `1,455`.
#[must_use]
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_the_format_writes_them() {
        for (text, value) in
            [("1200", 1200.0), ("200k", 2e5), ("5M", 5e6), ("4B", 4e9), ("1.5T", 1.5e12), ("90_859", 90859.0)]
        {
            assert_eq!(parse_count(text), Some(value), "{text}");
        }
        for text in ["", "k", "-3", "12x", "1e400", "nan", "1..2"] {
            assert_eq!(parse_count(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_tell_thousands_from_binary_thousands() {
        assert_eq!(parse_size("4KB"), Some(Bytes(4000)));
        assert_eq!(parse_size("4KiB"), Some(Bytes(4096)));
        assert_eq!(parse_size("2TB"), Some(Bytes(2_000_000_000_000)));
        assert_eq!(parse_size("2 potatoes"), None);
    }

    #[test]
    fn a_month_has_30_44_days_and_a_year_365_25() {
        let per_day = |text| parse_rate(text).map(|it| (it.get() * DAY * 1e6).round() / 1e6);
        assert_eq!(per_day("3044/month"), Some(100.0));
        assert_eq!(per_day("36525/year"), Some(100.0));
        assert_eq!(parse_rate("3k/min").map(Rate::get), Some(50.0));
        assert_eq!(parse_rate("3k"), None);
        assert_eq!(parse_duration("2y").map(Seconds::days), Some(730.5));
        assert_eq!(parse_duration("20ms").map(Seconds::get), Some(0.02));
    }

    #[test]
    fn shares_stay_between_none_and_all() {
        assert_eq!(parse_share("12%").map(Share::get), Some(0.12));
        assert_eq!(parse_share("0.5").map(Share::get), Some(0.5));
        assert_eq!(parse_share("101%"), None);
    }

    #[test]
    fn quantities_print_shortly() {
        assert_eq!(count(1_455.0), "1.46k");
        assert_eq!(count(999_960.0), "1M");
        assert_eq!(bytes(48e9), "48 GB");
        assert_eq!(bytes(20e9), "20 GB");
        assert_eq!(bytes(12.0), "12 B");
        assert_eq!(rate(12.0 / 60.0), "12/min");
        assert_eq!(share(0.025), "2.5%");
        assert_eq!(share(0.000_013), "0.0013%");
        assert_eq!(share(1e-9), "<0.0001%");
        assert_eq!([count(-0.0), bytes(-0.0), rate(-0.0), share(-0.0)], ["0", "0 B", "0/day", "0%"]);
        assert_eq!(duration(3.805 * YEAR), "3.81 years");
        assert_eq!(duration(DAY), "1 day");
        assert_eq!(grouped(1_455), "1,455");
    }
}
