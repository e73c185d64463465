//! How long identifiers last, and what the loss of a cache node does.

use crate::model::{CacheSpec, Design, IdKind};
use crate::report::build::Judged;
use crate::report::claims::Figure;
use crate::units::{Bytes, Share, text};

/// Seconds from the epoch until the first identifier scheme runs out of time bits.
///
/// # Model
///
/// `2^bits · tick`; in a signed 64-bit number whose 64 bits are all used, the
/// top bit of the time is the sign, which halves it.
pub(super) fn ids_unique_for(design: &Design) -> Figure {
    let schemes = design.ids.iter().filter_map(|scheme| {
        let IdKind::Snowflake { time_bits, worker_bits, sequence_bits, shard_bits, tick, signed, .. } =
            &scheme.kind
        else {
            return None;
        };
        let all = time_bits + worker_bits + sequence_bits + shard_bits;
        let sign = u32::from(*signed == Some(true) && all == 64);
        let bits = time_bits.saturating_sub(sign);
        let table = design.tables.get(scheme.table.0 as usize)?;
        let column = table.columns.get(scheme.column.0 as usize)?;
        let lost = if sign == 1 { ", the sign bit not counted" } else { "" };
        let tick_text = text::duration(tick.get());
        let why = format!("{}.{}: 2^{bits} ticks of {tick_text}{lost}", table.name, column.name);
        Some((libm::exp2(f64::from(bits)) * tick.get(), why))
    });
    schemes
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .ok_or_else(|| "no identifiers with time bits are described under `ids`".to_owned())
}

/// Reads a second that reach the database after one of the cache's nodes is lost.
///
/// # Model
///
/// `peak · (1 − h) · (1 + h/(N(1 − h)))`, which is `peak · ((1 − h) + h/N)`: the
/// lost node's hits all miss. N is the plan's number of shards, else what
/// memory and throughput demand.
pub(super) fn node_loss(judged: &Judged<'_>) -> Figure {
    let Some(cache) = &judged.setting.design.cache else { return Err("no `cache` is described".to_owned()) };
    let (Some(peak), Some(hit)) = (cache.peak, cache.hit_ratio) else {
        return Err("the cache's `peak` or `hit_ratio` is not stated".to_owned());
    };
    let stated = judged.plan.shards.or(judged.setting.design.target.shards).map(f64::from);
    let Some(nodes) = stated.or_else(|| nodes_needed(cache)) else {
        return Err("neither the number of shards nor the cache's memory is stated".to_owned());
    };
    let (nodes, hit) = (nodes.max(1.0), hit.get());
    let load = peak.get() * ((1.0 - hit) + hit / nodes);
    let share = text::share(hit);
    Ok((
        load,
        format!(
            "{} at the peak, {share} of it hits, on {nodes} nodes of which one is lost",
            text::rate(peak.get())
        ),
    ))
}

/// Nodes that hold one copy of all items and serve the peak.
fn nodes_needed(cache: &CacheSpec) -> Option<f64> {
    let item = cache.key?.get() + cache.value?.get() + cache.overhead.map_or(0.0, Bytes::get);
    let usable = cache.node_memory?.get() * cache.usable.map_or(1.0, Share::get);
    let memory = cache.items? as f64 * item / usable;
    let throughput = match (cache.peak, cache.node_reads) {
        (Some(peak), Some(reads)) => peak.get() / reads.get(),
        _ => 0.0,
    };
    let nodes = libm::ceil(memory).max(libm::ceil(throughput));
    nodes.is_finite().then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ColumnId, IdScheme, TableId};
    use crate::report::testing::{judging, plan, shop};
    use crate::source::Span;
    use crate::units::{DAY, Rate, Seconds, YEAR};

    fn snowflake(time_bits: u32, signed: Option<bool>) -> Design {
        let mut design = shop();
        let kind = IdKind::Snowflake {
            epoch_days: 19_723,
            time_bits,
            worker_bits: 10,
            sequence_bits: 12,
            shard_bits: 0,
            tick: Seconds::new(0.001).unwrap(),
            workers: None,
            workers_from: None,
            signed,
            life: None,
        };
        design.ids.push(IdScheme {
            table: TableId(1),
            column: ColumnId(0),
            kind,
            rate: None,
            burst: None,
            span: Span::default(),
        });
        design
    }

    #[test]
    fn time_bits_last_as_long_as_their_ticks() {
        // 2^41 ms = 69.68 years of 365.25 days.
        let (seconds, why) = ids_unique_for(&snowflake(41, Some(true))).unwrap();
        assert!((seconds / YEAR - 69.68).abs() < 0.01 && why.contains("2^41"), "{seconds} {why}");
        let days = |design| ids_unique_for(&design).unwrap().0 / DAY;
        // 64 bits in all: the sign bit halves the life of a signed number only.
        let ratio = days(snowflake(42, Some(false))) / days(snowflake(42, Some(true)));
        assert!((ratio - 2.0).abs() < 1e-12, "{ratio}");
        assert!(ids_unique_for(&shop()).is_err());
    }

    #[test]
    fn the_lost_node_s_hits_fall_on_the_database() {
        let mut design = shop();
        design.target.shards = None;
        design.cache = Some(CacheSpec {
            items: Some(200_000_000),
            key: Some(Bytes(40)),
            value: Some(Bytes(900)),
            overhead: Some(Bytes(60)),
            node_memory: Some(Bytes(64_000_000_000)),
            usable: Share::new(0.75),
            peak: Rate::per_second(600_000.0),
            node_reads: Rate::per_second(100_000.0),
            hit_ratio: Share::new(0.95),
            ..CacheSpec::default()
        });
        // 200 GB need 5 nodes of 48 GB, 600k reads need 6: 30,000/s become 125,000/s.
        let plan = plan();
        let (load, _) = judging(&design, &plan, node_loss).unwrap();
        assert!((load - 125_000.0).abs() < 1e-6, "{load}");
        let three = crate::model::Plan { shards: Some(3), ..plan };
        let (load, _) = judging(&design, &three, node_loss).unwrap();
        assert!((load - 220_000.0).abs() < 1e-6, "{load}");
    }
}
