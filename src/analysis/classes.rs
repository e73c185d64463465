//! Equality classes of a pattern: which columns, parameters and constants have
//! one value whenever the pattern runs.
//!
//! # Model
//!
//! Union–find over columns of all instances of all statements, parameters and
//! constants. A parameter that differs from run to run of a repeated step is a
//! value of that step alone. With [`Reading::Implied`] the equalities that
//! foreign keys make true of the data are added (`oi.order_id = o.order_id`
//! makes the columns copied down along that key equal too).

use std::collections::BTreeMap;

use crate::model::{
    AccessPattern, ColumnId, ColumnRef, Copied, Design, InstanceId, Operand, Operation, ParamId, Predicate,
    RangeWidth, TableId,
};

/// Which equalities count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// Those that the statements state.
    Written,
    /// Also those that foreign keys imply.
    Implied,
}

/// A class of [`Classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// What is known of the one value of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Class {
    /// Parameters, each with the step whose runs it differs in.
    pub params: Vec<(ParamId, Option<u32>)>,
    /// Constants, as written.
    pub constants: Vec<String>,
    /// A value that is known when the statement is sent, but neither.
    pub computed: bool,
    /// One of so many values.
    pub list: Option<f64>,
    /// Within a range.
    pub range: Option<RangeWidth>,
    /// IS NULL.
    pub null: bool,
    /// Columns in it.
    pub columns: Vec<(u32, ColumnRef)>,
}

impl Class {
    /// Whether the value is known when the statement is sent: a parameter, a
    /// constant, something computed, or NULL asked for.
    #[must_use]
    pub fn bound(&self) -> bool {
        !self.params.is_empty() || !self.constants.is_empty() || self.computed || self.null
    }

    /// Whether the value is known, or one of a known list.
    #[must_use]
    pub fn bound_or_listed(&self) -> bool {
        self.bound() || self.list.is_some()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Column(u32, ColumnRef),
    Copied(u32, InstanceId, usize),
    Param(ParamId, Option<u32>),
    Constant(String),
    Computed(u32),
}

/// The equality classes of one pattern.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    ids: BTreeMap<Node, usize>,
    parent: Vec<usize>,
    info: BTreeMap<usize, Class>,
    follows: Vec<(usize, usize)>,
    /// Deciding class of each column, by statement, instance and column.
    columns: Vec<Vec<Vec<Option<ClassId>>>>,
    expressions: Vec<(u32, InstanceId, String, usize)>,
}

impl Classes {
    /// The classes of a pattern. `copied` lists, for each table, the columns
    /// that some key copies down from an ancestor.
    #[must_use]
    pub fn of(design: &Design, pattern: &AccessPattern, copied: &[Vec<Copied>], reading: Reading) -> Self {
        let mut it = Self::default();
        let mut facts = Facts::default();
        let mut idx = 0;
        for (step_idx, step) in pattern.steps.iter().enumerate() {
            for statement in &step.statements {
                let param = |id: ParamId| {
                    let own = 1 < step.times && step.each.contains(&id);
                    Node::Param(id, own.then_some(step_idx as u32))
                };
                for predicate in &statement.predicates {
                    it.predicate(idx, predicate, &param, &mut facts);
                }
                if let (Some(target), Operation::Insert | Operation::Upsert) =
                    (statement.target, statement.op)
                {
                    for (column, value) in &statement.assigns {
                        let column = ColumnRef { instance: target, column: *column };
                        it.equal(idx, column, value, &param);
                    }
                }
                for instance in statement.instance_ids() {
                    let table = statement.instance(instance).table;
                    for c in 0..copied[table.0 as usize].len() {
                        it.node(Node::Copied(idx, instance, c));
                    }
                }
                idx += 1;
            }
        }
        it.imply(design, pattern, copied, reading);
        it.settle(facts);
        it.columns = it.table_of_columns(design, pattern);
        it
    }

    /// The class of every column, so that the many questions for one are a look-up.
    fn table_of_columns(&self, design: &Design, pattern: &AccessPattern) -> Vec<Vec<Vec<Option<ClassId>>>> {
        let class = |stmt: usize, instance: InstanceId, column: ColumnId| {
            let node = Node::Column(stmt as u32, ColumnRef { instance, column });
            self.ids.get(&node).map(|at| ClassId(self.deciding(*at) as u32))
        };
        pattern
            .statements()
            .enumerate()
            .map(|(stmt, (_, statement))| {
                let of = |instance: InstanceId| {
                    let columns = design.table(statement.instance(instance).table).column_ids();
                    columns.map(|column| class(stmt, instance, column)).collect()
                };
                statement.instance_ids().map(of).collect()
            })
            .collect()
    }

