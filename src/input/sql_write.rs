//! INSERT, UPDATE, DELETE and MERGE: what is written where, with which values.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Delete, Expr, FromTable, Insert, Merge, MergeAction, MergeInsertKind,
    ObjectName, OnConflictAction, OnInsert, SelectItem, SetExpr, Statement as Tree, TableObject, Update,
    UpdateTableFromKind,
};

use crate::input::sql_query::{Reach, Reader, Role};
use crate::input::sql_scope::{Output, Outputs, Relation, Rows, Scope, Value};
use crate::input::sql_select::whole_number;
use crate::model::{ColumnId, ColumnRef, InstanceId, Operand, Operation, Predicate, Written};

impl<'a> Reader<'a> {
    /// Reads a statement that writes; its answer is what RETURNING gives.
    pub(super) fn write(&mut self, tree: &'a Tree, scope: &Scope<'_>) -> Outputs {
        match tree {
            Tree::Insert(it) => self.insert(it, scope),
            Tree::Update(it) => self.update(it, scope),
            Tree::Delete(it) => self.delete(it, scope),
            Tree::Merge(it) => self.merge_into(it, scope),
            _ => Outputs::unknown(),
        }
    }

    fn insert(&mut self, insert: &'a Insert, around: &Scope<'_>) -> Outputs {
        let upsert = insert.on.is_some() || insert.replace_into || insert.ignore || insert.or.is_some();
        self.draft.op = Some(if upsert { Operation::Upsert } else { Operation::Insert });
        let mut scope = Scope::inside(None, around.env);
        let target = match &insert.table {
            TableObject::TableName(name) => {
                let alias = insert.table_alias.as_ref().map(|it| &it.alias);
                let target = self.instance(name, alias);
                scope.relations.push(self.relation_of(target, alias.map_or("", |it| it.value.as_str())));
                target
            }
            _ => None,
        };
        self.draft.target = target;
        let columns: Option<Vec<Option<ColumnId>>> = (!insert.columns.is_empty())
            .then(|| insert.columns.iter().map(|it| self.target_column(it, &scope)).collect());
        let rows = self.insert_source(insert, &scope);
        self.assign_rows(target, columns.as_deref(), &rows);
        self.draft.written = Some(match &columns {
            Some(columns) => Written::Columns(columns.iter().flatten().copied().collect()),
            None if insert.assignments.is_empty() => Written::All,
            None => Written::Columns(Vec::new()),
        });
        self.assignments(&insert.assignments, &scope, true);
        match &insert.on {
            Some(OnInsert::OnConflict(conflict)) => {
                if let OnConflictAction::DoUpdate(update) = &conflict.action {
                    self.conflict_assignments(&update.assignments, &scope);
                }
            }
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => self.conflict_assignments(assignments, &scope),
            _ => {}
        }
        self.returned(insert.returning.as_deref(), &scope)
    }

    /// The relation of a written table, so that its columns can be named.
    fn relation_of(&self, target: Option<InstanceId>, alias: &str) -> Relation {
        match target {
            Some(id) if alias.is_empty() => {
                Relation { name: self.table_of(id).name.clone(), rows: Rows::Table(id) }
            }
            Some(id) => Relation { name: alias.to_owned(), rows: Rows::Table(id) },
            None => Relation { name: alias.to_owned(), rows: Rows::Outputs(Outputs::unknown()) },
        }
    }

    /// The rows of an INSERT, as far as their values are known; of a query, one.
    fn insert_source(&mut self, insert: &'a Insert, scope: &Scope<'_>) -> Vec<Vec<Value>> {
        let Some(source) = &insert.source else { return Vec::new() };
        if let SetExpr::Values(values) = &*source.body {
            self.draft.inserted_rows = u32::try_from(values.rows.len()).ok();
            let rows = values.rows.iter();
            return rows.map(|row| row.content.iter().map(|it| self.value(it, scope)).collect()).collect();
        }
        let outputs = self.query(source, None, scope.env, Reach::ALL, Role::Source);
        vec![outputs.list.into_iter().map(|it| it.value).collect()]
    }

