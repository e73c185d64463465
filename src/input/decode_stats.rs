//! Distributions as the format writes them.

use crate::diag::{Finding, Level, RATES_DISAGREE};
use crate::input::fields::{COUNT, Fields, SHARE, call, clip, hint, list, syntax};
use crate::input::tree::{Kind, Node};
use crate::model::Distribution;
use crate::source::Span;
use crate::units::{Share, text};

/// How far shares may pass the whole before they contradict each other: what
/// adding a few decimal fractions can be off.
const SLACK: f64 = 1e-9;

/// Reads a distribution; `key` is what it is the value of. Shares of more than
/// the whole are reported and the distribution is left out.
pub(super) fn distribution(key: &str, node: &Node, findings: &mut Vec<Finding>) -> Option<Distribution> {
    if let Some(scalar) = node.scalar() {
        return word(key, &scalar.text, node.span, findings);
    }
    if !matches!(node.kind, Kind::Mapping(_)) {
        findings.push(expected(key, node.describe(), node.span));
        return None;
    }
    let mut fields = Fields::of(node, "a distribution", findings)?;
    if fields.has("histogram") {
        let pairs = fields.get("histogram", findings).map(|it| histogram(it, findings));
        fields.finish(findings);
        return pairs.filter(|it| !it.is_empty()).map(Distribution::Histogram);
    }
    let shares = fields.get("top", findings).map(|it| top(it, findings));
    let rest = fields.get("rest", findings).and_then(|it| rest(it, findings));
    if !fields.has("top") {
        findings.push(expected(key, "a mapping without `top` or `histogram`", node.span));
    }
    fields.entry("histogram");
    fields.finish(findings);
    let shares = shares.filter(|it| !it.is_empty())?;
    let sum: f64 = shares.iter().map(|(_, it)| it.get()).sum();
    if 1.0 + SLACK < sum {
        findings.push(over_the_whole(key, &shares, sum, node.span));
        return None;
    }
    Some(Distribution::Top { shares, rest: Box::new(rest.unwrap_or_default()) })
}

fn over_the_whole(key: &str, shares: &[(Option<String>, Share)], sum: f64, span: Span) -> Finding {
    let listed: Vec<String> = shares.iter().take(8).map(|(_, it)| text::share(it.get())).collect();
    let more = if shares.len() <= 8 { "" } else { " + …" };
    let percent = format!("{:.4}", sum * 100.0);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    let message = format!(
        "the shares under `{key}` add up to {percent}% ({}{more}), more than the whole; they are left out",
        listed.join(" + ")
    );
    Finding::new(RATES_DISAGREE, Level::Warning, span, message).with_help(
        "each is a share of all rows or requests: correct them so that they add up to 100% at the most",
    )
}

fn expected(key: &str, found: &str, span: Span) -> Finding {
    syntax(span, format!("`{key}` is {found}; a distribution is expected")).with_help(
        "write `uniform`, `zipf(1.1)`, `{top: [12%, 4%]}` or `{histogram: [[1, 900k], [1000, 200]]}`",
    )
}

fn word(key: &str, text: &str, span: Span, findings: &mut Vec<Finding>) -> Option<Distribution> {
    if text == "uniform" {
        return Some(Distribution::Uniform);
    }
    match call(text) {
        Some(("zipf", exponent)) => {
            let value = exponent.parse().ok().filter(|it: &f64| it.is_finite() && 0.0 <= *it && *it <= 10.0);
            if value.is_none() {
                let message = format!("`{}` is not an exponent between 0 and 10", clip(exponent));
                findings.push(syntax(span, message).with_help("write `zipf(1.1)`"));
            }
            value.map(Distribution::Zipf)
        }
        other => {
            let typed = other.map_or(text, |(word, _)| word);
            let finding = expected(key, &format!("`{}`", clip(text)), span);
            let near = hint(typed, ["uniform", "zipf", "top", "histogram"]);
            findings.push(match near {
                Some(near) => finding.with_help(near),
                None => finding,
            });
            None
        }
    }
}

fn rest(node: &Node, findings: &mut Vec<Finding>) -> Option<Distribution> {
    if let Some(scalar) = node.scalar() {
        return word("rest", &scalar.text, node.span, findings);
    }
    let message = format!("`rest` is {}; `uniform` or `zipf(0.8)` is expected", node.describe());
    findings.push(syntax(node.span, message));
    None
}

