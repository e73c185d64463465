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

#[cfg(test)]
mod tests {
    use crate::input::testing::{clean, said};

    #[test]
    fn a_cache_with_everything_is_read() {
        let design = clean(
            "\
shardwright: 1
cache:
  items: 200M
  key: 40B
  value: 900B
  overhead: 60B
  copies: 2
  node_memory: 64GB
  usable: 75%
  peak: 600k/s
  node_reads: 100k/s
  hit_ratio: 95%
  database_limit: 50k/s
  tiers: [{name: L1, ttl: 2s}, {name: L2, ttl: 60s}, {name: CDN}]
  staleness_budget: 60s
  hot_key: {share: 30%, copies: 4}
",
        );
        let cache = design.cache.unwrap();
        assert_eq!((cache.items, cache.copies), (Some(200_000_000), Some(2)));
        let sizes = [cache.key, cache.value, cache.overhead, cache.node_memory].map(|it| it.unwrap().0);
        assert_eq!(sizes, [40, 900, 60, 64_000_000_000]);
        let rates =
            [cache.peak, cache.node_reads, cache.database_limit].map(|it| it.unwrap().get().round() as u64);
        assert_eq!(rates, [600_000, 100_000, 50_000]);
        let shares = [cache.usable, cache.hit_ratio].map(|it| (it.unwrap().get() * 100.0).round() as u64);
        assert_eq!(shares, [75, 95]);
        let tiers: Vec<(&str, Option<u64>)> =
            cache.tiers.iter().map(|it| (it.name.as_str(), it.ttl.map(|it| it.get() as u64))).collect();
        assert_eq!(tiers, [("L1", Some(2)), ("L2", Some(60)), ("CDN", None)]);
        assert_eq!(cache.staleness_budget.unwrap().get() as u64, 60);
        assert_eq!(cache.hot_key.unwrap().copies, Some(4));
    }

    #[test]
    fn what_a_cache_lacks_is_said() {
        assert_eq!(
            said("shardwright: 1\ncache: {hit_raito: 1%, tiers: [{ttl: 2s}], hot_key: {copies: 2}}\n"),
            [
                "2:9 `hit_raito` `hit_raito` is not a key of a cache (did you mean `hit_ratio`?)",
                "2:32 `{ttl: 2s}` a tier needs the key `name` (give it a name: `{name: L1, ttl: 2s}`)",
                "2:53 `{copies: 2}` a hot key needs the key `share` (write its share of the requests: `{share: 30%}`)",
            ]
        );
    }
}
