//! Mappings read key by key: what is missing, unknown or of the wrong kind
//! becomes a finding, and everything else is read all the same.

use crate::diag::{Finding, Level, SYNTAX, did_you_mean};
use crate::input::tree::{Entry, Kind, Node};
use crate::source::{Span, Spanned};
use crate::units::{Bytes, Rate, Rows, Seconds, Share, text};

/// A name that is resolved later.
pub(super) type Name = Spanned<String>;

/// A `syntax` finding.
pub(super) fn syntax(span: Span, message: impl Into<String>) -> Finding {
    Finding::new(SYNTAX, Level::Error, span, message)
}

/// The words `did you mean X?` for a slip, if a known word is near.
pub(super) fn hint<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    did_you_mean(typed, known).map(|it| format!("did you mean `{it}`?"))
}

/// A finding with the nearest known word as its help, else with what is expected.
pub(super) fn with_hint<'a>(
    finding: Finding,
    typed: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
    what: &str,
) -> Finding {
    let help = hint(typed, known.clone()).unwrap_or_else(|| {
        let all: Vec<String> = known.into_iter().take(24).map(|it| format!("`{it}`")).collect();
        if all.is_empty() {
            format!("there are no {what} here")
        } else {
            format!("{what}: {}", all.join(", "))
        }
    });
    finding.with_help(help)
}

/// A kind of single value.
pub(super) struct Scalars<T: 'static> {
    /// `a count`
    pub(super) what: &'static str,
    /// How it is written.
    pub(super) example: &'static str,
    /// Reads it.
    pub(super) read: fn(&str) -> Option<T>,
}

/// A number of things.
pub(super) const COUNT: Scalars<u64> =
    Scalars { what: "a count", example: "`1200`, `200k`, `5M`", read: count };
/// A number of rows.
pub(super) const ROWS: Scalars<Rows> =
    Scalars { what: "a count", example: "`1200`, `200k`, `5M`", read: |it| count(it).map(Rows) };
/// A small number of things: shards, nodes, copies.
pub(super) const NUMBER: Scalars<u32> = Scalars {
    what: "a whole number of at least 1",
    example: "`16`",
    read: |it| small(it).filter(|it| 0 < *it),
};
/// A small number that may be zero.
pub(super) const NUMBER_OR_NONE: Scalars<u32> =
    Scalars { what: "a whole number", example: "`0`, `16`", read: small };
/// A size.
pub(super) const SIZE: Scalars<Bytes> =
    Scalars { what: "a size", example: "`300B`, `4KB`, `4KiB`, `2TB`", read: text::parse_size };
/// A rate.
pub(super) const RATE: Scalars<Rate> =
    Scalars { what: "a rate", example: "`1200/s`, `3k/min`, `40M/day`", read: text::parse_rate };
/// A duration.
pub(super) const DURATION: Scalars<Seconds> =
    Scalars { what: "a duration", example: "`20ms`, `5s`, `2h`, `7d`, `2y`", read: text::parse_duration };
/// A share.
pub(super) const SHARE: Scalars<Share> =
    Scalars { what: "a share of a whole", example: "`12%`, `0.12`", read: text::parse_share };
/// A yes or no.
pub(super) const FLAG: Scalars<bool> = Scalars { what: "`true` or `false`", example: "`true`", read: flag };
/// Any text.
pub(super) const TEXT: Scalars<String> =
    Scalars { what: "a text", example: "`name`", read: |it| Some(it.to_owned()) };
/// A factor over 1, such as a peak over a mean.
pub(super) const FACTOR: Scalars<f64> =
    Scalars { what: "a factor of at least 1", example: "`3x`, `1.5x`", read: factor };

fn count(text: &str) -> Option<u64> {
    let value = text::parse_count(text)?;
    (value <= 1.8e19).then(|| libm::round(value) as u64)
}

