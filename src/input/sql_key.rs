//! Lists of columns in keys and indexes, with what they say of order and hashing.

use crate::input::sql_cursor::Cursor;
use crate::input::sql_lex::LexKind;
use crate::source::Spanned;

/// A name with its direction, where one is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyName {
    /// The column.
    pub(super) name: Spanned<String>,
    /// ASC (false) or DESC (true).
    pub(super) desc: Option<bool>,
}

/// The buckets of USING HASH, if their number is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Buckets(pub(super) Option<u32>);

/// The columns of a primary key, with what they say of placement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KeySpec {
    /// Columns in parentheses of their own, or marked HASH.
    pub(super) partition: Vec<Spanned<String>>,
    /// The others.
    pub(super) rest: Vec<KeyName>,
    /// USING HASH.
    pub(super) using_hash: Option<Buckets>,
}

impl KeySpec {
    /// All columns in order.
    pub(super) fn columns(&self) -> Vec<Spanned<String>> {
        self.partition.iter().chain(self.rest.iter().map(|it| &it.name)).cloned().collect()
    }
}

/// Names of a list; prefixes, directions and operator classes are left out.
pub(super) fn plain_names(list: Cursor<'_>) -> Vec<Spanned<String>> {
    key_names(list).into_iter().map(|it| it.name).collect()
}

/// Names of a list with their directions.
pub(super) fn key_names(list: Cursor<'_>) -> Vec<KeyName> {
    let key_name = |mut it: Cursor<'_>| {
        let name = it.name()?;
        // `lower(email)` is an expression, `email(10)` a prefix.
        let length = it.group().is_none_or(|it| it.rest().iter().all(|it| it.kind == LexKind::Number));
        length.then(|| KeyName { name, desc: direction(&mut it) })
    };
    list.elements().into_iter().filter_map(key_name).collect()
}

fn direction(it: &mut Cursor<'_>) -> Option<bool> {
    let desc = it.rest().iter().find(|piece| piece.is(it.text, "asc") || piece.is(it.text, "desc"))?;
    Some(desc.is(it.text, "desc"))
}

/// The list of a primary key, and what stands behind it.
pub(super) fn key_spec(list: Cursor<'_>, behind: &mut Cursor<'_>) -> KeySpec {
    let mut spec = KeySpec::default();
    for mut element in list.elements() {
        if let Some(group) = element.group() {
            spec.partition.extend(plain_names(group));
            continue;
        }
        let hashed = element.rest().iter().any(|it| it.is(element.text, "hash"));
        match key_names(element).into_iter().next() {
            Some(it) if hashed => spec.partition.push(it.name),
            Some(it) => spec.rest.push(it),
            None => {}
        }
    }
    spec.using_hash = using_hash(behind);
    spec
}

/// `USING HASH [WITH (bucket_count = 8)]`
pub(super) fn using_hash(it: &mut Cursor<'_>) -> Option<Buckets> {
    if !it.eat("using hash") {
        return None;
    }
    let mut ahead = *it;
    let mut inside =
        if ahead.eat("with") { ahead.group().unwrap_or(ahead) } else { return Some(Buckets(None)) };
    if !inside.find("bucket_count") {
        return Some(Buckets(None));
    }
    let _ = inside.eat_mark("=");
    *it = ahead;
    Some(Buckets(inside.number()))
}
