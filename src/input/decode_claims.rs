//! Claims of a plan: figures with the rounding they are stated with.

use crate::diag::Finding;
use crate::input::fields::{Fields, TEXT, clip, hint, list, syntax};
use crate::input::tree::Node;
use crate::model::{Claim, ClaimKind, Stated};
use crate::source::Span;
use crate::units::{Bytes, Rate, Seconds, Share, text};

/// Reads the list of claims.
pub(super) fn claims(node: &Node, findings: &mut Vec<Finding>) -> Vec<Claim> {
    list("claims", node, findings).iter().flat_map(|it| claim(it, findings)).collect()
}

/// One entry; several figures in it are as many claims.
fn claim(node: &Node, findings: &mut Vec<Finding>) -> Vec<Claim> {
    let Some(mut fields) = Fields::of(node, "a claim", findings) else { return Vec::new() };
    let about = fields.spanned("pattern", &TEXT, findings);
    let mut claims = Vec::new();
    for (name, kind) in ClaimKind::ALL {
        let Some(value) = fields.get(name, findings) else { continue };
        let Some(figure) = TEXT.of(name, value, findings) else { continue };
        let Some(stated) = stated(*kind, &figure.value) else {
            let message = format!("`{name}` is `{}`, which is not a figure of its kind", clip(&figure.value));
            findings.push(syntax(figure.span, message).with_help(format!("write it as {}", example(*kind))));
            continue;
        };
        let about = about.as_ref().map(|it| it.value.clone()).filter(|_| *kind == ClaimKind::Shards);
        claims.push(Claim { kind: *kind, about, stated, span: node.span });
    }
    check_pattern(&fields, about.map(|it| it.span), &claims, node.span, findings);
    fields.finish(findings);
    claims
}

/// `pattern` and `shards` belong together.
fn check_pattern(
    fields: &Fields<'_>,
    about: Option<Span>,
    claims: &[Claim],
    span: Span,
    findings: &mut Vec<Finding>,
) {
    let help = "write `{pattern: orders of a customer, shards: 1}`";
    match about {
        None if fields.has("shards") && !fields.has("pattern") => {
            findings.push(syntax(span, "a claim about `shards` names its pattern").with_help(help));
        }
        Some(at) if !fields.has("shards") => {
            findings.push(syntax(at, "only a claim about `shards` is of one pattern").with_help(help));
        }
        None if claims.is_empty() && fields.others().next().is_none() && !fields.has("pattern") => {
            let near = hint("claim", ClaimKind::ALL.iter().map(|(name, _)| *name));
            findings.push(
                syntax(span, "a claim without a figure").with_help(near.unwrap_or_else(|| help.to_owned())),
            );
        }
        _ => {}
    }
}

fn example(kind: ClaimKind) -> &'static str {
    match kind {
        ClaimKind::Shards => "`1`, `<= 4`",
        ClaimKind::CrossShardTransactions | ClaimKind::MovedOnAddNode | ClaimKind::HottestKeyShare => {
            "`20%`, `<= 5%`"
        }
        ClaimKind::SingleShardReads => "`95%`, `>= 95%`",
        ClaimKind::BusiestOverMean => "`1.2`, `<= 1.5`",
        ClaimKind::DataSize => "`8TB`",
        ClaimKind::WriteRate | ClaimKind::NodeLossDbLoad | ClaimKind::TotalRate => "`5k/s`",
        ClaimKind::IdsUniqueFor => "`69y`",
        ClaimKind::MonthlyCost => "`1058`",
    }
}

/// Reads a figure: its value, and the span of values that round to it. A bound
/// (`<= 5%`, `>= 95%`) is open on its other side.
pub(super) fn stated(kind: ClaimKind, written: &str) -> Option<Stated> {
    let text = written.trim();
    for (mark, upper) in [("<=", true), ("≤", true), ("<", true), (">=", false), ("≥", false), (">", false)]
    {
        if let Some(rest) = text.strip_prefix(mark) {
            let (value, _) = figure(kind, rest.trim())?;
            let (low, high) = if upper { (f64::NEG_INFINITY, value) } else { (value, f64::INFINITY) };
            return Some(Stated { value, low, high, text: text.to_owned() });
        }
    }
    let (value, half) = figure(kind, text)?;
    Some(Stated { value, low: value - half, high: value + half, text: text.to_owned() })
}

/// A figure in plain units, and half a unit of its last digit.
fn figure(kind: ClaimKind, text: &str) -> Option<(f64, f64)> {
    let text = text.strip_prefix('~').unwrap_or(text).trim();
    let text =
        if kind == ClaimKind::MonthlyCost { text.strip_prefix('$').unwrap_or(text).trim() } else { text };
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '_' | '.'))).unwrap_or(text.len());
    let digits = text[..end].replace('_', "");
    let number: f64 = digits.parse().ok().filter(|it: &f64| it.is_finite())?;
    let unit = unit(kind, &text[end..])?;
    let decimals = digits.split_once('.').map_or(0, |(_, it)| it.len());
    let half = format!("0.{}5", "0".repeat(decimals.min(300))).parse().unwrap_or(0.0_f64);
    Some((number * unit, half * unit))
}

/// What `1` with this unit behind it is in plain units.
fn unit(kind: ClaimKind, suffix: &str) -> Option<f64> {
    let one = format!("1{suffix}");
    let value = match kind {
        ClaimKind::CrossShardTransactions
        | ClaimKind::SingleShardReads
        | ClaimKind::MovedOnAddNode
        | ClaimKind::HottestKeyShare => text::parse_share(&one).map(Share::get),
        ClaimKind::BusiestOverMean => {
            text::parse_count(suffix.trim().strip_suffix('x').map_or(one.as_str(), |_| "1"))
        }
        ClaimKind::Shards | ClaimKind::MonthlyCost => text::parse_count(&one),
        ClaimKind::DataSize => text::parse_size(&one).map(Bytes::get),
        ClaimKind::IdsUniqueFor => text::parse_duration(&one).map(Seconds::get),
        ClaimKind::WriteRate | ClaimKind::NodeLossDbLoad | ClaimKind::TotalRate => {
            text::parse_rate(&one).map(Rate::get)
        }
    };
    value.filter(|it| it.is_finite())
}