fn small(text: &str) -> Option<u32> {
    let value = text::parse_count(text)?;
    (value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn factor(text: &str) -> Option<f64> {
    let digits = text.trim().strip_suffix(['x', 'X', '×']).unwrap_or(text).trim();
    text::parse_count(digits).filter(|it| 1.0 <= *it && it.is_finite())
}

impl<T> Scalars<T> {
    /// Reads a node, or says what it should be; `key` is what it is the value of.
    pub(super) fn of(&self, key: &str, node: &Node, findings: &mut Vec<Finding>) -> Option<Spanned<T>> {
        let Some(scalar) = node.scalar() else {
            let message = format!("`{key}` is {}; {} is expected", node.describe(), self.what);
            findings.push(syntax(node.span, message).with_help(format!("write it as {}", self.example)));
            return None;
        };
        if let Some(value) = (self.read)(&scalar.text) {
            return Some(Spanned { value, span: node.span });
        }
        let message = format!("`{key}` is `{}`, which is not {}", clip(&scalar.text), self.what);
        let help = match repair(&scalar.text, |it| (self.read)(it).is_some()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write it as {}", self.example),
        };
        findings.push(syntax(node.span, message).with_help(help));
        None
    }
}

/// A quantity with its unit's case or spacing mended, where that makes it readable.
fn repair(text: &str, reads: impl Fn(&str) -> bool) -> Option<String> {
    if 32 < text.len() {
        return None;
    }
    let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_'))).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return None;
    }
    let unit = unit.trim().replace(' ', "");
    let mended = [
        text.replace(',', ""),
        format!("{number}{}", unit.to_uppercase()),
        format!("{number}{}", unit.to_lowercase()),
        format!("{number}{unit}/s"),
        format!("{number}{}/s", unit.trim_end_matches("rps").trim_end_matches("qps").trim_end_matches("tps")),
        format!("{number}%"),
    ];
    mended.into_iter().filter(|it| it != text).find(|it| reads(it))
}

/// A text short enough for a message.
pub(super) fn clip(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= 48 && line.len() == text.len() {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(48).collect::<String>())
}

/// A mapping that is read key by key.
pub(super) struct Fields<'n> {
    what: &'static str,
    /// Where the mapping stands.
    pub(super) span: Span,
    entries: &'n [Entry],
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// The fields of a node that must be a mapping; `what` is its name in messages (`a table`).
    pub(super) fn of(node: &'n Node, what: &'static str, findings: &mut Vec<Finding>) -> Option<Self> {
        match &node.kind {
            Kind::Mapping(entries) => Some(Self { what, span: node.span, entries, known: Vec::new() }),
            Kind::Scalar(_) | Kind::Sequence(_) => {
                let message =
                    format!("{what} is {} here; a mapping of keys to values is expected", node.describe());
                findings.push(syntax(node.span, message));
                None
            }
        }
    }

    /// The fields of entries that stand in no mapping of their own.
    pub(super) fn of_entries(entries: &'n [Entry], what: &'static str, span: Span) -> Self {
        Self { what, span, entries, known: Vec::new() }
    }

    /// The entry of a key, empty ones included.
    pub(super) fn entry(&mut self, key: &'static str) -> Option<&'n Entry> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.iter().find(|it| it.key.value == key)
    }

    /// The value of a key; one that is empty becomes a finding.
    pub(super) fn get(&mut self, key: &'static str, findings: &mut Vec<Finding>) -> Option<&'n Node> {
        let entry = self.entry(key)?;
        if entry.value.is_null() {
            findings.push(syntax(entry.key.span, format!("`{key}` has no value")));
            return None;
        }
        Some(&entry.value)
    }

    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|it| it.key.value == key)
    }

    /// A single value.
    pub(super) fn value<T>(
        &mut self,
        key: &'static str,
        kind: &Scalars<T>,
        findings: &mut Vec<Finding>,
    ) -> Option<T> {
        self.spanned(key, kind, findings).map(|it| it.value)
    }

    /// A single value with its place.
    pub(super) fn spanned<T>(
        &mut self,
        key: &'static str,
        kind: &Scalars<T>,
        findings: &mut Vec<Finding>,
    ) -> Option<Spanned<T>> {
        let node = self.get(key, findings)?;
        kind.of(key, node, findings)
    }

    /// One of some words.
    pub(super) fn one_of<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        findings: &mut Vec<Finding>,
    ) -> Option<Spanned<T>> {
        let word = self.spanned(key, &TEXT, findings)?;
        one_of(key, &word, words, findings).map(|value| Spanned { value, span: word.span })
    }

    /// A list of names.
    pub(super) fn names(&mut self, key: &'static str, findings: &mut Vec<Finding>) -> Option<Vec<Name>> {
        let node = self.get(key, findings)?;
        Some(names(key, node, findings))
    }

    /// Says that a key is missing.
    pub(super) fn missing(&self, key: &str, help: &str, findings: &mut Vec<Finding>) {
        if !self.has(key) {
            let message = format!("{} needs the key `{key}`", self.what);
            findings.push(syntax(self.span, message).with_help(help));
        }
    }

    /// Entries whose key was not asked for.
    pub(super) fn others(&self) -> impl Iterator<Item = &'n Entry> {
        self.entries.iter().filter(|it| !self.known.contains(&it.key.value.as_str()))
    }

    /// Reports the keys that nobody asked for.
    pub(super) fn finish(self, findings: &mut Vec<Finding>) {
        for entry in self.others() {
            let typed = &entry.key.value;
            let finding = syntax(entry.key.span, format!("`{}` is not a key of {}", clip(typed), self.what));
            let known = self.known.iter().copied();
            findings.push(with_hint(finding, typed, known, "keys"));
        }
    }
}

/// One of some words, or a finding that lists them.
pub(super) fn one_of<T: Copy>(
    key: &str,
    word: &Name,
    words: &[(&'static str, T)],
    findings: &mut Vec<Finding>,
) -> Option<T> {
    if let Some((_, value)) = words.iter().find(|(name, _)| *name == word.value) {
        return Some(*value);
    }
    let finding = syntax(word.span, format!("`{key}` can't be `{}`", clip(&word.value)));
    findings.push(with_hint(finding, &word.value, words.iter().map(|(name, _)| *name), "one of"));
    None
}

/// The items of a list; a value that should be one is taken as its only item, with a finding.
pub(super) fn list<'n>(key: &str, node: &'n Node, findings: &mut Vec<Finding>) -> &'n [Node] {
    match &node.kind {
        Kind::Sequence(items) => items,
        Kind::Scalar(_) | Kind::Mapping(_) => {
            let help = match node.scalar() {
                Some(it) => format!("write `[{}]`", clip(&it.text)),
                None => "write it as a list: `[…]`, or lines that start with `- `".to_owned(),
            };
            let message = format!("`{key}` is {}; a list is expected", node.describe());
            findings.push(syntax(node.span, message).with_help(help));
            std::slice::from_ref(node)
        }
    }
}

/// A list of names.
pub(super) fn names(key: &str, node: &Node, findings: &mut Vec<Finding>) -> Vec<Name> {
    list(key, node, findings).iter().filter_map(|it| TEXT.of(key, it, findings)).collect()
}

/// Splits `word(argument)`.
pub(super) fn call(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.trim().split_once('(')?;
    Some((word.trim(), rest.strip_suffix(')')?.trim()))
}
