//! Runs the examples inside the rules' manuals through the reader and the
//! rules: a manual that is wrong is a test that fails.

use crate::lint::testing::findings;
use crate::lint::{RULES, Rule};

/// The text of an example of a manual.
fn example<'a>(rule: &Rule, tag: &str) -> &'a str {
    let (_, rest) =
        rule.explain.split_once(&format!("```yaml {tag}\n")).expect("every manual has both examples");
    rest.split_once("```").expect("an example ends").0
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
