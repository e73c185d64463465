//! The built program from outside: exit statuses, streams, files.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Two tables that belong together by `customer_id`, and a read that names neither.
const DESIGN: &str = "\
shardwright: 1
name: small
target: {engine: generic, shards: 8, nodes: 4}
tables:
  customers:
    rows: 1M
    row_size: 200B
    primary_key: [customer_id]
    columns:
      customer_id: {type: bigint}
      email: text
  orders:
    rows: 20M
    row_size: 300B
    primary_key: [order_id]
    columns:
      order_id: {type: uuid, generated: uuid4}
      customer_id: {type: bigint, distinct: 1M, references: customers.customer_id}
      status: {type: text, values: [open, done]}
patterns:
  - name: orders of a customer
    sql: SELECT * FROM orders WHERE customer_id = :c
    rate: 500/s
  - name: open orders
    sql: SELECT * FROM orders WHERE status = 'open' LIMIT 50
    rate: 1/s
  - name: new order
    sql: INSERT INTO orders (order_id, customer_id, status) VALUES (:o, :c, 'open')
    rate: 20/s
";

/// A plan that claims what is not so.
const PLAN: &str = "\
shardwright: 1
plan:
  nodes: 4
  placement: mod
  tables:
    customers: {key: [customer_id]}
    orders: {key: [customer_id]}
  claims:
    - {moved_on_add_node: 20%}
    - {pattern: orders of a customer, shards: 1}
";

