//! The other sections of a design that is written.

use crate::input::decode_ids::WORKERS_FROM;
use crate::input::write::word_of;
use crate::input::write_values::{
    Map, count, date, duration, list, names, number, rate, scalar, share, size,
};
use crate::model::{
    CacheSpec, Costs, Design, IdKind, IdScheme, Ignore, Layout, LayoutEntity, LayoutIndex, LayoutServe,
    LintSettings, TargetSpec,
};

/// The target.
pub(super) fn target(spec: &TargetSpec) -> Map {
    let mut map = Map::default();
    map.put_some("engine", spec.engine.as_ref(), |(it, _)| scalar(it));
    map.put_some("version", spec.version.as_ref(), |it| scalar(it));
    map.put_some("shards", spec.shards, |it| it.to_string());
    map.put_some("nodes", spec.nodes, |it| it.to_string());
    let mut node = Map::default();
    node.put_some("storage", spec.node.storage, size);
    node.put_some("reads", spec.node.reads, rate);
    node.put_some("writes", spec.node.writes, rate);
    if !node.is_empty() {
        map.put("node", node.flow());
    }
    map.put_some("copies", spec.copies, |it| it.to_string());
    map.put_some("provisioned", spec.provisioned, rate);
    map
}

/// The constants of the cost model that are not the usual ones.
pub(super) fn costs(costs: &Costs) -> Option<Map> {
    let usual = Costs::default();
    let mut map = Map::default();
    for (key, value, usual) in [
        ("row_read", costs.row_read, usual.row_read),
        ("row_written", costs.row_written, usual.row_written),
        ("row_moved", costs.row_moved, usual.row_moved),
        ("commit", costs.commit, usual.commit),
    ] {
        if value.to_bits() != usual.to_bits() {
            map.put(key, number(value));
        }
    }
    (!map.is_empty()).then_some(map)
}

/// One layout as a mapping, several as a list.
pub(super) fn layouts(layouts: &[Layout]) -> Option<String> {
    match layouts {
        [] => None,
        [one] => Some(format!("\n{}", layout(one, 2).block(2).trim_end_matches('\n'))),
        several => {
            let item = |it: &Layout| layout(it, 4).block(4).trim().to_owned();
            Some(format!("\n  - {}", several.iter().map(item).collect::<Vec<_>>().join("\n  - ")))
        }
    }
}

fn layout(layout: &Layout, indent: usize) -> Map {
    let mut map = Map::default();
    map.put("table", scalar(&layout.table));
    map.put_some("ttl", layout.ttl.as_ref(), |it| scalar(it));
    let (mut entities, mut indexes, mut serve) = (Map::default(), Map::default(), Map::default());
    layout.entities.iter().for_each(|it| entities.put(&it.name, entity(it)));
    layout.indexes.iter().for_each(|it| indexes.put(&it.name, index(it)));
    layout.serve.iter().for_each(|it| serve.put(&it.pattern, served(it)));
    for (key, its) in [("entities", entities), ("indexes", indexes), ("serve", serve)] {
        if !its.is_empty() {
            map.put(key, format!("\n{}", its.block(indent + 2).trim_end_matches('\n')));
        }
    }
    map
}

fn entity(entity: &LayoutEntity) -> String {
    let mut map = Map::default();
    for (name, template, _) in &entity.attributes {
        map.put(name, scalar(template));
    }
    if let Some((other, attribute)) = &entity.embed_in {
        map.put("embed_in", scalar(other));
        map.put_some("as", attribute.as_ref(), |it| scalar(it));
    }
    map.flow()
}

fn one_or_more(items: &[String]) -> String {
    if let [one] = items { scalar(one) } else { names(items) }
}

fn index(index: &LayoutIndex) -> String {
    let mut map = Map::default();
    map.put("pk", one_or_more(&index.pk));
    if !index.sk.is_empty() {
        map.put("sk", one_or_more(&index.sk));
    }
    match index.projection.as_slice() {
        [word] if word == "all" || word == "keys_only" => map.put("projection", word.as_str()),
        columns => map.put("projection", format!("{{include: {}}}", names(columns))),
    }
    map.flow()
}

fn served(serve: &LayoutServe) -> String {
    let mut map = Map::default();
    map.put(&serve.operation, scalar(&serve.source));
    for (key, values) in &serve.options {
        map.put(key, one_or_more(values));
    }
    map.flow()
}

