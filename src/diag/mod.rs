//! What the program says about an input: findings with code, level, place and
//! what to do.

mod hint;

pub use hint::did_you_mean;

use crate::source::Span;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Works, at a price that is named.
    Warning,
    /// Refused by the engine, data lost or wrong, or a hard limit passed.
    Error,
}

impl Level {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How sure the program is of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Rests on an unconfirmed fact.
    Low,
    /// Rests on an estimate.
    Medium,
    /// Follows from what was given.
    High,
}

impl Confidence {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Code and name of a rule: `SW101`, `low-cardinality-key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    /// `SW101`
    pub code: &'static str,
    /// `low-cardinality-key`
    pub name: &'static str,
}

/// SW001: the text can't be read as the format asks.
pub const SYNTAX: Code = Code { code: "SW001", name: "syntax" };
/// SW002: a name of a table that is not described.
pub const UNKNOWN_TABLE: Code = Code { code: "SW002", name: "unknown-table" };
/// SW003: a name of a column that is not described.
pub const UNKNOWN_COLUMN: Code = Code { code: "SW003", name: "unknown-column" };
/// SW004: a statement outside the readable SQL.
pub const UNPARSED_STATEMENT: Code = Code { code: "SW004", name: "unparsed-statement" };
/// SW007: totals or shares stated in the file do not add up.
pub const RATES_DISAGREE: Code = Code { code: "SW007", name: "rates-disagree" };

/// One thing to say about an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Code and name of the rule.
    pub code: Code,
    /// How bad.
    pub level: Level,
    /// How sure.
    pub confidence: Confidence,
    /// Where.
    pub span: Span,
    /// One sentence with the numbers behind it, in lower case, no full stop.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The statement to run or the edit to make.
    pub fix: Option<String>,
    /// The table it is about.
    pub table: Option<String>,
    /// The pattern it is about.
    pub pattern: Option<String>,
    /// The index it is about.
    pub index: Option<String>,
    /// The key it is about, as written.
    pub key: Option<String>,
    /// Other places that explain it.
    pub related: Vec<(Span, String)>,
}

impl Finding {
    /// A finding with high confidence and nothing but a message.
    #[must_use]
    pub fn new(code: Code, level: Level, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            confidence: Confidence::High,
            span,
            message: message.into(),
            help: None,
            fix: None,
            table: None,
            pattern: None,
            index: None,
            key: None,
            related: Vec::new(),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The statement or edit that mends it.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The table it is about.
    #[must_use]
    pub fn on_table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// The pattern it is about.
    #[must_use]
    pub fn on_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    /// The index it is about.
    #[must_use]
    pub fn on_index(mut self, index: impl Into<String>) -> Self {
        self.index = Some(index.into());
        self
    }

    /// The key it is about.
    #[must_use]
    pub fn on_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// How sure the program is.
    #[must_use]
    pub fn with_confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// A further place that explains it.
    #[must_use]
    pub fn with_related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}

/// Orders findings by place, then severity, code and text, and drops doubles,
/// so that a report never depends on the order in which rules ran.
pub fn settle(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        let rank = |it: &Finding| (it.span.file, it.span.start, std::cmp::Reverse(it.level), it.code.code);
        rank(a)
            .cmp(&rank(b))
            .then_with(|| a.pattern.cmp(&b.pattern))
            .then_with(|| a.table.cmp(&b.table))
            .then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup();
}