/// An empty folder of one test's own, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("shardwright-it-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    fn run(&self, args: &[&str]) -> Output {
        command(&self.0, args).output().expect("the program starts")
    }

    fn json(&self, args: &[&str]) -> (i32, Value) {
        let done = self.run(&[args, &["--format", "json"]].concat());
        let value =
            serde_json::from_slice(&done.stdout).unwrap_or_else(|it| panic!("{it}: {}", text(&done.stderr)));
        (status(&done), value)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardwright"));
    command.args(args).current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn status(done: &Output) -> i32 {
    done.status.code().expect("it was not killed")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn advice_is_no_failure_unless_asked_to_be() {
    let folder = Folder::new("advise").with("d.yaml", DESIGN);
    let done = folder.run(&["advise", "d.yaml"]);
    assert_eq!(status(&done), 0, "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("customer_id"));
    // `open orders` scatters, which is a warning.
    assert_eq!(status(&folder.run(&["advise", "d.yaml", "--fail-on", "warning"])), 1);
    assert_eq!(status(&folder.run(&["d.yaml"])), 0, "the command may be left out");
}

#[test]
fn lint_fails_from_the_level_that_is_asked_for() {
    let plan = PLAN.strip_prefix("shardwright: 1\n").expect("a version");
    let folder = Folder::new("lint").with("d.yaml", format!("{DESIGN}{plan}"));
    let done = folder.run(&["lint", "d.yaml"]);
    let out = text(&done.stdout);
    assert!(out.contains("scatter-read") && out.contains("d.yaml:"), "{out}");
    assert_eq!(status(&folder.run(&["lint", "d.yaml", "--fail-on", "info"])), 1);
    assert_eq!(status(&folder.run(&["lint", "d.yaml", "--fail-on", "never"])), 0);
}

#[test]
fn a_refuted_claim_fails_the_check_and_is_told_with_both_figures() {
    let folder = Folder::new("check").with("w.yaml", DESIGN).with("p.yaml", PLAN);
    let (status, report) = folder.json(&["check", "p.yaml", "--workload", "w.yaml"]);
    assert_eq!(status, 1);
    let claims = report["claims"].as_array().expect("claims");
    // Hash mod 4 to mod 5: 1 − gcd/max = 80 % of the keys.
    assert_eq!((&claims[0]["verdict"], &claims[0]["computed"]), (&Value::from("refuted"), &Value::from(0.8)));
    assert_eq!(claims[1]["verdict"], "holds");
    assert_eq!(claims[1]["about"], "orders of a customer");
    assert!(report["best"]["totals"]["efficiency"].is_number());
    let finding =
        report["findings"].as_array().expect("findings").iter().find(|it| it["rule"] == "claim-refuted");
    let finding = finding.expect("the claim is a finding");
    assert_eq!((&finding["file"], &finding["line"]), (&Value::from("p.yaml"), &Value::from(9)));
    assert_eq!(finding["message"], "adding a node moves 80% of the data, not 20% as claimed");
}

#[test]
fn what_can_not_be_read_is_status_2_and_still_an_object() {
    let folder = Folder::new("unreadable")
        .with("broken.yaml", "a: [b\n")
        .with("latin.yaml", b"shardwright: 1\nname: \xe9\n");
    for args in
        [&["advise", "none.yaml"][..], &["lint", "none.yaml"], &["check", "none.yaml"], &["advise", "."]]
    {
        let (status, report) = folder.json(args);
        assert_eq!((status, &report["report"]), (2, &Value::from(1)), "{args:?}");
        assert_eq!(report["findings"][0]["rule"], "syntax", "{args:?}");
        assert!(report["model"].is_null() && report["totals"].is_null(), "{args:?}");
    }
    let (_, report) = folder.json(&["lint", "latin.yaml"]);
    let finding = &report["findings"][0];
    assert_eq!((&finding["line"], &finding["column"]), (&Value::from(2), &Value::from(7)), "{report}");
}

#[test]
fn wrong_usage_is_status_2_with_a_word_of_help() {
    let folder = Folder::new("usage").with("d.yaml", DESIGN).with("p.yaml", PLAN);
    for (args, says) in [
        (&["advise"][..], "required"),
        (&["advise", "d.yaml", "--format", "xml"], "possible values: text, json"),
        (&["advise", "d.yaml", "--pin", "order=status"], "did you mean `orders`"),
        (&["advise", "d.yaml", "--table", "ordres"], "did you mean `orders`"),
        (&["advise", "d.yaml", "--target", "generik"], "did you mean `generic`"),
        (&["advise", "d.yaml", "--write", "d.yaml"], "replace the design"),
        (&["check", "p.yaml"], "--workload FILE"),
        (&["explain", "scater-read"], "did you mean `scatter-read`"),
        (&["advsie"], "did you mean `advise`"),
    ] {
        let done = folder.run(args);
        assert_eq!(status(&done), 2, "{args:?}");
        assert!(text(&done.stderr).contains(says), "{args:?}: {}", text(&done.stderr));
        assert_eq!(text(&done.stdout), "", "{args:?}");
    }
    assert_eq!(fs::read_to_string(folder.0.join("d.yaml")).expect("the design"), DESIGN);
}

#[test]
fn pins_stand_and_targets_stand_side_by_side() {
    let folder = Folder::new("pins").with("d.yaml", DESIGN);
    let (_, report) = folder.json(&["advise", "d.yaml", "--pin", "orders=order_id", "--shards", "4"]);
    assert_eq!(report["tables"][1]["choice"]["key"], serde_json::json!(["order_id"]));
    assert_eq!(report["model"]["shards"], 4);
    let (_, report) = folder.json(&["advise", "d.yaml", "--target", "citus", "--target", "cassandra"]);
    let engines: Vec<&Value> =
        report["targets"].as_array().expect("targets").iter().map(|it| &it["model"]["engine"]).collect();
    assert_eq!(engines, ["citus", "cassandra"]);
    let out = text(&folder.run(&["advise", "d.yaml", "--target", "citus", "--target", "cassandra"]).stdout);
    assert!(out.lines().any(|it| it.contains("citus") && it.contains("cassandra")), "{out}");
}

#[test]
fn folders_are_searched_and_included_files_judged_where_they_are_included() {
    let including = DESIGN.replace("name: small\n", "name: small\ninclude: [parts/more.sql]\n");
    let folder = Folder::new("folders")
        .with("b/d.yaml", including)
        .with(
            "b/parts/more.sql",
            "-- @pattern name=\"one order\" rate=5/s\nSELECT * FROM orders WHERE order_id = :o;\n",
        )
        .with("a/other.yaml", "shardwright: 1\ntables: {t: {rows: lots}}\n")
        .with("c/services.yaml", "services: {shardwright: 1}\n");
    let (_, report) = folder.json(&["lint", "."]);
    let files: Vec<&str> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|it| it["file"].as_str())
        .collect();
    assert!(files.iter().any(|it| it.ends_with("a/other.yaml")), "{files:?}");
    assert!(files.is_sorted(), "{files:?}");
    assert!(!files.iter().any(|it| it.ends_with("services.yaml")), "{files:?}");
    assert!(report["model"].is_null(), "two designs have no one model");
    let (_, report) = folder.json(&["advise", "b/d.yaml"]);
    assert!(report["patterns"].as_array().expect("patterns").iter().any(|it| it["pattern"] == "one order"));
}

#[test]
fn standard_input_is_a_file_with_a_name() {
    let folder = Folder::new("stdin");
    let run = |args: &[&str], input: &str| {
        let mut child = command(&folder.0, args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let done = run(&["lint", "-"], "shardwright: 1\ntabels: {}\n");
    assert!(text(&done.stdout).starts_with("stdin.yaml:2:1: error SW001"), "{}", text(&done.stdout));
    let done = run(&["lint", "-", "--stdin-name", "my.yaml"], "shardwright: 1\ntabels: {}\n");
    assert!(text(&done.stdout).starts_with("my.yaml:2:1: "), "{}", text(&done.stdout));
    assert_eq!(status(&done), 1);
}

#[test]
fn without_arguments_it_finds_the_design_or_shows_the_example() {
    let empty = Folder::new("here-none");
    let done = empty.run(&[]);
    assert_eq!(status(&done), 0);
    assert!(text(&done.stderr).contains("bundled example"), "{}", text(&done.stderr));
    assert!(text(&done.stdout).starts_with("shop"), "{}", text(&done.stdout));
    let one = Folder::new("here-one").with("d.yaml", DESIGN).with("compose.yaml", "services: {}\n");
    assert!(text(&one.run(&[]).stdout).starts_with("small"));
    let two = Folder::new("here-two").with("a.yaml", DESIGN).with("b.yaml", DESIGN);
    let done = two.run(&[]);
    assert_eq!(status(&done), 2);
    assert!(text(&done.stderr).contains("a.yaml") && text(&done.stderr).contains("b.yaml"));
    let usual = two.with("shardwright.yaml", DESIGN);
    assert_eq!(status(&usual.run(&[])), 0);
}

#[test]
fn files_are_written_whole() {
    let folder = Folder::new("files").with("d.yaml", DESIGN);
    let done =
        folder.run(&["advise", "d.yaml", "--format", "json", "--output", "out.json", "--write", "plan.yaml"]);
    assert_eq!((status(&done), text(&done.stdout)), (0, String::new()), "{}", text(&done.stderr));
    let report: Value =
        serde_json::from_slice(&fs::read(folder.0.join("out.json")).expect("out.json")).expect("JSON");
    assert_eq!(report["model"]["name"], "small");
    // The written plan is a plan: it is judged as good as the advice.
    let (status, checked) = folder.json(&["check", "plan.yaml", "--workload", "d.yaml"]);
    assert!(status < 2, "{checked}");
    assert_eq!(checked["tables"][1]["choice"]["key"], report["tables"][1]["choice"]["key"]);
    let names: Vec<String> = fs::read_dir(&folder.0)
        .expect("the folder")
        .map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(self::status(&folder.run(&["advise", "d.yaml", "--output", "no/such/out.json"])), 2);
}

#[test]
fn colours_are_for_those_who_ask() {
    let folder = Folder::new("colour").with("d.yaml", DESIGN);
    let escapes = |args: &[&str]| folder.run(args).stdout.contains(&0x1b);
    assert!(!escapes(&["advise", "d.yaml"]), "a pipe is no terminal");
    assert!(escapes(&["advise", "d.yaml", "--color", "always"]));
    assert!(!escapes(&["advise", "d.yaml", "--color", "never"]));
    assert!(!escapes(&["advise", "d.yaml", "--color", "always", "--format", "json"]));
    // Nothing is said by colour alone.
    let strip = |it: String| {
        let parts = it.split('\x1b').enumerate();
        parts
            .map(|(at, it)| if at == 0 { it } else { it.split_once('m').map_or(it, |it| it.1) })
            .collect::<String>()
    };
    let plain = text(&folder.run(&["advise", "d.yaml"]).stdout);
    assert_eq!(strip(text(&folder.run(&["advise", "d.yaml", "--color", "always"]).stdout)), plain);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new("pipe").with("d.yaml", DESIGN);
    for args in [&["advise", "d.yaml", "--format", "json"][..], &["schema"], &["--help"]] {
        let mut child = command(&folder.0, args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        assert_eq!((child.wait().expect("it ends").code(), said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn rules_and_schemas_explain_themselves() {
    let folder = Folder::new("rules").with("d.yaml", DESIGN);
    let rules = text(&folder.run(&["rules"]).stdout);
    assert!(rules.lines().any(|it| it.starts_with("SW201") && it.ends_with("scatter-read")), "{rules}");
    let by_code = folder.run(&["explain", "sw201"]).stdout;
    assert!(text(&by_code).starts_with("SW201 scatter-read (warning)\n"));
    assert_eq!(by_code, folder.run(&["explain", "scatter-read"]).stdout);
    let (_, listed) = folder.json(&["rules"]);
    assert_eq!(listed["rules"].as_array().expect("rules").len(), rules.lines().count());
    for of in ["design", "report"] {
        let schema: Value = serde_json::from_slice(&folder.run(&["schema", of]).stdout).expect("JSON");
        assert!(jsonschema::validator_for(&schema).is_ok(), "{of}");
    }
    let schema: Value = serde_json::from_slice(&folder.run(&["schema", "report"]).stdout).expect("JSON");
    let (_, report) = folder.json(&["advise", "d.yaml"]);
    assert!(jsonschema::is_valid(&schema, &report));
}

#[test]
fn the_same_design_gives_the_same_bytes() {
    let folder = Folder::new("same").with("d.yaml", DESIGN);
    for format in ["text", "json"] {
        let run = || folder.run(&["advise", "d.yaml", "--format", format]).stdout;
        assert_eq!(run(), run(), "{format}");
    }
}
