//! Texts in, reports out: the one door through which front ends reach the rest.

use std::collections::BTreeMap;

use crate::analysis::assessment::{Assessment, evaluate, placed_of};
use crate::analysis::classes::Reading;
use crate::analysis::setting::Setting;
use crate::diag::{Finding, Level, SYNTAX, did_you_mean};
use crate::input::{self, Loader};
use crate::lint;
use crate::model::{Choice, Design, KeyPart, Plan, ShardKey, TableId, TablePlan};
use crate::report::{self, Job, Judged, Parts, Report};
use crate::search::advice::Advice;
use crate::search::advise::{Options, advise, setting_for};
use crate::source::{FileId, Files, Span};
use crate::target::{ENGINES, Engine, engine};

/// What a question asks beside the files.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Another engine than the file's, by id or alias.
    pub target: Option<String>,
    /// Another number of shards.
    pub shards: Option<u32>,
    /// Another number of nodes.
    pub nodes: Option<u32>,
    /// Choices that are fixed: `orders=customer_id`, `countries=replicated`.
    pub pins: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The report.
    pub report: Report,
    /// The advisor's plan as YAML.
    pub plan: Option<String>,
    /// Whether there was anything to read.
    pub readable: bool,
    /// What is worth saying beside the report.
    pub notes: Vec<String>,
}

/// A design that was read.
#[derive(Clone, Debug)]
pub struct Workload {
    design: Design,
    findings: Vec<Finding>,
    readable: bool,
    root: FileId,
}

impl Workload {
    /// Reads some files as one design.
    pub fn read(roots: &[FileId], files: &mut Files, loader: &mut dyn Loader) -> Self {
        let read = input::read(roots, files, loader);
        let root = roots.first().copied().unwrap_or_default();
        let mut it = Self { design: read.design, findings: read.findings, readable: read.readable, root };
        if it.design.name.is_empty() {
            stem(files.name(root)).clone_into(&mut it.design.name);
        }
        it
    }

    /// Adds what is known of the files themselves. With a file that could not
    /// be opened there is no design, and what was said of its empty text goes.
    pub fn add_file_findings(&mut self, findings: Vec<Finding>, failed: &[FileId]) {
        self.findings.retain(|it| !failed.contains(&it.span.file));
        self.findings.extend(findings);
        self.readable &= failed.is_empty();
    }

    /// Whether it was read and describes nothing that a plan could be for.
    #[must_use]
    pub fn is_without_tables(&self) -> bool {
        self.readable && self.design.tables.is_empty()
    }

