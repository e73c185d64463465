//! Claims of a plan: figures with the rounding they are stated with.

use crate::diag::Finding;
use crate::input::fields::{Fields, TEXT, clip, list, syntax};
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
    check_subject(&fields, about.map(|it| it.span), node.span, findings);
    fields.finish(findings);
    claims
}

/// A claim has a figure, and `pattern` and `shards` belong together.
fn check_subject(fields: &Fields<'_>, about: Option<Span>, span: Span, findings: &mut Vec<Finding>) {
    let help = "write `{pattern: orders of a customer, shards: 1}`";
    let has_figure = ClaimKind::ALL.iter().any(|(name, _)| fields.has(name));
    match about {
        None if fields.has("shards") && !fields.has("pattern") => {
            findings.push(syntax(span, "a claim about `shards` names its pattern").with_help(help));
        }
        Some(at) if !fields.has("shards") => {
            findings.push(syntax(at, "only a claim about `shards` is of one pattern").with_help(help));
        }
        // An unknown key is most likely the figure, and is said itself.
        None if !has_figure && fields.others().next().is_none() && !fields.has("pattern") => {
            findings.push(syntax(span, "a claim without a figure").with_help(help));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tree;
    use crate::source::FileId;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1e-3)
    }

    #[test]
    fn figures_hold_for_what_rounds_to_them() {
        let year = 31_557_600.0; // 365.25 days of 86,400 seconds
        for (kind, text, value, low, high) in [
            (ClaimKind::BusiestOverMean, "1.2", 1.2, 1.15, 1.25),
            (ClaimKind::BusiestOverMean, "3x", 3.0, 2.5, 3.5),
            (ClaimKind::HottestKeyShare, "9%", 0.09, 0.085, 0.095),
            (ClaimKind::HottestKeyShare, "0.12", 0.12, 0.115, 0.125),
            (ClaimKind::CrossShardTransactions, "10.7%", 0.107, 0.1065, 0.1075),
            (ClaimKind::CrossShardTransactions, "0%", 0.0, -0.005, 0.005),
            (ClaimKind::IdsUniqueFor, "69.7y", 69.7 * year, 69.65 * year, 69.75 * year),
            (ClaimKind::DataSize, "8TB", 8e12, 7.5e12, 8.5e12),
            (ClaimKind::DataSize, "1.2 GB", 1.2e9, 1.15e9, 1.25e9),
            (ClaimKind::MonthlyCost, "1058", 1058.0, 1057.5, 1058.5),
            (ClaimKind::MonthlyCost, "$1_058", 1058.0, 1057.5, 1058.5),
            (ClaimKind::TotalRate, "1400/s", 1400.0, 1399.5, 1400.5),
            (ClaimKind::WriteRate, "5k/s", 5000.0, 4500.0, 5500.0),
            (ClaimKind::NodeLossDbLoad, "60k/min", 1000.0, 60_000.0 / 60.0 - 500.0 / 60.0, 60_500.0 / 60.0),
            (ClaimKind::Shards, "1", 1.0, 0.5, 1.5),
        ] {
            let stated = stated(kind, text).unwrap();
            assert!(close(stated.value, value), "{text}: {stated:?}");
            assert!(close(stated.low, low) && close(stated.high, high), "{text}: {stated:?}");
            assert_eq!(stated.text, text);
        }
    }

    #[test]
    fn bounds_are_open_on_one_side() {
        let upper = stated(ClaimKind::MovedOnAddNode, "<= 5%").unwrap();
        assert!(close(upper.high, 0.05));
        assert!(upper.low < -1e300);
        let lower = stated(ClaimKind::SingleShardReads, ">= 95%").unwrap();
        assert!(close(lower.low, 0.95));
        assert!(1e300 < lower.high);
        assert_eq!(lower.text, ">= 95%");
    }

    fn read(text: &str) -> (Vec<Claim>, Vec<String>) {
        let mut findings = Vec::new();
        let tree = tree::read(text, FileId(0), &mut findings).unwrap();
        let found = claims(&tree.root.unwrap(), &mut findings);
        (found, findings.into_iter().map(|it| it.message).collect())
    }

    #[test]
    fn every_kind_of_claim_is_read() {
        let (found, said) = read(
            "\
- {pattern: orders of a customer, shards: 1}
- {cross_shard_transactions: 0%}
- {single_shard_reads: 95%}
- {moved_on_add_node: 20%}
- {busiest_over_mean: 1.2}
- {hottest_key_share: 1%}
- {data_size: 8TB}
- {write_rate: 5k/s}
- {ids_unique_for: 69y}
- {node_loss_db_load: 125k/s}
- {total_rate: 1400/s}
- {monthly_cost: 1058}
",
        );
        assert_eq!(said, Vec::<String>::new());
        let kinds: Vec<ClaimKind> = found.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, ClaimKind::ALL.iter().map(|(_, kind)| *kind).collect::<Vec<_>>());
        assert_eq!(found[0].about.as_deref(), Some("orders of a customer"));
        assert_eq!(found[1].about, None);
    }

    #[test]
    fn claims_without_sense_are_said() {
        for (text, message) in [
            ("- {shards: 1}", "a claim about `shards` names its pattern"),
            ("- {pattern: a, data_size: 8TB}", "only a claim about `shards` is of one pattern"),
            ("- {data_size: 8 potatoes}", "`data_size` is `8 potatoes`, which is not a figure of its kind"),
            ("- {write_rate: 5k}", "`write_rate` is `5k`, which is not a figure of its kind"),
            ("- {}", "a claim without a figure"),
            ("- {data_sise: 8TB}", "`data_sise` is not a key of a claim"),
            ("- 5", "a claim is a single value here; a mapping of keys to values is expected"),
        ] {
            let (_, said) = read(text);
            assert_eq!(said, [message], "{text}");
        }
    }
}
