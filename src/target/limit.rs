//! Facts and limits with the page they come from and the day it was read.

/// 1024 bytes.
pub(super) const KIB: f64 = 1024.0;
/// 1024 KiB.
pub(super) const MIB: f64 = 1024.0 * KIB;
/// 1024 MiB.
pub(super) const GIB: f64 = 1024.0 * MIB;
/// A million bytes.
pub(super) const MB: f64 = 1e6;
/// A thousand million bytes.
pub(super) const GB: f64 = 1e9;

/// How sure a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// Not confirmed: carries no finding above info.
    Low,
    /// An excerpt, an older copy, or a textbook.
    Medium,
    /// Read in the maker's documentation or source.
    High,
}

/// Where a fact is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Title of the page.
    pub title: &'static str,
    /// Its address; empty for general knowledge.
    pub url: &'static str,
    /// Day on which it was read, or the month of the stored copy that was read; empty for general knowledge.
    pub read_on: &'static str,
    /// How sure.
    pub sure: Sure,
}

impl Source {
    /// Textbook knowledge that no page was looked up for.
    pub const GENERAL: Self = Self { title: "general knowledge", url: "", read_on: "", sure: Sure::Medium };

    /// A page of the maker, read on the day on which the facts were gathered.
    pub(super) const fn page(title: &'static str, url: &'static str) -> Self {
        Self { title, url, read_on: "2026-12-01", sure: Sure::High }
    }

    /// The same page, read in a stored copy of a month.
    pub(super) const fn copy_of(self, month: &'static str) -> Self {
        Self { read_on: month, ..self }
    }

    /// The same page for something that it does not fully settle.
    pub(super) const fn medium(self) -> Self {
        Self { sure: Sure::Medium, ..self }
    }

    /// The same page for something that was not confirmed.
    pub(super) const fn low(self) -> Self {
        Self { sure: Sure::Low, ..self }
    }

    /// A fact from this source.
    pub(super) const fn fact<T: Copy>(self, value: T) -> Fact<T> {
        Fact { value, source: self }
    }

    /// A limit from this source.
    pub(super) const fn limit(self, name: &'static str, max: f64, text: &'static str) -> Limit {
        Limit { name, max, text, source: self }
    }
}

/// A fact about an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fact<T> {
    /// The fact.
    pub value: T,
    /// Where it is written.
    pub source: Source,
}

/// A number that an engine does not pass, or its maker advises not to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// What is limited, in words: `size of a logical partition`.
    pub name: &'static str,
    /// The number, in plain units (bytes, per second, count).
    pub max: f64,
    /// As the maker writes it: `20 GB`.
    pub text: &'static str,
    /// Where it is written.
    pub source: Source,
}
