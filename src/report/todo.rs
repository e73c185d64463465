//! What to do to get from the tables as they are to the plan: columns to add,
//! indexes to make, predicates to write.

use crate::analysis::setting::Setting;
use crate::model::{Choice, ColumnId, Copied, Design, Index, KeyPart, Scope, TableId};
use crate::report::TodoRow;
use crate::search::advice::Advice;
use crate::units::text;

/// The steps, columns first.
pub(super) fn todo_rows(setting: &Setting<'_>, advice: &Advice) -> Vec<TodoRow> {
    let design = setting.design;
    let mut rows = Vec::new();
    for (table, plan) in &advice.plan.tables {
        let Choice::Sharded(key) = &plan.choice else { continue };
        for part in &key.parts {
            match part {
                KeyPart::Copied(copied) => rows.extend(add_column(design, *table, copied)),
                KeyPart::Bucket { column, every } => rows.push(bucket(design, *table, *column, every.get())),
                KeyPart::Column(_) | KeyPart::Expression { .. } => {}
            }
        }
        if let Some(salt) = key.salt {
            rows.push(salt_row(design, *table, salt.ways, salt.from, salt.only_hot));
        }
    }
    rows.extend(advice.plan.indexes.iter().map(|it| create_index(setting, advice, it)));
    rows.extend(advice.rewrites.iter().map(|it| TodoRow {
        what: format!("`{}`: name the key, which the data implies", design.pattern(it.pattern).name),
        statement: Some(it.add.clone()),
    }));
    rows
}

/// Adds a parent's column to a child and fills it along the foreign keys.
fn add_column(design: &Design, table: TableId, copied: &Copied) -> Option<TodoRow> {
    let child = design.table(table);
    let source = design.table(copied.source);
    let column = source.columns.get(copied.column.0 as usize)?;
    let ty = column.ty.as_ref().map_or_else(String::new, |it| format!(" {}", it.text));
    let mut conditions = Vec::new();
    let mut from = Vec::new();
    let (mut at, mut alias) = (table, child.name.clone());
    for (step, idx) in copied.path.iter().enumerate() {
        let key = design.table(at).foreign_keys.get(*idx)?;
        let up = format!("p{}", step + 1);
        from.push(format!("{} {up}", design.table(key.parent).name));
        for (here, there) in key.columns.iter().zip(&key.parent_columns) {
            let (here, there) =
                (&design.table(at).column(*here).name, &design.table(key.parent).column(*there).name);
            conditions.push(format!("{alias}.{here} = {up}.{there}"));
        }
        (at, alias) = (key.parent, up);
    }
    let (name, t) = (&copied.name, &child.name);
    let rows = child.rows.map_or_else(|| "all".to_owned(), |it| text::count(it.get()));
    Some(TodoRow {
        what: format!(
            "`{t}` needs `{name}`: add it, fill {rows} rows from `{}`, write it with every insert",
            source.name
        ),
        statement: Some(format!(
            "ALTER TABLE {t} ADD COLUMN {name}{ty};\nUPDATE {t} SET {name} = {alias}.{} FROM {} WHERE {};",
            column.name,
            from.join(", "),
            conditions.join(" AND "),
        )),
    })
}

fn bucket(design: &Design, table: TableId, column: ColumnId, every: f64) -> TodoRow {
    let table = design.table(table);
    let (name, every) = (&table.column(column).name, text::duration(every));
    TodoRow {
        what: format!("`{}`: store the {every} stretch of `{name}` as a part of the key", table.name),
        statement: None,
    }
}

fn salt_row(design: &Design, table: TableId, ways: u32, from: Option<ColumnId>, only_hot: bool) -> TodoRow {
    let table = design.table(table);
    let of = if only_hot { "hot key values" } else { "every key value" };
    let by = from.map_or_else(|| "at random".to_owned(), |it| format!("by `{}`", table.column(it).name));
    TodoRow { what: format!("`{}`: spread {of} over {ways} salts, {by}", table.name), statement: None }
}

fn create_index(setting: &Setting<'_>, advice: &Advice, index: &Index) -> TodoRow {
    let table = setting.design.table(index.table);
    let kind = match index.scope {
        Scope::Global => setting.engine.index.global.unwrap_or("global index"),
        Scope::Local => "local index",
    };
    let unique = if index.unique { "UNIQUE " } else { "" };
    let columns: Vec<ColumnId> = index.key.iter().chain(&index.sort).copied().collect();
    let figures =
        advice.indexes.iter().find(|it| (&it.index.name, it.index.table) == (&index.name, index.table));
    let worth = figures.map_or_else(String::new, |it| {
        format!(": saves {} shard requests, costs {}", text::rate(it.saves), text::rate(it.costs))
    });
    TodoRow {
        what: format!("{kind} on `{}` ({}){worth}", table.name, table.names(&columns)),
        statement: Some(format!(
            "CREATE {unique}INDEX {} ON {} ({});",
            index.name,
            table.name,
            table.names(&columns)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::shop;

    #[test]
    fn a_missing_column_is_added_and_filled_along_the_foreign_key() {
        let copied =
            Copied { name: "customer_id".to_owned(), path: vec![0], source: TableId(1), column: ColumnId(1) };
        let row = add_column(&shop(), TableId(2), &copied).unwrap();
        assert_eq!(
            row.statement.as_deref(),
            Some(
                "ALTER TABLE order_items ADD COLUMN customer_id bigint;\n\
                 UPDATE order_items SET customer_id = p1.customer_id FROM orders p1 \
                 WHERE order_items.order_id = p1.order_id;"
            )
        );
        assert!(row.what.contains("600M rows"), "{}", row.what);
    }

    #[test]
    fn a_column_of_a_grandparent_is_reached_through_the_parent() {
        let copied =
            Copied { name: "email".to_owned(), path: vec![0, 0], source: TableId(0), column: ColumnId(1) };
        let statement = add_column(&shop(), TableId(2), &copied).unwrap().statement.unwrap();
        assert!(
            statement.ends_with(
                "SET email = p2.email FROM orders p1, customers p2 \
                 WHERE order_items.order_id = p1.order_id AND p1.customer_id = p2.customer_id;"
            ),
            "{statement}"
        );
    }
}
