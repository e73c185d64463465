//! Real cases with a known answer (`tests/exam/cases`): each folder holds a
//! design and, in `expect.toml`, what must be said about it. Those listed in
//! `tests/exam/holding.txt` are run against the program and must hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

/// Parts of an `expect.toml` and the fields that each may have.
const PARTS: &[(&str, &[&str])] = &[
    ("choice", &["table", "kind", "key", "any_key", "not_key", "strategy", "bucketed", "salted"]),
    ("rank", &["table", "better", "worse"]),
    ("finding", &["rule", "table", "pattern", "index", "level", "says"]),
    ("absent", &["rule", "table", "pattern", "index", "level", "says"]),
    ("number", &["path", "value", "tolerance", "slack", "min", "max"]),
    ("claim", &["claim", "about", "verdict", "computed", "tolerance"]),
    ("count", &["path", "min", "max"]),
    ("text", &["has", "lacks"]),
];

/// Fields of an `expect.toml` beside its parts.
const HEAD: &[&str] = &["id", "source", "why", "run", "exit"];

#[test]
fn every_case_that_held_still_holds() {
    let listed = holding();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut found = Vec::new();
        while let Some(name) = listed.get(next.fetch_add(1, Ordering::Relaxed)) {
            let wrong = run_case(&cases().join(name));
            found.extend(wrong.into_iter().map(|it| format!("{name}: {it}")));
        }
        found
    };
    // Each case is a process of its own, so the cores can share them.
    let n_workers = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|it| it.join().expect("a worker ends")).collect()
    });
    found.sort();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_list_of_holding_cases_is_sorted_and_names_folders() {
    let listed = holding();
    let sorted: BTreeSet<&String> = listed.iter().collect();
    assert!(listed.iter().eq(sorted), "holding.txt is not sorted, or names a case twice");
    for name in &listed {
        assert!(
            cases().join(name).join("expect.toml").is_file(),
            "holding.txt names `{name}`, which is no case"
        );
    }
}

#[test]
fn every_expectation_is_of_a_known_form() {
    // Otherwise a misspelt part would be a case that holds by not being looked at.
    for entry in fs::read_dir(cases()).expect("tests/exam/cases") {
        let folder = entry.expect("an entry").path();
        for (part, value) in expectation(&folder).as_object().expect("a table") {
            if HEAD.contains(&part.as_str()) {
                continue;
            }
            let row = PARTS.iter().find(|(it, _)| it == part);
            let (_, fields) = row.unwrap_or_else(|| panic!("{}: unknown part `{part}`", folder.display()));
            for item in list(value) {
                for field in item.as_object().expect("a table").keys() {
                    assert!(fields.contains(&field.as_str()), "{}: {part}.{field}", folder.display());
                }
            }
        }
    }
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exam/cases")
}

/// Names of the cases that must hold.
fn holding() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exam/holding.txt");
    let text = fs::read_to_string(path).expect("tests/exam/holding.txt");
    text.lines()
        .map(str::trim)
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn expectation(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("expect.toml")).expect("expect.toml");
    toml::from_str(&text).unwrap_or_else(|it| panic!("{}: {it}", folder.display()))
}

/// Runs a case's command in its folder; what does not hold.
fn run_case(folder: &Path) -> Vec<String> {
    let expected = expectation(folder);
    let run = expected["run"].as_str().unwrap_or("advise design.yaml");
    let done = Command::new(env!("CARGO_BIN_EXE_shardwright"))
        .args(run.split_whitespace())
        .args(["--format", "json"])
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&done.stderr);
    let allowed = expected.get("exit").cloned().unwrap_or_else(|| serde_json::json!([0, 1]));
    if !list(&allowed).contains(&Value::from(done.status.code())) {
        return vec![format!("{}: {}", done.status, said.trim())];
    }
    match serde_json::from_slice(&done.stdout) {
        Ok(report) => disagreements(&report, &expected),
        Err(it) => vec![format!("not JSON: {it}; {}", said.trim())],
    }
}

/// Where a report and an expectation disagree, as sentences.
fn disagreements(report: &Value, expected: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (part, _) in PARTS {
        for want in list(&expected[*part]) {
            found.extend(match *part {
                "choice" => choice(report, want),
                "rank" => rank(report, want),
                "finding" => finding(report, want),
                "absent" => absent(report, want),
                "number" => number(report, want),
                "claim" => claim(report, want),
                "count" => count(report, want),
                _ => text(report, want),
            });
        }
    }
    found
}

