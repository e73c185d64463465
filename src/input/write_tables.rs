//! The `tables:` section of a design that is written.

use crate::input::write::{column_names, word_of};
use crate::input::write_values::{
    Map, count, distribution, duration, list, names, rate, scalar, share, size,
};
use crate::model::{Column, ColumnId, Design, Generated, Table};
use crate::units::Share;

/// The section, below its key.
pub(super) fn tables(design: &Design) -> String {
    let mut map = Map::default();
    for table in &design.tables {
        let its = fields(table, design);
        let text = its.block(4);
        map.put(
            &table.name,
            if its.is_empty() { "{}".to_owned() } else { format!("\n{}", text.trim_end_matches('\n')) },
        );
    }
    format!("\n{}", map.block(2).trim_end_matches('\n'))
}

fn fields(table: &Table, design: &Design) -> Map {
    let mut map = Map::default();
    map.put_some("describes", table.describes.as_ref(), |it| scalar(it));
    map.put_some("rows", table.rows, |it| count(it.0));
    map.put_some("growth", table.growth, rate);
    map.put_some("row_size", table.row_size, size);
    map.put_some("retention", table.retention, duration);
    if table.primary_key_span.is_some() || !table.primary_key.is_empty() {
        map.put("primary_key", names(&column_names(table, &table.primary_key)));
    }
    if !table.unique.is_empty() {
        let sets: Vec<String> = table.unique.iter().map(|(it, _)| names(&column_names(table, it))).collect();
        map.put("unique", list(&sets));
    }
    map.put_some("residency", table.residency, |it| scalar(&table.column(it).name));
    map.put_some("key_pattern", table.key_pattern.as_ref(), |(it, _)| scalar(it));
    if !table.columns.is_empty() {
        let mut columns = Map::default();
        for id in table.column_ids() {
            columns.put(&table.column(id).name, column(id, table, design));
        }
        map.put("columns", format!("\n{}", columns.block(6).trim_end_matches('\n')));
    }
    map
}

fn column(id: ColumnId, table: &Table, design: &Design) -> String {
    let column = table.column(id);
    let mut map = Map::default();
    statistics(column, table.primary_key.contains(&id), &mut map);
    map.put_names("determines", &column_names(table, &column.determines));
    let references: Vec<String> = table
        .foreign_keys
        .iter()
        .flat_map(|key| {
            let parent = design.table(key.parent);
            let mine = key.columns.iter().zip(&key.parent_columns).filter(|(it, _)| **it == id);
            mine.map(|(_, it)| format!("{}.{}", parent.name, parent.column(*it).name))
        })
        .collect();
    match references.as_slice() {
        [] => {}
        [one] => map.put("references", scalar(one)),
        several => map.put("references", names(several)),
    }
    match &column.ty {
        Some(ty) if map.is_empty() => scalar(&ty.text),
        Some(ty) => {
            let mut typed = Map::default();
            typed.put("type", scalar(&ty.text));
            let (typed, rest) = (typed.flow(), map.flow());
            format!("{}, {}", typed.trim_end_matches('}'), rest.trim_start_matches('{'))
        }
        None => map.flow(),
    }
}

fn statistics(column: &Column, is_key: bool, map: &mut Map) {
    map.put_some("generated", column.generated, |it| word_of(Generated::ALL, &it).to_owned());
    let listed = (!column.values.is_empty()).then_some(column.values.len() as u64);
    let implied = if column.constant { Some(1) } else { listed };
    map.put_names("values", &column.values);
    map.put_flag("constant", column.constant);
    map.put_some("distinct", column.distinct.filter(|it| Some(*it) != implied), count);
    map.put_some("distinct_growth", column.distinct_growth, rate);
    map.put_some("skew", column.skew.as_ref(), distribution);
    // NOT NULL has no word of its own: no row without a value.
    let not_null = column.not_null && !is_key;
    map.put_some("nulls", column.nulls.or(not_null.then_some(Share::NONE)), share);
    map.put_flag("monotonic", column.monotonic);
    map.put_some("mutable", column.mutable, |it| it.to_string());
    map.put_some("size", column.size, size);
    if let Some(list) = column.list {
        map.put("items", list.items.map_or_else(|| "unbounded".to_owned(), count));
        map.put("item_size", size(list.item_size));
    }
}
