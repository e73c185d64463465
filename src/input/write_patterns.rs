//! The `patterns:` section of a design that is written.

use crate::input::tree;
use crate::input::write_values::{
    Map, count, distribution, duration, list, names, number, rate, scalar, share, sql, sql_in_flow,
};
use crate::model::{
    AccessPattern, Consistency, Design, Operand, Operation, Param, Predicate, RangeWidth, Statement, Step,
    Written,
};
use crate::source::{FileId, Files, Span};
use crate::units::Share;

/// The section, below its key.
pub(super) fn patterns(design: &Design, files: &Files) -> String {
    design.patterns.iter().map(|it| pattern(it, design, files)).collect()
}

fn pattern(pattern: &AccessPattern, design: &Design, files: &Files) -> String {
    let mut map = Map::default();
    map.put("name", scalar(&pattern.name));
    let lost = body(pattern, design, files, &mut map);
    settings(pattern, &mut map);
    let lines = map.block(4);
    let remark = match lost {
        0 => String::new(),
        n => format!("\n  # {n} statements of the next pattern have no text and are left out"),
    };
    format!("{remark}\n  - {}", lines.trim_start().trim_end_matches('\n'))
}

fn settings(pattern: &AccessPattern, map: &mut Map) {
    let mut statements = pattern.statements();
    if let (Some((_, only)), None) = (statements.next(), statements.next()) {
        map.put_some("rows", only.rows, count);
    }
    map.put("rate", rate(pattern.rate));
    if 1.0 < pattern.peak {
        map.put("peak", format!("{}x", number(pattern.peak)));
    }
    map.put_some("p99", pattern.p99, duration);
    if pattern.consistency == Consistency::Eventual {
        map.put("consistency", "eventual");
    }
    map.put_some("served_by", pattern.served_by.as_ref(), |it| {
        if it.share == Share::ALL { it.what.clone() } else { format!("{}({})", it.what, share(it.share)) }
    });
    map.put_names("keep_order", &pattern.keep_order);
    let (mut popularity, mut params) = (Map::default(), Map::default());
    for param in &pattern.params {
        popularity.put_some(&param.name, param.popularity.as_ref(), distribution);
        params.put_some(&param.name, param.same_as, |(other, how_often)| {
            let mut map = Map::default();
            map.put("same_as", scalar(name_of(other.0, &pattern.params)));
            if how_often != Share::ALL {
                map.put("share", share(how_often));
            }
            map.flow()
        });
    }
    for (key, its) in [("popularity", popularity), ("params", params)] {
        if !its.is_empty() {
            map.put(key, its.flow());
        }
    }
}

fn name_of(id: u32, params: &[Param]) -> &str {
    params.get(id as usize).map_or("", |it| it.name.as_str())
}

/// Puts what a pattern does; the result is the number of statements that have no text.
fn body(pattern: &AccessPattern, design: &Design, files: &Files, map: &mut Map) -> usize {
    if let ([step], []) = (pattern.steps.as_slice(), pattern.unread.as_slice())
        && let ([only], 1) = (step.statements.as_slice(), step.times)
    {
        let text = text_of(only.span, files);
        let named = text.as_ref().is_none_or(|it| it.eq_ignore_ascii_case(&only.instances[0].alias));
        if named && structured(only, &pattern.params, design, map) {
            return 0;
        }
        if let Some(text) = text {
            map.put("sql", sql(&text));
            return 0;
        }
    }
    let mut lost = 0;
    let mut items = Vec::new();
    for it in &pattern.steps {
        let texts = texts(&it.statements, files);
        lost += it.statements.len() - it.statements.len().min(texts.len());
        if !texts.is_empty() {
            items.push(step(it, &texts, &pattern.params));
        }
    }
    let unread: Vec<String> = pattern.unread.iter().filter_map(|it| text_of(it.span, files)).collect();
    items.extend(unread.iter().map(|it| sql(it)));
    if let ([only], [], [_]) = (items.as_slice(), pattern.steps.as_slice(), unread.as_slice()) {
        map.put("sql", only.clone());
    } else {
        map.put("transaction", format!("\n      - {}", items.join("\n      - ")));
    }
    lost
}