    /// The best plan.
    ///
    /// # Errors
    ///
    /// In words, for an engine, table or column that is not known.
    pub fn advise(
        &self,
        files: &Files,
        asked: &Asked,
        tick: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, String> {
        let mut parts = Parts { job: Job::Advise, findings: self.findings.clone(), ..Parts::default() };
        if !self.readable {
            return Ok(unreadable(parts, files));
        }
        let engine = self.engine(asked.target.as_deref(), &mut parts.findings)?;
        let pins =
            asked.pins.iter().map(|it| pin(&self.design, it)).collect::<Result<BTreeMap<_, _>, _>>()?;
        let pinned = plan_of_pins(&pins);
        let setting = setting_for(&self.design, engine, asked.shards, asked.nodes, &[&pinned]);
        let options = Options { pins, ..Options::default() };
        let advice = advise(&setting, &options, tick);
        let judged = Some((&advice.plan, &advice.assessment));
        let ruled = rules(&setting, judged, Some(&advice), Job::Advise);
        parts.findings.extend(ruled);
        let judged = Judged {
            setting: &setting,
            plan: &advice.plan,
            assessment: &advice.assessment,
            reading: Reading::Implied,
        };
        (parts.setting, parts.judged, parts.advice) = (Some(&setting), Some(judged), Some(&advice));
        let plan = Some(input::write_plan(&advice.plan, &self.design));
        Ok(Answer { report: report::report(parts, files), plan, readable: true, notes: Vec::new() })
    }

    /// Findings about the design and the plan in it.
    #[must_use]
    pub fn lint(&self, files: &Files) -> Answer {
        let mut parts = Parts { job: Job::Lint, findings: self.findings.clone(), ..Parts::default() };
        if !self.readable {
            return unreadable(parts, files);
        }
        let engine = self.engine(None, &mut parts.findings).unwrap_or(ENGINES[0]);
        let plan = self.design.plan.as_ref();
        let plans: Vec<&Plan> = plan.into_iter().collect();
        let of_plan = |of: fn(&Plan) -> Option<u32>| plan.and_then(of);
        let setting =
            setting_for(&self.design, engine, of_plan(|it| it.shards), of_plan(|it| it.nodes), &plans);
        let assessment = plan.map(|it| evaluate(&setting, placed_of(&setting, it), Reading::Written));
        let judged = plan.zip(assessment.as_ref());
        // Without a plan the rules look at the keys that the design fixes by itself.
        let fixed = if plan.is_none() { lint::fixed_plan(&self.design, engine) } else { None };
        let of_fixed = fixed.as_ref().map(|it| evaluate(&setting, placed_of(&setting, it), Reading::Written));
        let ruled = rules(&setting, judged.or(fixed.as_ref().zip(of_fixed.as_ref())), None, Job::Lint);
        parts.findings.extend(ruled);
        parts.setting = Some(&setting);
        parts.judged = judged.map(|(plan, assessment)| Judged {
            setting: &setting,
            plan,
            assessment,
            reading: Reading::Written,
        });
        let mut notes = Vec::new();
        if plan.is_none() {
            notes.push(format!("{}: no plan was found; shard keys are not judged", files.name(self.root)));
        }
        Answer { report: report::report(parts, files), plan: None, readable: true, notes }
    }

    /// Judges a plan that somebody proposes against the best one. What the
    /// workload's own file plans is what is in use today.
    pub fn check(mut self, proposal: FileId, files: &Files, tick: &mut dyn FnMut() -> bool) -> Answer {
        let own = proposal == self.root;
        if !own {
            let (plan, findings, readable) = input::read_plan(proposal, files, &self.design);
            self.findings.extend(findings);
            self.readable &= readable;
            let today = self.design.plan.take();
            self.design.current = self.design.current.take().or(today);
            self.design.plan = plan;
            self.design.lint.ignore.extend(input::read_suppressions(proposal, files));
        }
        let mut parts = Parts { job: Job::Check, findings: self.findings.clone(), ..Parts::default() };
        if !self.readable {
            return unreadable(parts, files);
        }
        let engine = self.engine(None, &mut parts.findings).unwrap_or(ENGINES[0]);
        let Some(plan) = self.design.plan.clone() else {
            if self.findings.is_empty() {
                let it = file_finding(proposal, 0, "there is no plan to check in this file");
                parts.findings.push(it.with_help(
                    "a plan stands under `plan`: a key, `replicated` or `unsharded` for each table",
                ));
            }
            return Answer {
                report: report::report(parts, files),
                plan: None,
                readable: true,
                notes: Vec::new(),
            };
        };
        let setting = setting_for(&self.design, engine, plan.shards, plan.nodes, &[&plan]);
        let assessment = evaluate(&setting, placed_of(&setting, &plan), Reading::Written);
        let options = Options { skip_robustness: true, ..Options::default() };
        let advice = advise(&setting, &options, tick);
        let ruled = rules(&setting, Some((&plan, &assessment)), None, Job::Check);
        parts.findings.extend(ruled);
        parts.best_findings =
            rules(&setting, Some((&advice.plan, &advice.assessment)), Some(&advice), Job::Advise);
        let judged =
            Judged { setting: &setting, plan: &plan, assessment: &assessment, reading: Reading::Written };
        (parts.setting, parts.judged, parts.advice) = (Some(&setting), Some(judged), Some(&advice));
        let best = Some(input::write_plan(&advice.plan, &self.design));
        Answer { report: report::report(parts, files), plan: best, readable: true, notes: Vec::new() }
    }

    /// Nodes of the plan, else of the target.
    fn nodes(&self) -> Option<u32> {
        self.design.plan.as_ref().and_then(|it| it.nodes).or(self.design.target.nodes)
    }

    /// The engine that is asked for, else the file's, else the generic one.
    fn engine(&self, asked: Option<&str>, findings: &mut Vec<Finding>) -> Result<&'static Engine, String> {
        if let Some(name) = asked {
            return engine(name).map(|it| it.on_nodes(self.nodes())).ok_or_else(|| no_engine(name));
        }
        let Some((name, span)) = &self.design.target.engine else { return Ok(ENGINES[0]) };
        if let Some(it) = engine(name) {
            return Ok(it.on_nodes(self.nodes()));
        }
        findings.push(
            Finding::new(SYNTAX, Level::Error, *span, no_engine(name))
                .with_help(format!("engines are {}", ids().collect::<Vec<_>>().join(", "))),
        );
        Ok(ENGINES[0])
    }
}

/// Several designs as one report, which has their findings and nothing else.
#[must_use]
pub fn together(answers: Vec<Answer>) -> Answer {
    if let Ok([only]) = <[Answer; 1]>::try_from(answers.clone()) {
        return only;
    }
    let mut all = Answer {
        report: Report { job: Job::Lint, designs: answers.len(), ..Report::default() },
        plan: None,
        readable: true,
        notes: Vec::new(),
    };
    for it in answers {
        all.report.findings.extend(it.report.findings);
        all.readable &= it.readable;
        all.notes.extend(it.notes);
    }
    all
}