fn top(node: &Node, findings: &mut Vec<Finding>) -> Vec<(Option<String>, Share)> {
    match &node.kind {
        Kind::Mapping(entries) => entries
            .iter()
            .filter_map(|it| {
                let share = SHARE.of(&it.key.value, &it.value, findings)?;
                Some((Some(it.key.value.clone()), share.value))
            })
            .collect(),
        Kind::Scalar(_) | Kind::Sequence(_) => list("top", node, findings)
            .iter()
            .filter_map(|it| SHARE.of("top", it, findings).map(|it| (None, it.value)))
            .collect(),
    }
}

fn histogram(node: &Node, findings: &mut Vec<Finding>) -> Vec<(f64, f64)> {
    let mut pairs = Vec::new();
    for item in list("histogram", node, findings) {
        let (Kind::Sequence(pair), span) = (&item.kind, item.span) else {
            findings.push(pair_expected(item.span));
            continue;
        };
        let [rows, values] = pair.as_slice() else {
            findings.push(pair_expected(span));
            continue;
        };
        let rows = COUNT.of("rows per value", rows, findings);
        let values = COUNT.of("number of values", values, findings);
        if let (Some(rows), Some(values)) = (rows, values) {
            pairs.push((rows.value as f64, values.value as f64));
        }
    }
    pairs
}

fn pair_expected(span: Span) -> Finding {
    syntax(span, "a histogram is a list of pairs `[rows per value, number of such values]`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SYNTAX;
    use crate::input::tree;
    use crate::source::FileId;

    fn read(text: &str) -> (Option<Distribution>, Vec<Finding>) {
        let mut findings = Vec::new();
        let tree = tree::read(text, FileId(0), &mut findings).unwrap();
        let found = distribution("skew", &tree.root.unwrap(), &mut findings);
        (found, findings)
    }

    fn share(value: f64) -> Share {
        Share::new(value).unwrap()
    }

    #[test]
    fn every_distribution_is_read() {
        let uniform = || Box::new(Distribution::Uniform);
        let named = |name: &str, value| (Some(name.to_owned()), share(value));
        for (text, expected) in [
            ("uniform", Distribution::Uniform),
            ("zipf(1.1)", Distribution::Zipf(1.1)),
            (
                "{top: {acme: 12%, globex: 4%}}",
                Distribution::Top {
                    shares: vec![named("acme", 0.12), named("globex", 0.04)],
                    rest: uniform(),
                },
            ),
            (
                "{top: [12%, 0.04], rest: zipf(0.8)}",
                Distribution::Top {
                    shares: vec![(None, share(0.12)), (None, share(0.04))],
                    rest: Box::new(Distribution::Zipf(0.8)),
                },
            ),
            (
                "{histogram: [[1, 900k], [1000, 200]]}",
                Distribution::Histogram(vec![(1.0, 900_000.0), (1000.0, 200.0)]),
            ),
        ] {
            assert_eq!(read(text), (Some(expected), Vec::new()), "{text}");
        }
    }

    #[test]
    fn shares_over_the_whole_are_said_with_their_sum_and_left_out() {
        let (found, findings) = read("{top: {fiction: 55%, children: 45%, science: 35%}}");
        assert_eq!(found, None);
        assert_eq!((findings[0].code, findings[0].level), (RATES_DISAGREE, Level::Warning));
        assert!(findings[0].message.contains("add up to 135% (55% + 45% + 35%)"), "{}", findings[0].message);
        // 0.7 + 0.2 + 0.1 is a little over one in binary; the whole itself is fine.
        assert_eq!(read("{top: [70%, 20%, 10%]}").1, Vec::new());
    }

    #[test]
    fn what_is_no_distribution_is_said() {
        for (text, message) in [
            ("zpif(1.1)", "`skew` is `zpif(1.1)`; a distribution is expected"),
            ("zipf(-1)", "`-1` is not an exponent between 0 and 10"),
            ("zipf(x)", "`x` is not an exponent between 0 and 10"),
            ("[1, 2]", "`skew` is a list; a distribution is expected"),
            ("{tpo: [1%]}", "`skew` is a mapping without `top` or `histogram`; a distribution is expected"),
            ("{top: [150%]}", "`top` is `150%`, which is not a share of a whole"),
            ("{top: [10%], rest: [x]}", "`rest` is a list; `uniform` or `zipf(0.8)` is expected"),
            (
                "{histogram: [[1, 2, 3]]}",
                "a histogram is a list of pairs `[rows per value, number of such values]`",
            ),
            ("{histogram: [5]}", "a histogram is a list of pairs `[rows per value, number of such values]`"),
        ] {
            let (_, findings) = read(text);
            assert_eq!(findings[0].message, message);
            assert_eq!(findings[0].code, SYNTAX);
        }
        assert_eq!(read("zpif(1.1)").1[0].help.as_deref(), Some("did you mean `zipf`?"));
    }
}
