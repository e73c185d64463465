//! `rules` and `explain`.

use anyhow::{Result, bail};

use crate::cli::Status;
use crate::cli::args::Global;
use crate::cli::output::{is_json, print};
use crate::diag::did_you_mean;
use crate::lint::{RULES, Rule};
use crate::report::{CLAIM_RULES, wire};

/// Rules of every finding there is.
fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(CLAIM_RULES).copied()
}

/// Every rule in a line.
pub(super) fn list(global: &Global) -> Result<Status> {
    let text = if is_json(global) {
        let rules: Vec<_> = all().map(|it| (it.code.code, it.code.name, it.level)).collect();
        wire::rules_json(&rules)
    } else {
        all().fold(String::new(), |text, it| {
            text + &format!("{:<7} {:<8} {}\n", it.code.code, it.level.as_str(), it.code.name)
        })
    };
    print(global, text.as_bytes())?;
    Ok(Status::Fine)
}

/// One rule in full.
pub(super) fn explain(global: &Global, name: &str) -> Result<Status> {
    let found = all().find(|it| it.code.code.eq_ignore_ascii_case(name) || it.code.name == name);
    let Some(rule) = found else {
        let names = all().flat_map(|it| [it.code.code, it.code.name]);
        let hint = did_you_mean(name, names).map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
        bail!("no rule is `{name}`{hint}");
    };
    let text = if is_json(global) {
        wire::rule_json(rule.code.code, rule.code.name, rule.level, rule.explain)
    } else {
        format!(
            "{} {} ({})\n\n{}\n",
            rule.code.code,
            rule.code.name,
            rule.level.as_str(),
            plain(rule.explain).trim_end()
        )
    };
    print(global, text.as_bytes())?;
    Ok(Status::Fine)
}

/// The manual without its marks: examples indented, with a word before each.
fn plain(explain: &str) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in explain.lines() {
        match line.strip_prefix("```") {
            Some("") => inside = false,
            Some(kind) => {
                inside = true;
                out.push_str(if kind.ends_with("good") { "Does not fire:\n" } else { "Fires:\n" });
            }
            None if inside => out.push_str(&format!("    {line}\n")),
            None => out.push_str(&format!("{line}\n")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_stand_apart_with_a_word_before_them() {
        let text = plain("Why.\n\n```yaml bad\na: 1\n```\n\n```yaml good\na: 2\n```\n");
        assert_eq!(text, "Why.\n\nFires:\n    a: 1\n\nDoes not fire:\n    a: 2\n");
    }

    #[test]
    fn every_code_has_one_rule() {
        let mut codes: Vec<&str> = all().map(|it| it.code.code).collect();
        codes.sort_unstable();
        let n = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), n);
        assert!(codes.contains(&"SW1001") && codes.contains(&"SW201"));
    }
}