/// The members of a list; a single value is a list of one, and nothing an empty one.
fn list(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        Value::Null => &[],
        one => std::slice::from_ref(one),
    }
}

/// A text field, or the empty text.
fn str_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// Column names in lower case and without their table.
fn key_of(value: &Value) -> Vec<String> {
    let plain =
        |it: &Value| it.as_str().unwrap_or_default().rsplit('.').next().unwrap_or_default().to_lowercase();
    list(value).iter().map(plain).collect()
}

fn table_of<'a>(report: &'a Value, want: &Value) -> Option<&'a Value> {
    let name = str_of(want, "table");
    list(&report["tables"]).iter().find(|it| str_of(it, "table").eq_ignore_ascii_case(name))
}

fn choice(report: &Value, want: &Value) -> Option<String> {
    let table = str_of(want, "table");
    let Some(got) = table_of(report, want).map(|it| &it["choice"]) else {
        return Some(format!("no table {table} in the report"));
    };
    let key = key_of(&got["key"]);
    let sharded = got["kind"] == "sharded";
    let keys = |field: &str| list(&want[field]).iter().map(key_of).collect::<Vec<_>>();
    let wanted = if want["any_key"].is_null() { vec![key_of(&want["key"])] } else { keys("any_key") };
    let asks_key = !(want["key"].is_null() && want["any_key"].is_null());
    let kinds = list(&want["kind"]);
    let strategies = list(&want["strategy"]);
    if !kinds.is_empty() && !kinds.contains(&got["kind"]) {
        Some(format!("{table}: {} by {key:?}, wanted {}", got["kind"], want["kind"]))
    } else if asks_key && !(sharded && wanted.contains(&key)) {
        Some(format!("{table}: {} by {key:?}, wanted {wanted:?}", got["kind"]))
    } else if sharded && keys("not_key").contains(&key) {
        Some(format!("{table}: {key:?} is wrong here"))
    } else if sharded && !strategies.is_empty() && !strategies.contains(&got["strategy"]) {
        Some(format!("{table}: strategy {}, wanted {}", got["strategy"], want["strategy"]))
    } else {
        [("bucketed", "bucket"), ("salted", "salt")].iter().find_map(|(flag, field)| {
            let has = !matches!(got[*field], Value::Null | Value::Bool(false)) && got[*field] != 0;
            let differs = want[*flag].as_bool().is_some_and(|it| it != has);
            differs.then(|| format!("{table}: {flag} is {has}"))
        })
    }
}

fn rank(report: &Value, want: &Value) -> Option<String> {
    let table = str_of(want, "table");
    let candidates = table_of(report, want).map(|it| list(&it["candidates"])).unwrap_or_default();
    let vetoed = |it: &Value| it["veto"].as_str().is_some_and(|it| !it.is_empty());
    // The best form of a key stands for it.
    let best = |field: &str| {
        let key = key_of(&want[field]);
        let same = candidates.iter().filter(|it| key_of(&it["key"]) == key);
        same.min_by_key(|it| (vetoed(it), it["rank"].as_u64().unwrap_or_default()))
    };
    let (Some(better), Some(worse)) = (best("better"), best("worse")) else {
        let missing = if best("better").is_none() { "better" } else { "worse" };
        return Some(format!("{table}: no candidate {}", want[missing]));
    };
    if vetoed(better) {
        Some(format!("{table}: {} is vetoed: {}", want["better"], better["veto"]))
    } else if !vetoed(worse) && better["rank"].as_u64() >= worse["rank"].as_u64() {
        Some(format!(
            "{table}: {} has rank {}, {} has {}",
            want["better"], better["rank"], want["worse"], worse["rank"]
        ))
    } else {
        None
    }
}

/// Whether one of the alternatives in `a|b|c` occurs in a text of lower case.
fn says(text: &str, alternatives: &str) -> bool {
    alternatives.split('|').any(|it| text.contains(&it.trim().to_lowercase()))
}

fn is_finding(got: &Value, want: &Value) -> bool {
    let rules = list(&want["rule"]);
    let field_agrees = |field: &str| want[field].is_null() || list(&want[field]).contains(&got[field]);
    let text: Vec<String> = ["message", "help", "fix"]
        .iter()
        .map(|field| match &got[*field] {
            Value::Null => String::new(),
            Value::String(it) => it.to_lowercase(),
            other => other.to_string().to_lowercase(),
        })
        .collect();
    let text = text.join(" ");
    (rules.contains(&got["rule"]) || rules.contains(&got["code"]))
        && ["table", "pattern", "index", "level"].iter().all(|it| field_agrees(it))
        && list(&want["says"]).iter().all(|it| says(&text, it.as_str().unwrap_or_default()))
}