fn step(step: &Step, texts: &[String], params: &[Param]) -> String {
    let each: Vec<&str> = step.each.iter().map(|it| name_of(it.0, params)).collect();
    let mut map = Map::default();
    match texts {
        [only] if step.times == 1 && each.is_empty() => return sql(only),
        [only] => map.put("sql", sql_in_flow(only)),
        several => map.put("do", list(&several.iter().map(|it| sql_in_flow(it)).collect::<Vec<_>>())),
    }
    if step.times != 1 {
        map.put("times", step.times.to_string());
    }
    map.put_names("each", &each);
    map.flow()
}

/// The texts of some statements. Those of one text, whose places are all the same, are there once.
fn texts(statements: &[Statement], files: &Files) -> Vec<String> {
    let mut last = None;
    let mut texts = Vec::new();
    for it in statements {
        if last != Some(it.span) {
            texts.extend(text_of(it.span, files));
        }
        last = Some(it.span);
    }
    texts
}

/// The text at a place, with the escapes of its quotes undone.
fn text_of(span: Span, files: &Files) -> Option<String> {
    let text = files.text(span.file);
    let (start, end) = (span.start as usize, span.end as usize);
    let slice = text.get(start..end).filter(|it| !it.trim().is_empty())?;
    let before = text.get(..start).and_then(|it| it.chars().next_back());
    let quote =
        before.filter(|it| (*it == '"' && slice.contains('\\')) || (*it == '\'' && slice.contains("''")));
    let Some(quote) = quote else { return Some(slice.to_owned()) };
    let tree = tree::read(&format!("{quote}{slice}{quote}"), FileId(0), &mut Vec::new())?;
    tree.root?.scalar().map(|it| it.text.clone())
}

/// Puts a statement without SQL; `false` if it says more than that form can.
fn structured(statement: &Statement, params: &[Param], design: &Design, map: &mut Map) -> bool {
    let [main, others @ ..] = statement.instances.as_slice() else { return false };
    let table = design.table(main.table);
    let mut wheres = Map::default();
    for predicate in &statement.predicates {
        let (column, condition) = match predicate {
            Predicate::Equal { to: Operand::Column(_), .. } => continue,
            Predicate::Equal { column, to: Operand::Param(id), .. } => {
                if name_of(id.0, params) != table.column(column.column).name {
                    return false;
                }
                (column, "eq".to_owned())
            }
            Predicate::Equal { column, to: Operand::Constant(it), .. } => {
                (column, format!("{{eq: {}}}", scalar(it)))
            }
            Predicate::In { column, values, count, .. } if values.is_empty() => {
                (column, format!("in({count})"))
            }
            Predicate::Range { column, width: RangeWidth::Unstated, .. } => (column, "range".to_owned()),
            Predicate::Range { column, width: RangeWidth::Duration(it), .. } => {
                (column, format!("range({})", duration(*it)))
            }
            Predicate::Prefix { column, .. } => (column, "prefix".to_owned()),
            Predicate::IsNull { column, .. } => (column, "is_null".to_owned()),
            _ => return false,
        };
        wheres.put(&table.column(column.column).name, condition);
    }
    let word = match statement.op {
        Operation::Read => "read",
        Operation::Insert => "insert",
        Operation::Update => "update",
        Operation::Delete => "delete",
        Operation::Upsert => "upsert",
    };
    map.put(word, scalar(&table.name));
    let with: Vec<&str> = others.iter().map(|it| it.alias.as_str()).collect();
    map.put_names("with", &with);
    if !wheres.is_empty() {
        map.put("where", wheres.flow());
    }
    if let Written::Columns(columns) = &statement.written {
        let set: Vec<&str> = columns.iter().map(|it| table.column(*it).name.as_str()).collect();
        map.put("set", names(&set));
    }
    let order: Vec<String> = statement
        .order_by
        .iter()
        .map(|it| format!("{}{}", table.column(it.column.column).name, if it.desc { " desc" } else { "" }))
        .collect();
    map.put_names("order_by", &order);
    map.put_some("limit", statement.limit, count);
    true
}