    fn node(&mut self, node: Node) -> usize {
        let next = self.parent.len();
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.parent.push(next);
        }
        id
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    /// Joins two classes; the smaller root stays, so that ids do not depend on the order.
    fn union(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        self.parent[a.max(b)] = a.min(b);
        true
    }

    fn operand(&mut self, stmt: u32, value: &Operand, param: &dyn Fn(ParamId) -> Node) -> usize {
        match value {
            Operand::Column(column) => self.node(Node::Column(stmt, *column)),
            Operand::Param(id) => self.node(param(*id)),
            Operand::Constant(text) => self.node(Node::Constant(text.clone())),
            Operand::Unknown => {
                let fresh = self.parent.len() as u32;
                self.node(Node::Computed(fresh))
            }
        }
    }

    fn equal(&mut self, stmt: u32, column: ColumnRef, value: &Operand, param: &dyn Fn(ParamId) -> Node) {
        let column = self.node(Node::Column(stmt, column));
        let value = self.operand(stmt, value, param);
        self.union(column, value);
    }

    fn predicate(
        &mut self,
        stmt: u32,
        predicate: &Predicate,
        param: &dyn Fn(ParamId) -> Node,
        facts: &mut Facts,
    ) {
        match predicate {
            Predicate::Equal { column, to, .. } => self.equal(stmt, *column, to, param),
            Predicate::Follows { column, of, .. } => {
                let column = self.node(Node::Column(stmt, *column));
                let of = self.operand(stmt, of, param);
                self.follows.push((column, of));
            }
            Predicate::In { column, count, .. } => {
                facts.lists.push((self.node(Node::Column(stmt, *column)), f64::from(*count)));
            }
            Predicate::Range { column, width, .. } => {
                facts.ranges.push((self.node(Node::Column(stmt, *column)), *width));
            }
            Predicate::Prefix { column, .. } => {
                facts.ranges.push((self.node(Node::Column(stmt, *column)), RangeWidth::Unstated));
            }
            Predicate::IsNull { column, .. } => facts.nulls.push(self.node(Node::Column(stmt, *column))),
            Predicate::Expression { text, column, to, .. } => {
                let value = self.operand(stmt, to, param);
                self.expressions.push((stmt, column.instance, text.clone(), value));
            }
            Predicate::Other { .. } => {}
        }
    }