fn finding(report: &Value, want: &Value) -> Option<String> {
    let hit = list(&report["findings"]).iter().any(|it| is_finding(it, want));
    (!hit).then(|| format!("no finding {want}"))
}

fn absent(report: &Value, want: &Value) -> Option<String> {
    let hit = list(&report["findings"]).iter().find(|it| is_finding(it, want))?;
    Some(format!("unwanted finding {}: {}", hit["rule"], hit["message"]))
}

fn number(report: &Value, want: &Value) -> Option<String> {
    let path = str_of(want, "path");
    let Some(got) = walk(report, path) else { return Some(format!("{path}: missing")) };
    let value = &want["value"];
    if value.is_string() || value.is_boolean() {
        return (got != value).then(|| format!("{path}: {got}, wanted {value}"));
    }
    let Some(got) = got.as_f64() else { return Some(format!("{path}: {got}")) };
    if let Some(value) = value.as_f64() {
        let tolerance =
            want["tolerance"].as_f64().unwrap_or(0.05) * value.abs() + want["slack"].as_f64().unwrap_or(1e-9);
        if tolerance < (got - value).abs() {
            return Some(format!("{path}: {got}, wanted {value} ± {tolerance}"));
        }
    }
    if want["min"].as_f64().is_some_and(|it| got < it) {
        return Some(format!("{path}: {got}, wanted at least {}", want["min"]));
    }
    want["max"]
        .as_f64()
        .is_some_and(|it| it < got)
        .then(|| format!("{path}: {got}, wanted at most {}", want["max"]))
}

fn claim(report: &Value, want: &Value) -> Option<String> {
    let name = str_of(want, "claim");
    let is_it =
        |it: &&Value| it["claim"] == name && (want["about"].is_null() || it["about"] == want["about"]);
    let Some(got) = list(&report["claims"]).iter().find(is_it) else {
        return Some(format!("claim {name} is not judged"));
    };
    if got["verdict"] != want["verdict"] {
        return Some(format!("claim {name}: {}, wanted {}", got["verdict"], want["verdict"]));
    }
    if want["computed"].is_null() {
        return None;
    }
    let mut figure = serde_json::json!({"path": "computed", "value": want["computed"]});
    if !want["tolerance"].is_null() {
        figure["tolerance"] = want["tolerance"].clone();
    }
    number(got, &figure).map(|it| format!("claim {name}: {it}"))
}

fn count(report: &Value, want: &Value) -> Option<String> {
    let path = str_of(want, "path");
    let n = match walk(report, path) {
        Some(Value::Array(items)) => items.len() as u64,
        Some(Value::Object(fields)) => fields.len() as u64,
        _ => return Some(format!("{path}: missing")),
    };
    let least = want["min"].as_u64().unwrap_or(0);
    let most = want["max"].as_u64().unwrap_or(u64::MAX);
    (!(least..=most).contains(&n)).then(|| format!("{path}: {n} entries, wanted {want}"))
}

fn text(report: &Value, want: &Value) -> Option<String> {
    let whole = report.to_string().to_lowercase();
    if want["has"].as_str().is_some_and(|it| !says(&whole, it)) {
        return Some(format!("nothing says {}", want["has"]));
    }
    let lacks = want["lacks"].as_str()?;
    whole.contains(&lacks.to_lowercase()).then(|| format!("says `{lacks}`"))
}

/// Follows `patterns[orders of a customer].shards_touched.mean` through a report.
fn walk<'a>(report: &'a Value, path: &str) -> Option<&'a Value> {
    let mut at = report;
    for step in steps(path) {
        at = match (step, at) {
            (Step::Chosen(name), Value::Array(items)) => match items.iter().find(|it| is_named(it, name)) {
                Some(item) => item,
                None => items.get(name.parse::<usize>().ok()?)?,
            },
            (Step::Field(name) | Step::Chosen(name), _) => at.get(name)?,
        };
    }
    Some(at)
}

