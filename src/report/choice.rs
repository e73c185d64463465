//! Where a table's rows live, as reports say it.

use crate::units::text;

/// Where a table's rows live.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChoiceRow {
    /// `sharded`, `replicated`, `unsharded`.
    pub kind: &'static str,
    /// Columns of the key.
    pub key: Vec<String>,
    /// How a key value finds its shard.
    pub strategy: Option<&'static str>,
    /// Name of the co-location group, where other tables share it.
    pub group: Option<String>,
    /// The column that has to be added.
    pub add_column: Option<String>,
    /// Over how many each value is spread.
    pub salt: Option<u32>,
    /// Column and width in seconds of a time bucket.
    pub bucket: Option<(String, f64)>,
}

impl ChoiceRow {
    /// The choice as reports print it: `hash(customer_id, sent_at/10d)`; a
    /// column that has to be added has a `+` before it.
    #[must_use]
    pub fn label(&self) -> String {
        match self.strategy {
            Some(strategy) => format!("{strategy}({}){}", self.columns(), self.salts()),
            None => self.kind.to_owned(),
        }
    }

    /// The same in short, where hashing goes without saying: `customer_id`, `range(day)`.
    #[must_use]
    pub fn short_label(&self) -> String {
        if self.strategy == Some("hash") { self.columns() + &self.salts() } else { self.label() }
    }

    fn salts(&self) -> String {
        self.salt.map_or_else(String::new, |it| format!(" ×{it}"))
    }

    fn columns(&self) -> String {
        let added =
            |it: &String| self.add_column.as_ref().is_some_and(|all| all.split(", ").any(|name| name == it));
        let part = |it: &String| match &self.bucket {
            Some((column, every)) if column == it => {
                format!("{it}/{}", text::duration(*every).replace(" days", "d").replace(' ', ""))
            }
            _ if added(it) => format!("+{it}"),
            _ => it.clone(),
        };
        self.key.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_added_columns_buckets_and_salts() {
        let it = ChoiceRow {
            kind: "sharded",
            key: ["tenant_id", "sent_at"].map(str::to_owned).to_vec(),
            strategy: Some("hash"),
            add_column: Some("tenant_id".to_owned()),
            salt: Some(8),
            bucket: Some(("sent_at".to_owned(), 864_000.0)),
            ..ChoiceRow::default()
        };
        assert_eq!(it.label(), "hash(+tenant_id, sent_at/10d) ×8");
        assert_eq!(it.short_label(), "+tenant_id, sent_at/10d ×8");
        let range =
            ChoiceRow { strategy: Some("range"), key: vec!["day".to_owned()], ..ChoiceRow::default() };
        assert_eq!(range.short_label(), "range(day)");
        let copy = ChoiceRow { kind: "replicated", ..ChoiceRow::default() };
        assert_eq!((copy.label(), copy.short_label()), ("replicated".to_owned(), "replicated".to_owned()));
    }
}