    fn assign_rows(
        &mut self,
        target: Option<InstanceId>,
        columns: Option<&[Option<ColumnId>]>,
        rows: &[Vec<Value>],
    ) {
        let Some(target) = target else { return };
        let all: Vec<Option<ColumnId>> = self.table_of(target).column_ids().map(Some).collect();
        let columns = columns.unwrap_or(&all);
        for (n, column) in columns.iter().enumerate() {
            let Some(column) = column else { continue };
            let mut operands = rows.iter().map(|row| row.get(n).map_or(Operand::Unknown, operand));
            let Some(first) = operands.next() else { continue };
            let same = operands.all(|it| it == first);
            self.draft.assigns.push((*column, if same { first } else { Operand::Unknown }));
        }
    }

    /// A column of the written table.
    fn target_column(&mut self, name: &ObjectName, scope: &Scope<'_>) -> Option<ColumnId> {
        let parts: Vec<_> = name.0.iter().filter_map(|it| it.as_ident()).cloned().collect();
        // `SET t.a = 1` names the table; `SET document.field = 1` a column.
        match self.lookup(scope, &parts) {
            Value::Column(it) if Some(it.instance) == self.draft.target => Some(it.column),
            Value::Rows(columns) => {
                columns.first().filter(|it| Some(it.instance) == self.draft.target).map(|it| it.column)
            }
            _ => None,
        }
    }

    /// SET: columns are written, those with a value that is known are given it.
    fn assignments(&mut self, assignments: &'a [Assignment], scope: &Scope<'_>, inserted: bool) {
        for it in assignments {
            match &it.target {
                AssignmentTarget::ColumnName(name) => {
                    let value = self.value(&it.value, scope);
                    self.assignment(name, &value, scope, inserted);
                }
                AssignmentTarget::Tuple(names) => {
                    let values: Vec<Value> = match &it.value {
                        Expr::Tuple(values) => values.iter().map(|it| self.value(it, scope)).collect(),
                        Expr::Subquery(query) => {
                            let reach = self.inner_reach(Reach::ALL, true);
                            let outputs = self.inner_query(query, scope, reach);
                            outputs.list.into_iter().map(|it| it.value).collect()
                        }
                        other => vec![self.value(other, scope)],
                    };
                    for (n, name) in names.iter().enumerate() {
                        let value = values.get(n).cloned().unwrap_or(Value::Rows(Vec::new()));
                        self.assignment(name, &value, scope, inserted);
                    }
                }
            }
        }
    }

    fn assignment(&mut self, name: &ObjectName, value: &Value, scope: &Scope<'_>, inserted: bool) {
        self.select_columns(value);
        let Some(column) = self.target_column(name, scope) else { return };
        self.add_written(column);
        if inserted
            || !matches!(value, Value::Rows(_) | Value::Either(_) | Value::List { .. } | Value::Missing)
        {
            self.draft.assigns.push((column, operand(value)));
        }
    }

    fn add_written(&mut self, column: ColumnId) {
        if let Some(Written::Columns(columns)) = &mut self.draft.written
            && !columns.contains(&column)
        {
            columns.push(column);
        }
    }

    /// What an INSERT changes where the row is there already. Its values can be
    /// those of the row that was refused, under names of each product's own.
    fn conflict_assignments(&mut self, assignments: &'a [Assignment], scope: &Scope<'_>) {
        for it in assignments {
            let names = match &it.target {
                AssignmentTarget::ColumnName(name) => std::slice::from_ref(name),
                AssignmentTarget::Tuple(names) => names,
            };
            for name in names {
                if let Some(column) = self.target_column(name, scope) {
                    self.add_written(column);
                }
            }
        }
    }

