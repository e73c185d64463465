//! Runs the examples inside the rules' manuals through the reader and the
//! rules: a manual that is wrong is a test that fails.

use crate::analysis::assessment::{evaluate, placed_of};
use crate::analysis::classes::Reading;
use crate::analysis::setting::{Setting, copied_by};
use crate::diag::Finding;
use crate::input::{Loader, read};
use crate::lint::{Context, RULES, Rule, run, settle};
use crate::model::{Design, Plan};
use crate::source::{FileId, Files};

struct Nothing;

impl Loader for Nothing {
    fn load(&mut self, _: FileId, path: &str, _: &mut Files) -> Result<FileId, String> {
        Err(format!("an example includes {path}"))
    }
}

/// The text of an example of a manual.
fn example<'a>(rule: &Rule, tag: &str) -> &'a str {
    let (_, rest) =
        rule.explain.split_once(&format!("```yaml {tag}\n")).expect("every manual has both examples");
    rest.split_once("```").expect("an example ends").0
}

/// Everything that is said of a text.
fn findings(text: &str) -> Vec<Finding> {
    let mut files = Files::default();
    let id = files.add("example.yaml", text);
    let it = read(&[id], &mut files, &mut Nothing);
    let mut findings = judged(&it.design);
    findings.extend(it.findings);
    settle(findings, &it.design, &files)
}

/// What the rules say of a design and its plan.
fn judged(design: &Design) -> Vec<Finding> {
    let name = design.target.engine.as_ref().map_or("generic", |(name, _)| name);
    let plan = design.plan.as_ref();
    let nodes = plan.and_then(|it| it.nodes).or(design.target.nodes);
    let engine = crate::target::engine(name).expect("examples name engines that there are").on_nodes(nodes);
    let plans: Vec<&Plan> = plan.into_iter().collect();
    let setting =
        Setting::new(design, engine, plan.and_then(|it| it.shards), nodes, copied_by(design, &plans));
    let assessment = plan.map(|it| evaluate(&setting, placed_of(&setting, it), Reading::Written));
    run(&Context {
        design,
        setting: &setting,
        plan,
        assessment: assessment.as_ref(),
        by_advisor: false,
        advice: None,
        under_check: false,
    })
}

#[test]
fn every_rule_fires_on_its_bad_example_and_not_on_its_good_one() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let hits = |tag| {
            findings(example(rule, tag)).into_iter().filter(|it| it.code == rule.code).collect::<Vec<_>>()
        };
        if hits("bad").is_empty() {
            wrong.push(format!("{} is silent on its bad example", rule.code.name));
        }
        for hit in hits("good") {
            wrong.push(format!("{} fires on its good example: {}", rule.code.name, hit.message));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_example_can_be_read() {
    for rule in RULES {
        for tag in ["bad", "good"] {
            // The reader's own rules have examples that can't be.
            if tag == "bad" && rule.code.code < "SW005" {
                continue;
            }
            for it in findings(example(rule, tag)) {
                assert!(it.code.code > "SW004", "{} {tag}: {}", rule.code.name, it.message);
            }
        }
    }
}

#[test]
fn every_finding_has_a_place_numbers_and_help() {
    for rule in RULES.iter().filter(|it| it.code.code > "SW004") {
        for it in findings(example(rule, "bad")).iter().filter(|it| it.code == rule.code) {
            assert!(it.span.end > 0, "{} has no place", rule.code.name);
            assert!(it.help.is_some(), "{} does not say what to do", rule.code.name);
            assert!(!it.message.ends_with('.'), "{} ends in a full stop", rule.code.name);
            assert!(
                !it.message.contains("NaN") && !it.message.contains('∞'),
                "{}: {}",
                rule.code.name,
                it.message
            );
        }
    }
}

#[test]
fn findings_do_not_depend_on_the_run() {
    for rule in RULES {
        let text = example(rule, "bad");
        assert_eq!(findings(text), findings(text), "{}", rule.code.name);
    }
}
