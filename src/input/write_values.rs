//! Single values as the format writes them, so that they read back equal, and
//! flow collections made of them.

use crate::input::decode_ids::date_of_days;
use crate::model::Distribution;
use crate::units::{Bytes, DAY, Rate, Seconds, Share, YEAR, text};

/// A text as a YAML scalar: plain where nobody could take it for something else.
pub(super) fn scalar(value: &str) -> String {
    let starts = value.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    let plain = value.chars().all(is_plain);
    let ends = !value.ends_with(' ');
    let is_word = value.chars().any(char::is_alphabetic) && !is_special(value);
    if starts && plain && ends && is_word { value.to_owned() } else { quoted(value) }
}

/// A letter that means nothing to YAML anywhere inside a plain text.
fn is_plain(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric() || " _-./()%+".contains(letter);
    }
    !letter.is_control() && !letter.is_whitespace() && !is_unprintable(letter)
}

/// A letter that YAML wants escaped, beside control characters.
fn is_unprintable(letter: char) -> bool {
    matches!(letter, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// A text that other readers of YAML take for a number, a truth or nothing.
fn is_special(value: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let lower = value.to_lowercase();
    let number = lower.starts_with(|it: char| it.is_ascii_digit())
        && lower.chars().all(|it| it.is_ascii_hexdigit() || matches!(it, '.' | '_' | '-' | '+' | 'x' | 'o'));
    number || WORDS.contains(&lower.as_str()) || matches!(lower.as_str(), "nan" | "inf")
}

fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    for it in value.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            it if it.is_control() || is_unprintable(it) => {
                out.extend(format!("\\u{:04x}", it as u32).chars());
            }
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

/// An SQL text as the value of a key of its own line: without quotes where it can stand so.
pub(super) fn sql(value: &str) -> String {
    let line = one_line(value);
    let starts = line.starts_with(|it: char| it.is_ascii_alphabetic());
    let broken = line.contains(['\\', '\u{feff}']) || line.chars().any(char::is_control);
    let plain = starts && !broken && !line.contains(": ") && !line.contains(" #") && !line.ends_with(':');
    if plain { line } else { quoted(&line) }
}

/// An SQL text inside brackets.
pub(super) fn sql_in_flow(value: &str) -> String {
    quoted(&one_line(value))
}

/// A text without ends of lines, where they can go: they end a comment and belong to a string.
fn one_line(value: &str) -> String {
    if value.contains(['\'', '"', '`', '$', '#']) || value.contains("--") {
        return value.trim().to_owned();
    }
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `[a, b]`
pub(super) fn list<S: AsRef<str>>(items: &[S]) -> String {
    format!("[{}]", items.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "))
}

/// A list of names.
pub(super) fn names<S: AsRef<str>>(items: &[S]) -> String {
    list(&items.iter().map(|it| scalar(it.as_ref())).collect::<Vec<_>>())
}

/// Keys and values of a mapping, in order.
#[derive(Default)]
pub(super) struct Map(Vec<(String, String)>);

impl Map {
    /// Adds a key whose value is written already.
    pub(super) fn put(&mut self, key: &str, value: impl Into<String>) {
        self.0.push((scalar(key), value.into()));
    }

    /// Adds a key, if there is a value.
    pub(super) fn put_some<T>(&mut self, key: &str, value: Option<T>, write: impl FnOnce(T) -> String) {
        if let Some(value) = value {
            self.put(key, write(value));
        }
    }

    /// Adds a key with the value `true`, if it is.
    pub(super) fn put_flag(&mut self, key: &str, value: bool) {
        if value {
            self.put(key, "true");
        }
    }

    /// Adds a list of names, unless it is empty.
    pub(super) fn put_names<S: AsRef<str>>(&mut self, key: &str, items: &[S]) {
        if !items.is_empty() {
            self.put(key, names(items));
        }
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `{a: 1, b: 2}`
    pub(super) fn flow(&self) -> String {
        format!(
            "{{{}}}",
            self.0.iter().map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ")
        )
    }

    /// One key a line, each behind an indentation. Values that start with an end of line stand below their key.
    pub(super) fn block(&self, indent: usize) -> String {
        let line = |(key, value): &(String, String)| {
            let space = if value.starts_with('\n') { "" } else { " " };
            format!("{}{key}:{space}{value}\n", " ".repeat(indent))
        };
        self.0.iter().map(line).collect()
    }
}

/// A number without an exponent that reads back equal.
pub(super) fn number(value: f64) -> String {
    format!("{value}")
}

/// The first of some texts that reads back equal, else the last.
fn first_that<T: PartialEq + Copy>(
    candidates: impl IntoIterator<Item = String>,
    value: T,
    read: impl Fn(&str) -> Option<T>,
) -> String {
    let mut last = String::new();
    for it in candidates {
        if read(&it) == Some(value) {
            return it;
        }
        last = it;
    }
    last
}

/// `200M`, `1.5k`, `1234`.
pub(super) fn count(value: u64) -> String {
    let mut candidates = Vec::new();
    for (factor, unit) in [(1_000_000_000_000, "T"), (1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")] {
        if factor <= value && value.is_multiple_of(factor / 1000) {
            candidates.push(format!("{}{unit}", number(value as f64 / factor as f64)));
        }
    }
    candidates.push(value.to_string());
    let short = candidates.into_iter().filter(|it| it.len() < value.to_string().len());
    first_that(short.chain([value.to_string()]), value as f64, text::parse_count)
}

/// `300B`, `4KB`, `2TB`.
pub(super) fn size(value: Bytes) -> String {
    let mut candidates = Vec::new();
    for (factor, unit) in [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")] {
        if factor <= value.get() {
            candidates.push(format!("{}{unit}", number(value.get() / factor)));
        }
    }
    let plain = format!("{}B", value.0);
    let short = candidates.into_iter().filter(|it| it.len() <= plain.len());
    first_that(short.chain([plain.clone()]), value, text::parse_size)
}

/// A value with up to six digits and a suffix, for rates.
fn rounded(value: f64) -> Option<String> {
    if !(0.999_999..1e16).contains(&value) {
        return None;
    }
    let digits = libm::floor(libm::log10(value)) as i32;
    let scale = libm::pow(10.0, f64::from((5 - digits).max(0)));
    let whole = libm::round(value * scale) / scale;
    Some(if whole.fract() == 0.0 { count(whole as u64) } else { number(whole) })
}

/// `1200/s`, `3k/min`, `300k/day`.
pub(super) fn rate(value: Rate) -> String {
    let per =
        [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("day", DAY), ("month", 30.44 * DAY), ("year", YEAR)];
    let candidates = per
        .into_iter()
        .filter_map(|(unit, seconds)| Some(format!("{}/{unit}", rounded(value.get() * seconds)?)))
        .filter(|it| text::parse_rate(it) == Some(value));
    // The shortest number is the one that somebody wrote.
    candidates.min_by_key(|it| it.find('/')).unwrap_or_else(|| format!("{}/s", number(value.get())))
}

/// `20ms`, `5s`, `7d`, `2y`.
pub(super) fn duration(value: Seconds) -> String {
    let units = [("y", YEAR), ("d", DAY), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)];
    let whole = units.into_iter().filter_map(|(unit, seconds)| {
        let amount = libm::round(value.get() / seconds);
        (1.0..1e6).contains(&amount).then(|| format!("{}{unit}", number(amount)))
    });
    let broken = units.into_iter().filter_map(|(unit, seconds)| {
        let amount = libm::round(value.get() / seconds * 1e3) / 1e3;
        (1.0 <= amount).then(|| format!("{}{unit}", number(amount)))
    });
    first_that(whole.chain(broken).chain([format!("{}s", number(value.get()))]), value, text::parse_duration)
}

/// `12%`, `0.5%`.
pub(super) fn share(value: Share) -> String {
    let percent = value.get() * 100.0;
    let rounded = libm::round(percent * 1e6) / 1e6;
    let candidates = [format!("{}%", number(rounded)), format!("{}%", number(percent)), number(value.get())];
    first_that(candidates, value, text::parse_share)
}

/// `2024-01-01`
pub(super) fn date(days: i64) -> String {
    date_of_days(days)
}

/// A distribution.
pub(super) fn distribution(value: &Distribution) -> String {
    match value {
        Distribution::Uniform => "uniform".to_owned(),
        Distribution::Zipf(exponent) => format!("zipf({})", number(*exponent)),
        Distribution::Top { shares, rest } => {
            let mut map = Map::default();
            map.put("top", top(shares));
            if **rest != Distribution::Uniform {
                map.put("rest", distribution(rest));
            }
            map.flow()
        }
        Distribution::Histogram(pairs) => {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|(rows, values)| format!("[{}, {}]", count(*rows as u64), count(*values as u64)))
                .collect();
            format!("{{histogram: {}}}", list(&pairs))
        }
    }
}

/// Shares with names where all have one; else a list.
fn top(shares: &[(Option<String>, Share)]) -> String {
    let names: Option<Vec<&String>> = shares.iter().map(|(name, _)| name.as_ref()).collect();
    let Some(names) = names else {
        return list(&shares.iter().map(|(_, it)| share(*it)).collect::<Vec<_>>());
    };
    let mut map = Map::default();
    for (name, (_, value)) in names.iter().zip(shares) {
        map.put(name, share(*value));
    }
    map.flow()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tree;
    use crate::source::FileId;
    use proptest::prelude::*;

    fn read_back(written: &str) -> String {
        let mut findings = Vec::new();
        let text = format!("{{a: {written}, b: [{written}, x]}}\n");
        let tree = tree::read(&text, FileId(0), &mut findings).unwrap();
        assert_eq!(findings, Vec::new(), "{text}");
        let root = tree.root.unwrap();
        let node = &root.entries()[0].value;
        node.scalar().map_or(String::new(), |it| it.text.clone())
    }

    #[test]
    fn texts_are_plain_where_they_can_be() {
        for plain in ["orders", "orders of a customer", "zipf(1.1)", "ร้านค้า", "v1.2-rc", "3 of them"]
        {
            assert_eq!(scalar(plain), plain);
        }
        for other in [
            "",
            "true",
            "No",
            "1.5",
            "0x1f",
            "2024-01-01",
            "a: b",
            "a #b",
            "- a",
            "{a}",
            "a,b",
            "null",
            " a",
            "a ",
        ] {
            assert_eq!(scalar(other), format!("\"{other}\""));
        }
    }

    #[test]
    fn quantities_are_written_shortly() {
        assert_eq!(count(200_000_000), "200M");
        assert_eq!(count(2_500_000), "2.5M");
        assert_eq!(count(1_500), "1500");
        assert_eq!(count(8_640_000_000), "8.64B");
        assert_eq!(count(1_234), "1234");
        assert_eq!(count(0), "0");
        assert_eq!(size(Bytes(4_000)), "4KB");
        assert_eq!(size(Bytes(4_096)), "4096B");
        assert_eq!(size(Bytes(2_000_000_000_000)), "2TB");
        let of = |it: &str| rate(text::parse_rate(it).unwrap());
        for it in ["1.2k/s", "300k/day", "3k/min", "2/h", "40M/day", "0/s", "1/year", "5/month"] {
            let written = of(it);
            assert_eq!(text::parse_rate(&written), text::parse_rate(it), "{written}");
            assert!(written.len() <= it.len() + 1, "{it} {written}");
        }
        assert_eq!(of("300k/day"), "300k/day");
        let of = |it: &str| duration(text::parse_duration(it).unwrap());
        for it in ["20ms", "5s", "10min", "2h", "7d", "2y", "1.5h", "30d"] {
            assert_eq!(text::parse_duration(&of(it)), text::parse_duration(it));
        }
        assert_eq!((of("600s"), of("7d"), of("2y")), ("10min".to_owned(), "7d".to_owned(), "2y".to_owned()));
        assert_eq!(share(Share::new(0.12).unwrap()), "12%");
        assert_eq!(share(text::parse_share("99.9%").unwrap()), "99.9%");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_text_reads_back_equal(text in "\\PC{0,20}|[ -~\\n\\t\u{0}\u{85}\u{feff}]{0,12}") {
            prop_assert_eq!(read_back(&scalar(&text)), text);
        }

        #[test]
        fn any_quantity_reads_back_equal(value in 0.0..1e15_f64, small in 0.0..1.0_f64, whole in 0..9_000_000_000_000_000_u64) {
            for it in [value, small] {
                prop_assert_eq!(text::parse_rate(&rate(Rate::per_second(it).unwrap())).map(Rate::get), Some(it));
                prop_assert_eq!(text::parse_duration(&duration(Seconds::new(it).unwrap())).map(Seconds::get), Some(it));
            }
            prop_assert_eq!(text::parse_share(&share(Share::new(small).unwrap())).map(Share::get), Some(small));
            prop_assert_eq!(text::parse_count(&count(whole)), Some(whole as f64));
            prop_assert_eq!(text::parse_size(&size(Bytes(whole))), Some(Bytes(whole)));
        }
    }
}