    fn update(&mut self, update: &'a Update, around: &Scope<'_>) -> Outputs {
        self.draft.op = Some(Operation::Update);
        let mut scope = Scope::inside(None, around.env);
        let from = match &update.from {
            Some(UpdateTableFromKind::BeforeSet(items) | UpdateTableFromKind::AfterSet(items)) => {
                items.as_slice()
            }
            None => &[],
        };
        for item in from {
            self.read_from(item, &mut scope, Reach::ALL, Role::Source);
        }
        // `UPDATE o SET … FROM orders o` names the target by its alias.
        let named = table_name(&update.table.relation).filter(|_| update.table.joins.is_empty());
        let aliased = named.and_then(|it| instance_named(&scope, it));
        if aliased.is_none() {
            let mut own = Scope::inside(None, around.env);
            let first = self.draft.instances.len();
            self.read_from(&update.table, &mut own, Reach::ALL, Role::Source);
            own.relations.extend(std::mem::take(&mut scope.relations));
            own.merged.extend(std::mem::take(&mut scope.merged));
            scope = own;
            self.draft.target = Self::assigned_instance(&update.assignments, &scope, first);
        } else {
            self.draft.target = aliased;
        }
        self.draft.written = Some(Written::Columns(Vec::new()));
        self.assignments(&update.assignments, &scope, false);
        if let Some(condition) = &update.selection {
            self.conditions(condition, &scope, Reach::ALL);
        }
        self.order_by(&update.order_by, &scope);
        self.draft.limit = update.limit.as_ref().and_then(whole_number);
        self.returned(update.returning.as_deref(), &scope)
    }

    /// The instance whose columns are set: the first, unless a qualifier says otherwise.
    fn assigned_instance(assignments: &[Assignment], scope: &Scope<'_>, first: usize) -> Option<InstanceId> {
        let qualified = assignments.iter().find_map(|it| match &it.target {
            AssignmentTarget::ColumnName(name) if 1 < name.0.len() => {
                let qualifier = name.0[name.0.len() - 2].as_ident()?;
                instance_named(scope, &qualifier.value)
            }
            _ => None,
        });
        let first = scope.relations.first().and_then(|it| match it.rows {
            Rows::Table(id) if first <= id.0 as usize => Some(id),
            _ => None,
        });
        qualified.or(first)
    }

    fn delete(&mut self, delete: &'a Delete, around: &Scope<'_>) -> Outputs {
        self.draft.op = Some(Operation::Delete);
        self.draft.written = Some(Written::All);
        let mut scope = Scope::inside(None, around.env);
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
        for item in delete.using.iter().flatten() {
            self.read_from(item, &mut scope, Reach::ALL, Role::Source);
        }
        let mut target = None;
        for item in from {
            // MySQL's USING lists the target once more.
            let again = table_name(&item.relation).and_then(|it| instance_named(&scope, it));
            if again.is_none() || delete.using.is_none() {
                let n_relations = scope.relations.len();
                self.read_from(item, &mut scope, Reach::ALL, Role::Source);
                let own = scope.relations.get(n_relations).and_then(|it| match it.rows {
                    Rows::Table(id) => Some(id),
                    Rows::Outputs(_) => None,
                });
                target = target.or(own);
            } else {
                target = target.or(again);
            }
        }
        let named = delete.tables.first().and_then(|it| it.0.last()?.as_ident());
        self.draft.target = match named {
            Some(name) => instance_named(&scope, &name.value),
            None => target,
        };
        if let Some(condition) = &delete.selection {
            self.conditions(condition, &scope, Reach::ALL);
        }
        self.order_by(&delete.order_by, &scope);
        self.draft.limit = delete.limit.as_ref().and_then(whole_number);
        self.returned(delete.returning.as_deref(), &scope)
    }

