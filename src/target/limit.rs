//! Facts and limits with the page they come from and the day it was read.

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
    /// Day on which it was read.
    pub read_on: &'static str,
    /// How sure.
    pub sure: Sure,
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
