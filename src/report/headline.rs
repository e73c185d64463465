//! A plan in a few sentences.

use crate::report::{PlanRows, TableRow};

/// Names of a list beyond which the rest is counted.
const NAMED: usize = 4;

/// What the plan does with the tables, the largest group first.
pub(super) fn headline(plan: &PlanRows) -> String {
    if plan.tables.is_empty() {
        return "The design describes no tables.".to_owned();
    }
    let of_kind = |kind: &str| plan.tables.iter().filter(|it| it.choice.kind == kind).collect::<Vec<_>>();
    let sharded = of_kind("sharded");
    let mut sentences = Vec::new();
    for (at, (name, tables)) in groups(&sharded).iter().enumerate() {
        let verb = if at == 0 { "Shard by" } else { "By" };
        sentences.push(format!("{verb} {name}: {}, equal values on one shard.", names(tables)));
    }
    let alone: Vec<String> = sharded
        .iter()
        .filter(|it| it.choice.group.is_none())
        .map(|it| format!("{} by {}", it.table, it.choice.key.join(", ")))
        .collect();
    match (alone.as_slice(), sentences.is_empty()) {
        ([], true) => sentences.push("No table is sharded.".to_owned()),
        ([], false) => {}
        (_, true) => sentences.push(format!("Shard {}.", listed(&alone))),
        (_, false) => sentences.push(format!("On their own: {}.", listed(&alone))),
    }
    for (kind, words) in [("replicated", "A copy on every shard"), ("unsharded", "On one shard")] {
        let tables = of_kind(kind);
        if !tables.is_empty() {
            sentences.push(format!("{words}: {}.", names(&tables)));
        }
    }
    sentences.join(" ")
}

/// Groups by name, the largest first.
fn groups<'a>(tables: &[&'a TableRow]) -> Vec<(&'a str, Vec<&'a TableRow>)> {
    let mut groups: Vec<(&str, Vec<&TableRow>)> = Vec::new();
    for table in tables {
        let Some(name) = table.choice.group.as_deref() else { continue };
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(table),
            None => groups.push((name, vec![table])),
        }
    }
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    groups
}

fn names(tables: &[&TableRow]) -> String {
    listed(&tables.iter().map(|it| it.table.clone()).collect::<Vec<_>>())
}

/// `a`, `a and b`, `a, b and c`, `a, b, c, d and 5 more`.
fn listed(names: &[String]) -> String {
    let more;
    let (shown, last) = match names {
        [] => return String::new(),
        [only] => return only.clone(),
        [all @ .., last] if names.len() <= NAMED => (all, last),
        _ => {
            more = format!("{} more", names.len() - NAMED);
            (&names[..NAMED], &more)
        }
    };
    format!("{} and {last}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ChoiceRow;

    fn table(name: &str, kind: &'static str, key: &str, group: Option<&str>) -> TableRow {
        let choice = ChoiceRow {
            kind,
            key: vec![key.to_owned()],
            group: group.map(str::to_owned),
            ..ChoiceRow::default()
        };
        TableRow { table: name.to_owned(), choice, ..TableRow::default() }
    }

    #[test]
    fn the_largest_group_comes_first_and_every_table_is_mentioned() {
        let plan = PlanRows {
            tables: vec![
                table("stock", "sharded", "sku", Some("sku")),
                table("prices", "sharded", "sku", Some("sku")),
                table("users", "sharded", "user_id", Some("user_id")),
                table("orders", "sharded", "user_id", Some("user_id")),
                table("carts", "sharded", "user_id", Some("user_id")),
                table("events", "sharded", "device_id", None),
                table("countries", "replicated", "", None),
            ],
            ..PlanRows::default()
        };
        assert_eq!(
            headline(&plan),
            "Shard by user_id: users, orders and carts, equal values on one shard. \
             By sku: stock and prices, equal values on one shard. \
             On their own: events by device_id. A copy on every shard: countries."
        );
    }

    #[test]
    fn long_lists_are_counted() {
        let names: Vec<String> = "abcdef".chars().map(String::from).collect();
        assert_eq!(listed(&names), "a, b, c, d and 2 more");
        assert_eq!(listed(&names[..4]), "a, b, c and d");
    }

    #[test]
    fn a_plan_without_a_key_says_so() {
        let plan = PlanRows { tables: vec![table("t", "unsharded", "", None)], ..PlanRows::default() };
        assert_eq!(headline(&plan), "No table is sharded. On one shard: t.");
    }
}