    fn merge_into(&mut self, merge: &'a Merge, around: &Scope<'_>) -> Outputs {
        let mut scope = Scope::inside(None, around.env);
        self.factor(&merge.table, &mut scope, Reach::ALL, Role::Source, false);
        self.draft.target = scope.relations.first().and_then(|it| match it.rows {
            Rows::Table(id) => Some(id),
            Rows::Outputs(_) => None,
        });
        self.factor(&merge.source, &mut scope, Reach::ALL, Role::Source, false);
        self.conditions(&merge.on, &scope, Reach::ALL);
        let actions = || merge.clauses.iter().map(|it| &it.action);
        let inserts = actions().any(|it| matches!(it, MergeAction::Insert(_)));
        let deletes = actions().all(|it| matches!(it, MergeAction::Delete { .. }));
        self.draft.op = Some(match (inserts, deletes) {
            (true, _) => Operation::Upsert,
            (false, true) => Operation::Delete,
            (false, false) => Operation::Update,
        });
        self.draft.written = Some(if deletes { Written::All } else { Written::Columns(Vec::new()) });
        for action in actions() {
            match action {
                MergeAction::Insert(insert) => {
                    let columns: Vec<Option<ColumnId>> =
                        insert.columns.iter().map(|it| self.target_column(it, &scope)).collect();
                    columns.iter().flatten().for_each(|it| self.add_written(*it));
                    if let MergeInsertKind::Values(values) = &insert.kind {
                        let rows: Vec<Vec<Value>> = values
                            .rows
                            .iter()
                            .map(|row| row.content.iter().map(|it| self.value(it, &scope)).collect())
                            .collect();
                        let columns = (!columns.is_empty()).then_some(columns.as_slice());
                        self.assign_rows(self.draft.target, columns, &rows);
                    }
                    if insert.columns.is_empty() {
                        self.draft.written = Some(Written::All);
                    }
                }
                MergeAction::Update(update) => {
                    if let sqlparser::ast::MergeUpdateKind::Set(assignments) = &update.kind {
                        self.conflict_assignments(assignments, &scope);
                    }
                }
                MergeAction::Delete { .. } | MergeAction::DoNothing { .. } => {}
            }
        }
        Outputs::default()
    }

    /// What RETURNING gives to the query around: columns whose value the
    /// statement itself states. Of the others nothing is known there, since they
    /// belong to another statement.
    fn returned(&mut self, items: Option<&[SelectItem]>, scope: &Scope<'_>) -> Outputs {
        let mut outputs = Outputs { list: Vec::new(), open: true };
        for item in items.unwrap_or_default() {
            let (expr, name) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
                _ => continue,
            };
            let parts = match expr {
                Expr::Identifier(name) => std::slice::from_ref(name),
                Expr::CompoundIdentifier(parts) => parts.as_slice(),
                _ => continue,
            };
            let value = match self.lookup(scope, parts) {
                Value::Column(column) => self.stated(column).map_or(Value::Rows(Vec::new()), Value::Known),
                _ => Value::Rows(Vec::new()),
            };
            let name = name.or_else(|| parts.last().map(|it| it.value.clone())).unwrap_or_default();
            outputs.list.push(Output { name, value });
        }
        outputs
    }

    /// The value that the statement gives to a column, or demands of it.
    fn stated(&self, column: ColumnRef) -> Option<Operand> {
        let constant =
            |it: &Operand| matches!(it, Operand::Param(_) | Operand::Constant(_)).then(|| it.clone());
        let demanded = self.draft.facts.iter().find_map(|it| match &it.predicate {
            Predicate::Equal { column: c, to, .. } if *c == column => constant(to),
            _ => None,
        });
        let given = self.draft.assigns.iter().find(|(it, _)| *it == column.column);
        demanded.or_else(|| {
            given.filter(|_| Some(column.instance) == self.draft.target).and_then(|(_, it)| constant(it))
        })
    }
}

/// The table of an alias, or of a name without alias.
fn instance_named(scope: &Scope<'_>, name: &str) -> Option<InstanceId> {
    let relation = scope.relations.iter().find(|it| it.name.eq_ignore_ascii_case(name));
    match relation?.rows {
        Rows::Table(id) => Some(id),
        Rows::Outputs(_) => None,
    }
}

fn table_name(factor: &sqlparser::ast::TableFactor) -> Option<&str> {
    match factor {
        sqlparser::ast::TableFactor::Table { name, alias: None, .. } => {
            name.0.last().and_then(|it| it.as_ident()).map(|it| it.value.as_str())
        }
        _ => None,
    }
}

/// A value as it is given to a column.
fn operand(value: &Value) -> Operand {
    match value {
        Value::Column(it) => Operand::Column(*it),
        Value::Known(it) => it.clone(),
        Value::Null => Operand::Constant("NULL".to_owned()),
        Value::List { .. } | Value::Either(_) | Value::Rows(_) | Value::Missing => Operand::Unknown,
    }
}