/// A step of a path.
#[derive(Debug, PartialEq)]
enum Step<'a> {
    /// `.name`
    Field(&'a str),
    /// `[name]`, or `[position]`
    Chosen(&'a str),
}

fn steps(path: &str) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some((name, after)) = rest.strip_prefix('[').and_then(|it| it.split_once(']')) {
            found.push(Step::Chosen(name));
            rest = after;
        } else {
            let plain = rest.trim_start_matches('.');
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            if end == 0 {
                break;
            }
            found.push(Step::Field(&plain[..end]));
            rest = &plain[end..];
        }
    }
    found
}

/// Whether a member of a list goes by this name: its table, pattern, key, …
fn is_named(item: &Value, name: &str) -> bool {
    const FIELDS: [&str; 8] = ["table", "pattern", "name", "claim", "rule", "entity", "mode", "engine"];
    let key: Option<Vec<&str>> =
        item["key"].as_array().map(|it| it.iter().filter_map(Value::as_str).collect());
    FIELDS.iter().any(|it| item[*it] == name)
        || key.is_some_and(|it| it.join(",") == name)
        || item["shards"].as_u64().is_some_and(|it| it.to_string() == name)
}

mod tests {
    use super::*;
    use serde_json::json;

    fn report() -> Value {
        json!({
            "tables": [
                {"table": "orders",
                 "choice": {"kind": "sharded", "key": ["customer_id"], "strategy": "hash", "salt": null, "bucket": null},
                 "candidates": [
                    {"key": ["customer_id"], "rank": 1, "veto": null},
                    {"key": ["status"], "rank": 2, "veto": "low-cardinality-key"},
                    {"key": ["id"], "rank": 3, "veto": null},
                    {"key": ["customer_id"], "rank": 4, "veto": null}]},
                {"table": "countries", "choice": {"kind": "replicated", "key": null}, "candidates": []}],
            "patterns": [{"pattern": "orders of a customer", "shards_touched": {"mean": 2.0}, "routing": "few"}],
            "curve": [{"shards": 1, "speedup": 1.0}, {"shards": 16, "speedup": 9.5}],
            "claims": [{"claim": "shards", "about": "a", "verdict": "holds", "computed": 1.0},
                       {"claim": "shards", "about": "b", "verdict": "refuted", "computed": 16.0}],
            "findings": [{"code": "SW201", "rule": "scatter-read", "level": "error", "table": "orders", "pattern": "x",
                          "message": "asks all 16 shards", "help": "Add an INDEX", "fix": null}]})
    }

    /// Disagreements with a part that is written as in `expect.toml`.
    fn against(part: &str) -> usize {
        let expected: Value = toml::from_str(part).expect("TOML");
        disagreements(&report(), &expected).len()
    }

    #[test]
    fn a_choice_is_compared_by_kind_key_and_strategy() {
        let of = |fields: &str| against(&format!("[[choice]]\ntable = \"Orders\"\n{fields}"));
        assert_eq!(of("kind = \"sharded\"\nkey = [\"orders.Customer_ID\"]\nstrategy = \"hash\""), 0);
        assert_eq!(of("kind = [\"replicated\", \"sharded\"]"), 0);
        assert_eq!(of("any_key = [[\"id\"], [\"customer_id\"]]"), 0);
        assert_eq!(of("not_key = [[\"id\"]]\nbucketed = false\nsalted = false"), 0);
        assert_eq!(of("kind = \"replicated\""), 1);
        assert_eq!(of("key = [\"id\"]"), 1);
        assert_eq!(of("key = [\"customer_id\", \"id\"]"), 1);
        assert_eq!(of("not_key = [[\"customer_id\"]]"), 1);
        assert_eq!(of("strategy = [\"range\", \"list\"]"), 1);
        assert_eq!(of("bucketed = true"), 1);
        assert_eq!(of("salted = true"), 1);
        assert_eq!(against("[[choice]]\ntable = \"missing\"\nkind = \"sharded\""), 1);
        // A key is asked for, and a replicated table has none.
        assert_eq!(against("[[choice]]\ntable = \"countries\"\nkey = [\"code\"]"), 1);
    }

    #[test]
    fn a_vetoed_candidate_is_below_every_other_and_above_none() {
        let of = |better: &str, worse: &str| {
            against(&format!("[[rank]]\ntable = \"orders\"\nbetter = [\"{better}\"]\nworse = [\"{worse}\"]"))
        };
        assert_eq!(of("customer_id", "id"), 0);
        assert_eq!(of("id", "status"), 0);
        assert_eq!(of("id", "customer_id"), 1);
        assert_eq!(of("status", "id"), 1);
        assert_eq!(of("customer_id", "missing"), 1);
    }

