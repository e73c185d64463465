//! Levels and suppressions of a file: what is not to be reported, and
//! suppressions that have no reason or silence nothing.

use crate::diag::{Code, Finding, Level};
use crate::lint::{RULES, names};
use crate::model::{Design, Ignore};
use crate::source::Files;

/// SW008: a suppression without a reason, or one that silences nothing.
pub(super) const CODE: Code = Code { code: "SW008", name: "ignore-without-reason" };

/// Applies the file's levels and suppressions to all findings about it, the
/// reader's included, and adds what is wrong with the suppressions themselves.
#[must_use]
pub fn settle(findings: Vec<Finding>, design: &Design, files: &Files) -> Vec<Finding> {
    let mut used = vec![false; design.lint.ignore.len()];
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let mut silenced = false;
        for (ignore, used) in design.lint.ignore.iter().zip(&mut used) {
            // One without a reason is not honoured: the reason is what a reader of the file needs.
            if covers(ignore, &finding, files) {
                *used = true;
                silenced |= has_reason(ignore);
            }
        }
        if !silenced {
            kept.push(finding);
        }
    }
    for (ignore, used) in design.lint.ignore.iter().zip(&used) {
        kept.extend(faults(ignore, *used));
    }
    for (word, (_, span)) in &design.lint.levels {
        if !is_rule(word) {
            let message = format!("`{word}` is not a rule, so its level changes nothing");
            kept.push(Finding::new(CODE, Level::Warning, *span, message).with_help(meant(word)));
        }
    }
    let mut levelled: Vec<Finding> = kept.into_iter().filter_map(|it| levelled(it, design)).collect();
    crate::diag::settle(&mut levelled);
    levelled
}

fn has_reason(ignore: &Ignore) -> bool {
    ignore.reason.as_ref().is_some_and(|it| !it.trim().is_empty())
}

/// Whether a suppression is about a finding.
fn covers(ignore: &Ignore, finding: &Finding, files: &Files) -> bool {
    let same = |wanted: &Option<String>, given: &Option<String>| {
        wanted.as_ref().is_none_or(|it| given.as_ref().is_some_and(|given| given.eq_ignore_ascii_case(it)))
    };
    let on_line = ignore.line.is_none_or(|line| {
        let places = std::iter::once(finding.span).chain(finding.related.iter().map(|(span, _)| *span));
        places.filter(|it| it.file == ignore.span.file).any(|it| files.place(it.file, it.start).line == line)
    });
    names(finding.code, &ignore.rule)
        && same(&ignore.table, &finding.table)
        && same(&ignore.pattern, &finding.pattern)
        && same(&ignore.index, &finding.index)
        && on_line
}

/// What is wrong with a suppression.
fn faults(ignore: &Ignore, used: bool) -> Vec<Finding> {
    let finding = |message: String| Finding::new(CODE, Level::Warning, ignore.span, message);
    if !used && !is_rule(&ignore.rule) {
        let message = format!("`{}` is not a rule, so nothing is silenced", ignore.rule);
        return vec![finding(message).with_help(meant(&ignore.rule))];
    }
    let mut all = Vec::new();
    if !has_reason(ignore) {
        let it =
            finding(format!("`{}` is to be ignored, but no reason is given, so it is reported", ignore.rule));
        all.push(it.with_help("say why the finding does not matter here"));
    }
    if !used {
        let it = finding(format!("nothing here breaks `{}`, so there is nothing to ignore", ignore.rule));
        all.push(it.with_help("delete the suppression"));
    }
    all
}

/// Codes of the reader's findings, which are no rules of this folder.
const READ: &[Code] = &[
    crate::diag::SYNTAX,
    crate::diag::UNKNOWN_TABLE,
    crate::diag::UNKNOWN_COLUMN,
    crate::diag::UNPARSED_STATEMENT,
    crate::diag::RATES_DISAGREE,
];

/// The rule that a mistyped word may mean.
fn meant(word: &str) -> String {
    let all = RULES.iter().flat_map(|it| [it.code.code, it.code.name]);
    let near = crate::diag::did_you_mean(word, all);
    near.map_or_else(|| "`shardwright rules` lists them".to_owned(), |it| format!("did you mean `{it}`?"))
}

/// Whether a word names any rule.
fn is_rule(word: &str) -> bool {
    // Codes of findings that are made elsewhere (layouts, caches, claims) are rules too.
    let digits =
        word.trim().get(2..).filter(|_| word.trim().get(..2).is_some_and(|it| it.eq_ignore_ascii_case("sw")));
    if digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit())) {
        return true;
    }
    RULES.iter().any(|it| it.is_named(word)) || READ.iter().any(|it| names(*it, word))
}

/// The finding at the level that the file asks for; `None` where it is off.
/// The most exact word decides: name or code before the front of a code.
fn levelled(mut finding: Finding, design: &Design) -> Option<Finding> {
    let fits = design.lint.levels.iter().filter(|(word, _)| names(finding.code, word));
    let exact = |word: &str| !finding.code.code.starts_with(word) || word.len() == finding.code.code.len();
    let best = fits.max_by_key(|(word, _)| (exact(word), word.len()));
    match best.map(|(_, (level, _))| level.as_str()) {
        Some("off") => return None,
        Some("error") => finding.level = Level::Error,
        Some("warning") => finding.level = Level::Warning,
        Some("info") => finding.level = Level::Info,
        _ => {}
    }
    Some(finding)
}