    /// Adds what foreign keys make equal, until nothing more follows.
    ///
    /// In a [`Reading::Written`] reading only inserted rows are completed: a
    /// column that a plan adds must be given a value by whoever inserts.
    fn imply(&mut self, design: &Design, pattern: &AccessPattern, copied: &[Vec<Copied>], reading: Reading) {
        let instances: Vec<(u32, InstanceId, TableId, bool)> = pattern
            .statements()
            .enumerate()
            .flat_map(|(s, (_, statement))| {
                statement.instance_ids().map(move |it| {
                    let inserted = statement.target == Some(it)
                        && matches!(statement.op, Operation::Insert | Operation::Upsert);
                    (s as u32, it, statement.instance(it).table, inserted)
                })
            })
            .collect();
        // Each round joins at least one pair of classes, or is the last.
        loop {
            let mut changed = false;
            for (stmt, instance, table, inserted) in &instances {
                if reading == Reading::Written && !inserted {
                    continue;
                }
                for (fk, key) in design.table(*table).foreign_keys.iter().enumerate() {
                    for (other_stmt, other, other_table, _) in &instances {
                        let same = (stmt, instance) == (other_stmt, other);
                        if *other_table == key.parent && !same {
                            let child = (*stmt, *instance, *table);
                            let parent = (*other_stmt, *other, *other_table);
                            changed |= self.follow_key(design, copied, child, parent, fk, reading);
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Joins what a foreign key between two instances implies; whether anything was new.
    fn follow_key(
        &mut self,
        design: &Design,
        copied: &[Vec<Copied>],
        child: (u32, InstanceId, TableId),
        parent: (u32, InstanceId, TableId),
        fk: usize,
        reading: Reading,
    ) -> bool {
        let key = &design.table(child.2).foreign_keys[fk];
        let node = |(stmt, instance, _): (u32, InstanceId, TableId), column: ColumnId| {
            Node::Column(stmt, ColumnRef { instance, column })
        };
        let class = |it: &Self, node: &Node| it.ids.get(node).map(|at| it.root(*at));
        let mut equal = Vec::new();
        let mut rest = Vec::new();
        for (here, there) in key.columns.iter().zip(&key.parent_columns) {
            let (a, b) = (class(self, &node(child, *here)), class(self, &node(parent, *there)));
            if a.is_some() && a == b { equal.push(*there) } else { rest.push((*here, *there)) }
        }
        // The pair of rows is the referencing pair only if the equal part names one parent row.
        if equal.is_empty() || !(rest.is_empty() || design.table(parent.2).is_unique(&equal)) {
            return false;
        }
        let mut changed = false;
        if reading == Reading::Implied {
            for (here, there) in rest {
                let (a, b) = (self.node(node(child, here)), self.node(node(parent, there)));
                changed |= self.union(a, b);
            }
        }
        for (c, it) in copied[child.2.0 as usize].iter().enumerate() {
            if it.path.first() != Some(&fk) {
                continue;
            }
            let there = if it.path.len() == 1 {
                Some(node(parent, it.column))
            } else {
                let up = copied[parent.2.0 as usize]
                    .iter()
                    .position(|up| up.name == it.name && up.path == it.path[1..] && up.source == it.source);
                up.map(|up| Node::Copied(parent.0, parent.1, up))
            };
            if let Some(there) = there {
                let (a, b) = (self.node(Node::Copied(child.0, child.1, c)), self.node(there));
                changed |= self.union(a, b);
            }
        }
        changed
    }

    /// Computes what is known of each class, once no more classes will be joined.
    fn settle(&mut self, facts: Facts) {
        let mut info: BTreeMap<usize, Class> = BTreeMap::new();
        for (node, at) in &self.ids {
            let class = info.entry(self.root(*at)).or_default();
            match node {
                Node::Column(stmt, column) => class.columns.push((*stmt, *column)),
                Node::Param(id, step) => class.params.push((*id, *step)),
                Node::Constant(text) => class.constants.push(text.clone()),
                Node::Computed(_) => class.computed = true,
                Node::Copied(..) => {}
            }
        }
        for (at, count) in facts.lists {
            let class = info.entry(self.root(at)).or_default();
            class.list = Some(class.list.map_or(count, |old: f64| old.min(count)));
        }
        for (at, width) in facts.ranges {
            let class = info.entry(self.root(at)).or_default();
            class.range = Some(match (class.range, width) {
                (Some(RangeWidth::Duration(a)), RangeWidth::Duration(b)) => {
                    RangeWidth::Duration(if a < b { a } else { b })
                }
                (Some(stated @ RangeWidth::Duration(_)), _) => stated,
                (None | Some(_), width) => width,
            });
        }
        for at in facts.nulls {
            info.entry(self.root(at)).or_default().null = true;
        }
        self.info = info;
    }

    /// The class that decides a node's value: its own, or, for a column that
    /// only follows another across an outer join, the other's.
    fn deciding(&self, at: usize) -> usize {
        let root = self.root(at);
        let own = self.info.get(&root).is_some_and(Class::bound_or_listed);
        if own {
            return root;
        }
        self.follows
            .iter()
            .find(|(column, _)| self.root(*column) == root)
            .map_or(root, |(_, of)| self.root(*of))
    }

    /// The class of a column, if the pattern says anything of it.
    #[must_use]
    pub fn column(&self, stmt: u32, instance: InstanceId, column: ColumnId) -> Option<ClassId> {
        let columns = self.columns.get(stmt as usize)?.get(instance.0 as usize)?;
        columns.get(column.0 as usize).copied().flatten()
    }

    /// The class of a copied column, by its position in the table's list.
    #[must_use]
    pub fn copied(&self, stmt: u32, instance: InstanceId, idx: usize) -> Option<ClassId> {
        self.ids.get(&Node::Copied(stmt, instance, idx)).map(|at| ClassId(self.deciding(*at) as u32))
    }

    /// The class of an expression that the statement equates with something.
    #[must_use]
    pub fn expression(&self, stmt: u32, instance: InstanceId, text: &str) -> Option<ClassId> {
        let hit = self.expressions.iter().find(|(s, i, t, _)| *s == stmt && *i == instance && t == text)?;
        Some(ClassId(self.root(hit.3) as u32))
    }

    /// The class of a parameter outside repeated steps.
    #[must_use]
    pub fn param(&self, id: ParamId, step: Option<u32>) -> Option<ClassId> {
        self.ids.get(&Node::Param(id, step)).map(|at| ClassId(self.root(*at) as u32))
    }

    /// What is known of a class.
    #[must_use]
    pub fn class(&self, id: ClassId) -> &Class {
        static NOTHING: Class = Class {
            params: Vec::new(),
            constants: Vec::new(),
            computed: false,
            list: None,
            range: None,
            null: false,
            columns: Vec::new(),
        };
        self.info.get(&(id.0 as usize)).unwrap_or(&NOTHING)
    }
}

/// What predicates other than equalities say, until classes are final.
#[derive(Default)]
struct Facts {
    lists: Vec<(usize, f64)>,
    ranges: Vec<(usize, RangeWidth)>,
    nulls: Vec<usize>,
}