/// How identifiers are made.
pub(super) fn ids(design: &Design) -> Option<String> {
    let mut map = Map::default();
    for scheme in &design.ids {
        let table = design.table(scheme.table);
        map.put(&format!("{}.{}", table.name, table.column(scheme.column).name), id_scheme(scheme).flow());
    }
    (!map.is_empty()).then(|| format!("\n{}", map.block(2).trim_end_matches('\n')))
}

fn id_scheme(scheme: &IdScheme) -> Map {
    let mut map = Map::default();
    match &scheme.kind {
        IdKind::AutoIncrement => map.put("kind", "autoincrement"),
        IdKind::Uuid4 => map.put("kind", "uuid4"),
        IdKind::Uuid7 => map.put("kind", "uuid7"),
        IdKind::Ulid => map.put("kind", "ulid"),
        IdKind::Ticket { block, servers } => {
            map.put("kind", "ticket");
            map.put_some("block", *block, count);
            map.put_some("servers", *servers, |it| it.to_string());
        }
        IdKind::Snowflake {
            epoch_days,
            time_bits,
            worker_bits,
            sequence_bits,
            shard_bits,
            tick,
            workers,
            workers_from,
            signed,
            life,
        } => {
            map.put("kind", "snowflake");
            map.put("epoch", date(*epoch_days));
            map.put("time_bits", time_bits.to_string());
            map.put("worker_bits", worker_bits.to_string());
            map.put("sequence_bits", sequence_bits.to_string());
            map.put("shard_bits", shard_bits.to_string());
            map.put("tick", duration(*tick));
            map.put_some("workers", *workers, count);
            map.put_some("workers_from", workers_from.as_ref(), |it| word_of(WORKERS_FROM, it).to_owned());
            map.put_some("signed", *signed, |it| it.to_string());
            map.put_some("life", *life, duration);
        }
    }
    map.put_some("rate", scheme.rate, rate);
    map.put_some("burst", scheme.burst, count);
    map
}

/// A cache.
pub(super) fn cache(spec: &CacheSpec) -> Map {
    let mut map = Map::default();
    map.put_some("items", spec.items, count);
    map.put_some("key", spec.key, size);
    map.put_some("value", spec.value, size);
    map.put_some("overhead", spec.overhead, size);
    map.put_some("copies", spec.copies, |it| it.to_string());
    map.put_some("node_memory", spec.node_memory, size);
    map.put_some("usable", spec.usable, share);
    map.put_some("peak", spec.peak, rate);
    map.put_some("node_reads", spec.node_reads, rate);
    map.put_some("hit_ratio", spec.hit_ratio, share);
    map.put_some("database_limit", spec.database_limit, rate);
    if !spec.tiers.is_empty() {
        let tiers: Vec<String> = spec
            .tiers
            .iter()
            .map(|it| {
                let mut map = Map::default();
                map.put("name", scalar(&it.name));
                map.put_some("ttl", it.ttl, duration);
                map.flow()
            })
            .collect();
        map.put("tiers", list(&tiers));
    }
    map.put_some("staleness_budget", spec.staleness_budget, duration);
    map.put_some("hot_key", spec.hot_key, |it| {
        let mut map = Map::default();
        map.put("share", share(it.share));
        map.put_some("copies", it.copies, |it| it.to_string());
        map.flow()
    });
    map
}

/// Settings of the lint that are no comments.
pub(super) fn lint(settings: &LintSettings) -> Option<String> {
    let mut map = Map::default();
    let ignored: Vec<String> = settings.ignore.iter().filter(|it| it.line.is_none()).map(ignore).collect();
    if !ignored.is_empty() {
        map.put("ignore", format!("\n    - {}", ignored.join("\n    - ")));
    }
    let mut levels = Map::default();
    for (rule, (level, _)) in &settings.levels {
        levels.put(rule, level.clone());
    }
    if !levels.is_empty() {
        map.put("levels", levels.flow());
    }
    (!map.is_empty()).then(|| format!("\n{}", map.block(2).trim_end_matches('\n')))
}

fn ignore(ignore: &Ignore) -> String {
    let mut map = Map::default();
    map.put("rule", scalar(&ignore.rule));
    let subjects = [
        ("table", &ignore.table),
        ("pattern", &ignore.pattern),
        ("index", &ignore.index),
        ("reason", &ignore.reason),
    ];
    for (key, value) in subjects {
        map.put_some(key, value.as_ref(), |it| scalar(it));
    }
    map.flow()
}
