//! What is wrong with a design: rules, each with its manual inside, run over
//! the design and the plan that is judged.

mod context;
#[cfg(test)]
mod examples_test;
mod fixed;
mod manual;
mod rules;
#[cfg(test)]
mod rules_test;
mod suppress;
#[cfg(test)]
mod testing;
mod views;

pub(crate) use context::Change;
pub use context::{Context, Judged, Said};
pub use fixed::fixed_plan;
pub use manual::{rule_page, rules_markdown};
pub use rules::RULES;
pub use suppress::settle;
pub use views::{PatternView, StatementView, TableView};
pub(crate) use views::{listed, rate_or_no, share_of_requests, tuple};

use crate::diag::{Code, Confidence, Finding, Level};
use crate::source::Span;
use crate::target::{Source, Sure};

/// One thing that can be wrong.
pub struct Rule {
    /// Code and name.
    pub code: Code,
    /// The level of its findings, where they do not say otherwise.
    pub level: Level,
    /// The manual: why, thresholds, an example that fires and one that does not.
    pub explain: &'static str,
    /// Looks for it.
    pub check: fn(&Judged<'_>, &mut Vec<Finding>),
}

impl Rule {
    /// A finding of this rule at its own level.
    #[must_use]
    pub fn finding(&self, span: Span, message: impl Into<String>) -> Finding {
        Finding::new(self.code, self.level, span, message)
    }

    /// A finding of this rule at another level.
    #[must_use]
    pub fn finding_at(&self, level: Level, span: Span, message: impl Into<String>) -> Finding {
        Finding::new(self.code, level, span, message)
    }

    /// Whether a word of a suppression or level names it: its code, its name, or
    /// the front of its code (`SW2`).
    #[must_use]
    pub fn is_named(&self, word: &str) -> bool {
        names(self.code, word)
    }
}

/// Whether a word names a code: the code, the rule's name, or the front of the code.
fn names(code: Code, word: &str) -> bool {
    let word = word.trim();
    let front =
        word.len() >= 3 && code.code.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    front || code.name.eq_ignore_ascii_case(word)
}

/// The rule of a code or name.
#[must_use]
pub fn rule(word: &str) -> Option<&'static Rule> {
    let exact =
        |it: &&&Rule| it.code.code.eq_ignore_ascii_case(word) || it.code.name.eq_ignore_ascii_case(word);
    RULES.iter().find(exact).copied()
}

/// Everything that all rules have to say, sorted. Levels and suppressions of
/// the file are applied afterwards, to these and the reader's findings
/// together: see [`settle`].
#[must_use]
pub fn run(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let judged = Judged::new(*cx);
    for rule in RULES {
        (rule.check)(&judged, &mut findings);
    }
    crate::diag::settle(&mut findings);
    findings
}

/// Names the page that a finding rests on, and lowers it where the page does
/// not settle the matter: what is not confirmed carries nothing above info.
#[must_use]
pub fn citing(mut finding: Finding, source: &Source) -> Finding {
    match source.sure {
        Sure::High => {}
        Sure::Medium => finding.confidence = finding.confidence.min(Confidence::Medium),
        Sure::Low => {
            finding.confidence = Confidence::Low;
            finding.level = Level::Info;
        }
    }
    if !source.url.starts_with("http") {
        return finding;
    }
    let page = format!("{} ({})", source.title, source.url);
    let help = finding.help.take();
    finding.with_help(help.map_or_else(|| format!("see {page}"), |it| format!("{it}; see {page}")))
}
