//! What every question about a design starts from: its engine, its statistics
//! made complete, and the equality classes of its patterns.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::analysis::classes::{Classes, Reading};
use crate::analysis::facts::{TableFacts, table_facts};
use crate::analysis::skew::SkewCache;
use crate::analysis::spread::Spread;
use crate::model::{AccessPattern, Choice, Copied, Design, KeyPart, PatternId, Plan, Strategy, TableId};
use crate::target::Engine;

/// A design with an engine and everything that follows from the two alone.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The design.
    pub design: &'a Design,
    /// The engine.
    pub engine: &'static Engine,
    /// Shards.
    pub shards: u32,
    /// Whether [`Self::shards`] is an estimate.
    pub shards_estimated: bool,
    /// Nodes, if known.
    pub nodes: Option<u32>,
    /// Statistics of each table.
    pub facts: Vec<TableFacts>,
    /// For each table the columns that some key copies down from an ancestor.
    pub copied: Vec<Vec<Copied>>,
    /// Patterns that name each table, in order.
    pub patterns_on: Rc<Vec<Vec<PatternId>>>,
    classes: Rc<Vec<(Classes, Classes)>>,
    skew: RefCell<SkewCache>,
    answers: RefCell<Answers>,
}

/// Answers that many plans ask for again; only ever looked up, never walked.
#[derive(Debug, Default)]
struct Answers {
    /// Rows by pattern, statement and instance, as written and as implied.
    rows: HashMap<(PatternId, u32, u32, bool), f64>,
    /// Busiest over mean and hottest share by what a key's parts are bound to.
    loads: HashMap<LoadKey, (f64, f64)>,
}

/// What the load of a key follows from: its table, strategy and salt, and for
/// each part where its spread comes from.
pub(super) type LoadKey = (TableId, Strategy, u32, bool, Vec<(u64, u64)>);

impl<'a> Setting<'a> {
    /// Prepares a design. `shards` and `nodes` are the plan's or a flag's;
    /// the target's and then the engine's own are taken where they are `None`.
    #[must_use]
    pub fn new(
        design: &'a Design,
        engine: &'static Engine,
        shards: Option<u32>,
        nodes: Option<u32>,
        copied: Vec<Vec<Copied>>,
    ) -> Self {
        let nodes = nodes.or(design.target.nodes);
        let given = shards.or(design.target.shards);
        let (shards, shards_estimated) =
            given.map_or_else(|| engine.default_shard_count(nodes), |it| (it, false));
        let classes = design
            .patterns
            .iter()
            .map(|it| {
                let classes = |reading| Classes::of(design, it, &copied, reading);
                (classes(Reading::Written), classes(Reading::Implied))
            })
            .collect();
        Self {
            design,
            engine,
            shards: shards.max(1),
            shards_estimated,
            nodes,
            facts: table_facts(design),
            copied,
            patterns_on: Rc::new(patterns_on(design)),
            classes: Rc::new(classes),
            skew: RefCell::default(),
            answers: RefCell::default(),
        }
    }

    /// The same design on another number of shards.
    #[must_use]
    pub fn with_shards(&self, shards: u32) -> Self {
        Self {
            design: self.design,
            engine: self.engine,
            shards: shards.max(1),
            shards_estimated: false,
            nodes: self.nodes,
            facts: self.facts.clone(),
            copied: self.copied.clone(),
            patterns_on: Rc::clone(&self.patterns_on),
            classes: Rc::clone(&self.classes),
            skew: RefCell::default(),
            answers: RefCell::default(),
        }
    }

    /// The equality classes of a pattern.
    #[must_use]
    pub fn classes(&self, pattern: PatternId, reading: Reading) -> &Classes {
        let (written, implied) = &self.classes[pattern.0 as usize];
        match reading {
            Reading::Written => written,
            Reading::Implied => implied,
        }
    }

    /// Statistics of a table.
    #[must_use]
    pub fn table(&self, id: TableId) -> &TableFacts {
        &self.facts[id.0 as usize]
    }

    /// Load of the busiest shard over the mean for tokens that spread so.
    ///
    /// # Model
    ///
    /// Hash: random placement. Range and lookup: partitions are cut or packed
    /// to even sizes, and only a single value can't be cut: max(1, S·top). List
    /// and geo: with no more values than shards each partition is a value; with
    /// more they are packed.
    #[must_use]
    pub fn busiest_over_mean(&self, spread: &Spread, strategy: Strategy) -> f64 {
        let shards = f64::from(self.shards);
        match strategy {
            Strategy::Hash => self.skew.borrow_mut().busiest_over_mean(spread, self.shards),
            Strategy::Range | Strategy::Lookup | Strategy::List | Strategy::Geo => {
                (shards * spread.top()).clamp(1.0, shards)
            }
        }
    }

    /// Rows of an instance, worked out once: they do not depend on the plan.
    pub(super) fn rows_once(&self, question: (PatternId, u32, u32, bool), answer: &dyn Fn() -> f64) -> f64 {
        if let Some(known) = self.answers.borrow().rows.get(&question) {
            return *known;
        }
        let rows = answer();
        self.answers.borrow_mut().rows.insert(question, rows);
        rows
    }

    /// Busiest over mean and hottest share of a load, worked out once.
    pub(super) fn load_once(&self, question: LoadKey, answer: &dyn Fn() -> (f64, f64)) -> (f64, f64) {
        if let Some(known) = self.answers.borrow().loads.get(&question) {
            return *known;
        }
        let load = answer();
        self.answers.borrow_mut().loads.insert(question, load);
        load
    }

    /// Requests a second that reach the shards at all.
    #[must_use]
    pub fn served_rate(&self, pattern: &AccessPattern) -> f64 {
        let kept_off = pattern.served_by.as_ref().map_or(0.0, |it| it.share.get());
        pattern.rate.get() * (1.0 - kept_off)
    }
}

fn patterns_on(design: &Design) -> Vec<Vec<PatternId>> {
    let mut on = vec![Vec::new(); design.tables.len()];
    for id in design.pattern_ids() {
        let statements = design.pattern(id).statements();
        let mut tables: Vec<TableId> =
            statements.flat_map(|(_, it)| it.instances.iter().map(|it| it.table)).collect();
        tables.sort();
        tables.dedup();
        for table in tables {
            on[table.0 as usize].push(id);
        }
    }
    on
}

/// The copied columns that a plan's keys name, for each table, ancestors' own
/// steps included.
#[must_use]
pub fn copied_by(design: &Design, plans: &[&Plan]) -> Vec<Vec<Copied>> {
    let mut lists = vec![Vec::new(); design.tables.len()];
    for plan in plans {
        for (table, it) in &plan.tables {
            if let Choice::Sharded(key) = &it.choice {
                for part in &key.parts {
                    if let KeyPart::Copied(copied) = part {
                        add_copied(design, &mut lists, *table, copied);
                    }
                }
            }
        }
    }
    lists
}

/// Adds a copied column to the lists, and to those of the tables it passes through.
pub fn add_copied(design: &Design, lists: &mut [Vec<Copied>], table: TableId, copied: &Copied) {
    let mut at = table;
    for step in 0..copied.path.len() {
        let part = Copied { path: copied.path[step..].to_vec(), ..copied.clone() };
        let Some(key) = design.table(at).foreign_keys.get(copied.path[step]) else { return };
        let list = &mut lists[at.0 as usize];
        if !list.contains(&part) {
            list.push(part);
        }
        at = key.parent;
    }
}
