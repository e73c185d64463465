//! The `cache:` section.

use crate::diag::Finding;
use crate::input::fields::{COUNT, DURATION, Fields, NUMBER, RATE, SHARE, SIZE, TEXT, list};
use crate::input::tree::{Entry, Node};
use crate::model::{CacheSpec, CacheTier, HotKey};

/// Reads the section.
pub(super) fn cache(entry: &Entry, findings: &mut Vec<Finding>) -> Option<CacheSpec> {
    let mut fields = Fields::of(&entry.value, "a cache", findings)?;
    let spec = CacheSpec {
        items: fields.value("items", &COUNT, findings),
        key: fields.value("key", &SIZE, findings),
        value: fields.value("value", &SIZE, findings),
        overhead: fields.value("overhead", &SIZE, findings),
        copies: fields.value("copies", &NUMBER, findings),
        node_memory: fields.value("node_memory", &SIZE, findings),
        usable: fields.value("usable", &SHARE, findings),
        peak: fields.value("peak", &RATE, findings),
        node_reads: fields.value("node_reads", &RATE, findings),
        hit_ratio: fields.value("hit_ratio", &SHARE, findings),
        database_limit: fields.value("database_limit", &RATE, findings),
        tiers: fields.get("tiers", findings).map(|it| tiers(it, findings)).unwrap_or_default(),
        staleness_budget: fields.value("staleness_budget", &DURATION, findings),
        hot_key: fields.get("hot_key", findings).and_then(|it| hot_key(it, findings)),
        span: entry.key.span,
    };
    fields.finish(findings);
    Some(spec)
}

fn tiers(node: &Node, findings: &mut Vec<Finding>) -> Vec<CacheTier> {
    list("tiers", node, findings).iter().filter_map(|it| tier(it, findings)).collect()
}

fn tier(node: &Node, findings: &mut Vec<Finding>) -> Option<CacheTier> {
    let mut fields = Fields::of(node, "a tier", findings)?;
    let name = fields.value("name", &TEXT, findings);
    fields.missing("name", "give it a name: `{name: L1, ttl: 2s}`", findings);
    let ttl = fields.value("ttl", &DURATION, findings);
    fields.finish(findings);
    Some(CacheTier { name: name?, ttl })
}

fn hot_key(node: &Node, findings: &mut Vec<Finding>) -> Option<HotKey> {
    let mut fields = Fields::of(node, "a hot key", findings)?;
    let share = fields.value("share", &SHARE, findings);
    fields.missing("share", "write its share of the requests: `{share: 30%}`", findings);
    let copies = fields.value("copies", &NUMBER, findings);
    fields.finish(findings);
    Some(HotKey { share: share?, copies })
}