/// What the rules say of a plan, or of a design without one.
fn rules(
    setting: &Setting<'_>,
    judged: Option<(&Plan, &Assessment)>,
    advice: Option<&Advice>,
    job: Job,
) -> Vec<Finding> {
    let (plan, assessment) = judged.unzip();
    lint::run(&lint::Context {
        design: setting.design,
        setting,
        plan,
        assessment,
        by_advisor: advice.is_some(),
        advice: advice.map(|it| lint::Said { verdict: &it.verdict, robustness: &it.robustness }),
        under_check: job == Job::Check,
    })
}

/// Pins as a plan, so that columns which only they copy down are known.
fn plan_of_pins(pins: &BTreeMap<TableId, Choice>) -> Plan {
    let entry = |choice: &Choice| TablePlan {
        choice: choice.clone(),
        cluster: Vec::new(),
        splits: Vec::new(),
        dedicated: Vec::new(),
        span: Span::default(),
        key_span: Span::default(),
    };
    Plan { tables: pins.iter().map(|(table, it)| (*table, entry(it))).collect(), ..Plan::default() }
}

fn unreadable(parts: Parts<'_>, files: &Files) -> Answer {
    Answer { report: report::report(parts, files), plan: None, readable: false, notes: Vec::new() }
}

fn ids() -> impl Iterator<Item = &'static str> {
    ENGINES.iter().map(|it| it.id)
}

fn no_engine(name: &str) -> String {
    let names = ENGINES.iter().flat_map(|it| std::iter::once(it.id).chain(it.aliases.iter().copied()));
    let hint = did_you_mean(name, names).map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
    format!("no engine is named `{name}`{hint}")
}

/// Reads `orders=customer_id,day`, `countries=replicated`, `settings=unsharded`.
fn pin(design: &Design, text: &str) -> Result<(TableId, Choice), String> {
    let (name, key) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not TABLE=COLUMN,… as --pin asks"))?;
    let name = name.trim();
    let table = design.table_named(name).ok_or_else(|| {
        let hint = did_you_mean(name, design.tables.iter().map(|it| it.name.as_str()));
        format!(
            "--pin: no table is named `{name}`{}",
            hint.map_or_else(String::new, |it| format!("; did you mean `{it}`?"))
        )
    })?;
    let choice = match key.trim() {
        "replicated" => Choice::Replicated,
        "unsharded" => Choice::Unsharded,
        columns => {
            let parts = columns.split(',').map(|it| key_part(design, table, it.trim()));
            Choice::Sharded(ShardKey { parts: parts.collect::<Result<_, _>>()?, ..ShardKey::of_columns(&[]) })
        }
    };
    Ok((table, choice))
}

/// A column of the table, or of an ancestor that it would be copied from.
fn key_part(design: &Design, table: TableId, name: &str) -> Result<KeyPart, String> {
    let it = design.table(table);
    if let Some(column) = it.column_named(name) {
        return Ok(KeyPart::Column(column));
    }
    design.copied_column(table, name).map(KeyPart::Copied).ok_or_else(|| {
        let hint = did_you_mean(name, it.columns.iter().map(|it| it.name.as_str()));
        let hint = hint.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
        format!("--pin: neither `{}` nor a table it refers to has a column `{name}`{hint}", it.name)
    })
}

/// The name of a file without folders and extension.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// A finding about a whole file.
#[must_use]
pub fn file_finding(file: FileId, at: usize, message: impl Into<String>) -> Finding {
    Finding::new(SYNTAX, Level::Error, Span::new(file, at, at + 1), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ColumnId;
    use crate::report::testing::shop;

    #[test]
    fn pins_name_columns_of_the_table_or_of_its_ancestors() {
        let design = shop();
        let by = |columns: &[u32]| {
            Choice::Sharded(ShardKey::of_columns(&columns.iter().map(|it| ColumnId(*it)).collect::<Vec<_>>()))
        };
        assert_eq!(pin(&design, "orders=customer_id,status"), Ok((TableId(1), by(&[1, 2]))));
        assert_eq!(pin(&design, "products=replicated"), Ok((TableId(3), Choice::Replicated)));
        let (_, copied) = pin(&design, "order_items=customer_id").unwrap();
        assert!(matches!(copied.key().unwrap().parts[..], [KeyPart::Copied(_)]));
    }

    #[test]
    fn a_wrong_pin_says_what_was_meant() {
        let design = shop();
        assert_eq!(
            pin(&design, "order=id").unwrap_err(),
            "--pin: no table is named `order`; did you mean `orders`?"
        );
        let message = pin(&design, "orders=custmer_id").unwrap_err();
        assert!(message.ends_with("has a column `custmer_id`; did you mean `customer_id`?"), "{message}");
        assert!(pin(&design, "orders").is_err());
    }

    #[test]
    fn a_design_without_a_name_is_called_like_its_file() {
        for (name, expected) in [("a/b.yaml", "b"), ("c", "c"), (".hidden", ".hidden"), ("x\\y.z.sql", "y.z")]
        {
            assert_eq!(stem(name), expected);
        }
    }
}