    #[test]
    fn a_finding_agrees_in_every_field_that_is_given() {
        let of = |part: &str, fields: &str| against(&format!("[[{part}]]\n{fields}"));
        for fields in [
            "rule = \"scatter-read\"",
            "rule = \"SW201\"",
            "rule = [\"hot-value\", \"scatter-read\"]\nlevel = [\"warning\", \"error\"]",
            "rule = \"scatter-read\"\ntable = \"orders\"\npattern = \"x\"\nsays = [\"16\", \"lookup|index\"]",
        ] {
            assert_eq!(of("finding", fields), 0, "{fields}");
            assert_eq!(of("absent", fields), 1, "{fields}");
        }
        for fields in [
            "rule = \"hot-value\"",
            "rule = \"scatter-read\"\nlevel = \"warning\"",
            "rule = \"scatter-read\"\nindex = \"by_status\"",
            "rule = \"scatter-read\"\nsays = [\"16\", \"lookup\"]",
        ] {
            assert_eq!(of("finding", fields), 1, "{fields}");
            assert_eq!(of("absent", fields), 0, "{fields}");
        }
    }

    #[test]
    fn a_number_may_differ_by_five_percent_unless_told_otherwise() {
        let of = |fields: &str| {
            against(&format!(
                "[[number]]\npath = \"patterns[orders of a customer].shards_touched.mean\"\n{fields}"
            ))
        };
        assert_eq!(of("value = 2.09"), 0);
        assert_eq!(of("value = 1.9"), 1);
        assert_eq!(of("value = 1.9\ntolerance = 0.06"), 0);
        assert_eq!(of("value = 2.09\ntolerance = 0.01"), 1);
        assert_eq!(of("min = 2\nmax = 2"), 0);
        assert_eq!(of("min = 2.1"), 1);
        assert_eq!(of("max = 1.9"), 1);
        assert_eq!(of("value = \"single\""), 1);
        assert_eq!(against("[[number]]\npath = \"patterns[0].routing\"\nvalue = \"few\""), 0);
        assert_eq!(against("[[number]]\npath = \"patterns[0].routing\"\nmin = 1"), 1);
        assert_eq!(against("[[number]]\npath = \"patterns[missing].routing\"\nmin = 1"), 1);
    }

    #[test]
    fn a_claim_is_found_by_what_it_is_about() {
        let of = |fields: &str| against(&format!("[[claim]]\nclaim = \"shards\"\n{fields}"));
        assert_eq!(of("verdict = \"holds\"\ncomputed = 1"), 0);
        assert_eq!(of("about = \"b\"\nverdict = \"refuted\"\ncomputed = 16"), 0);
        assert_eq!(of("about = \"b\"\nverdict = \"holds\""), 1);
        assert_eq!(of("about = \"b\"\nverdict = \"refuted\"\ncomputed = 15"), 1);
        assert_eq!(of("about = \"c\"\nverdict = \"holds\""), 1);
    }

    #[test]
    fn entries_are_counted_and_texts_are_looked_for_everywhere() {
        assert_eq!(against("[[count]]\npath = \"tables[orders].candidates\"\nmin = 4\nmax = 4"), 0);
        assert_eq!(against("[[count]]\npath = \"tables[orders].candidates\"\nmax = 3"), 1);
        assert_eq!(against("[[count]]\npath = \"layout.tables\"\nmax = 3"), 1);
        assert_eq!(against("[[text]]\nhas = \"sparse|All 16 Shards\"\nlacks = \"cassandra\""), 0);
        assert_eq!(against("[[text]]\nhas = \"sparse|cassandra\""), 1);
        assert_eq!(against("[[text]]\nlacks = \"customer_id\""), 1);
    }

    #[test]
    fn a_member_is_chosen_by_name_key_shards_or_position() {
        let report = report();
        let at = |path: &str| walk(&report, path).cloned();
        assert_eq!(at("tables[orders].candidates[customer_id].rank"), Some(json!(1)));
        assert_eq!(at("tables[1].table"), Some(json!("countries")));
        // A number is a number of shards before it is a position.
        assert_eq!(at("curve[1].speedup"), Some(json!(1.0)));
        assert_eq!(at("curve[16].speedup"), Some(json!(9.5)));
        assert_eq!(at("curve[0].shards"), Some(json!(1)));
        assert_eq!(at("tables[missing].choice"), None);
        assert_eq!(steps("a[b.c].d"), [Step::Field("a"), Step::Chosen("b.c"), Step::Field("d")]);
    }
}
