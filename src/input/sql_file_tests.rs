//! Whole files in, items out, each shown as a line.

use super::*;
use crate::diag::Code;
use crate::source::Spanned;

fn read(text: &str) -> (Vec<SqlItem>, Vec<Finding>) {
    let mut findings = Vec::new();
    let items = read_items(text, FileId(0), &mut findings);
    (items, findings)
}

fn under(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn names(of: &[Spanned<String>]) -> String {
    of.iter().map(|it| it.value.as_str()).collect::<Vec<_>>().join(" ")
}

fn note(it: Option<&Annotation>) -> String {
    let fields =
        it.map(|it| it.fields.iter().map(|it| format!(" {}={}", it.key.value, it.value.value)).collect());
    fields.unwrap_or_default()
}

fn keyed(cluster: &[(Spanned<String>, bool)]) -> String {
    cluster.iter().map(|(it, desc)| format!(" {}{}", it.value, if *desc { " desc" } else { "" })).collect()
}

fn shown(item: &SqlItem) -> Vec<String> {
    match item {
        SqlItem::Target(it) => vec![format!("target{}", note(Some(it)))],
        SqlItem::Table(it) => {
            let mut lines = vec![format!("table {}{}", it.name.value, note(it.annotation.as_ref()))];
            for column in &it.columns {
                let mut line = format!("  {}: {}", column.name.value, column.ty);
                line += if column.not_null { " not null" } else { "" };
                line += &column.generated.map_or_else(String::new, |it| format!(" {it}"));
                line +=
                    &if column.values.is_empty() { String::new() } else { format!(" {:?}", column.values) };
                line += &note(column.annotation.as_ref());
                lines.push(line);
            }
            if let Some((key, _)) = &it.primary_key {
                lines.push(format!("  key {}", names(key)));
            }
            lines.extend(it.unique.iter().map(|(it, _)| format!("  unique {}", names(it))));
            lines.extend(it.references.iter().map(|it| {
                format!("  {} -> {} {}", names(&it.columns), it.parent.value, names(&it.parent_columns))
                    .trim_end()
                    .to_owned()
            }));
            lines
        }
        SqlItem::Index(it) => {
            let name = it.name.as_ref().map_or("-", |it| it.value.as_str());
            let unique = if it.unique { " unique" } else { "" };
            let include = if it.include.is_empty() {
                String::new()
            } else {
                format!(" include {}", names(&it.include))
            };
            vec![format!("index {name} on {}{unique}:{}{include}", it.table.value, keyed(&it.columns))]
        }
        SqlItem::Placing(it) => {
            let kind = match &it.kind {
                SqlPlacingKind::Key { columns, strategy, cluster, shards } => {
                    let cluster = if cluster.is_empty() {
                        String::new()
                    } else {
                        format!(" cluster{}", keyed(cluster))
                    };
                    let shards = shards.map_or_else(String::new, |it| format!(" shards {it}"));
                    format!("{} {}{cluster}{shards}", strategy.unwrap_or("-"), names(columns))
                }
                SqlPlacingKind::Replicated => "replicated".to_owned(),
                SqlPlacingKind::Unsharded => "unsharded".to_owned(),
            };
            vec![format!("place {}: {kind}", it.table.value)]
        }
        SqlItem::Pattern(it) => {
            let mut lines = vec![format!(
                "pattern{}{}",
                if it.transaction { " transaction" } else { "" },
                note(Some(&it.annotation))
            )];
            for statement in &it.statements {
                let times = statement
                    .times
                    .as_ref()
                    .map_or_else(String::new, |it| format!(" x{}{}", names(&it.bare), note(Some(it))));
                lines.push(format!("  {}{times}", statement.text));
            }
            lines.extend(it.params.iter().map(|it| format!("  param {}{}", names(&it.bare), note(Some(it)))));
            lines
        }
        SqlItem::Ignore(it) => vec![format!("ignore {}: {}", names(&it.rules), it.reason)],
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (items, findings) = read(text);
    assert_eq!(findings, [], "{text}");
    let lines: Vec<String> = items.iter().flat_map(shown).collect();
    assert_eq!(lines, expected);
}

/// Findings with the text under them.
fn findings(text: &str) -> Vec<(Code, &str, String)> {
    read(text).1.into_iter().map(|it| (it.code, under(text, it.span), it.message)).collect()
}

const SAMPLE: &str = "\
-- @target engine=citus shards=32 nodes=4
-- @table rows=200M growth=300k/day row_size=320B
CREATE TABLE orders (
  order_id    uuid PRIMARY KEY,                              -- @column generated=uuid7
  customer_id bigint NOT NULL REFERENCES customers,          -- @column distinct=5M skew=zipf(1.1)
  status      text CHECK (status IN ('pending','paid','shipped','done')),
  created_at  timestamptz NOT NULL DEFAULT now()             -- @column monotonic=true
);
-- @pattern name=\"orders of a customer\" rate=1200/s p99=20ms popularity.c=zipf(1.0)
SELECT * FROM orders WHERE customer_id = :c ORDER BY created_at DESC LIMIT 20;
-- @pattern name=\"place order\" rate=80/s
BEGIN;
INSERT INTO orders (order_id, customer_id) VALUES (:o, :c);
-- @times 3 each=n,sku,q
INSERT INTO order_items (order_id, line, sku, qty) VALUES (:o, :n, :sku, :q);
COMMIT;                                                      -- also: -- @param supply same_as=home share=99%
SELECT create_distributed_table('orders', 'customer_id');    -- engine statements are read as the plan
";

#[test]
fn the_sample_of_the_format_is_read() {
    check(
        SAMPLE,
        &[
            "target engine=citus shards=32 nodes=4",
            "table orders rows=200M growth=300k/day row_size=320B",
            "  order_id: uuid not null generated=uuid7",
            "  customer_id: bigint not null distinct=5M skew=zipf(1.1)",
            "  status: text [\"pending\", \"paid\", \"shipped\", \"done\"]",
            "  created_at: timestamptz not null monotonic=true",
            "  key order_id",
            "  customer_id -> customers",
            "pattern name=orders of a customer rate=1200/s p99=20ms popularity.c=zipf(1.0)",
            "  SELECT * FROM orders WHERE customer_id = :c ORDER BY created_at DESC LIMIT 20",
            "pattern transaction name=place order rate=80/s",
            "  INSERT INTO orders (order_id, customer_id) VALUES (:o, :c)",
            "  INSERT INTO order_items (order_id, line, sku, qty) VALUES (:o, :n, :sku, :q) x3 each=n,sku,q",
            "  param supply same_as=home share=99%",
            "place orders: hash customer_id",
        ],
    );
}

#[test]
fn every_place_is_the_text_it_names() {
    let (items, _) = read(SAMPLE);
    for item in &items {
        match item {
            SqlItem::Table(it) => {
                assert_eq!(under(SAMPLE, it.name.span), "orders");
                assert_eq!(under(SAMPLE, it.primary_key.as_ref().expect("a key").1), "PRIMARY KEY");
                assert_eq!(under(SAMPLE, it.references[0].span), "REFERENCES customers");
                assert!(it.columns.iter().all(|it| under(SAMPLE, it.name.span) == it.name.value));
            }
            SqlItem::Pattern(it) => {
                assert!(it.statements.iter().all(|it| under(SAMPLE, it.span) == it.text));
            }
            SqlItem::Placing(it) => {
                assert_eq!(under(SAMPLE, it.span), "create_distributed_table('orders', 'customer_id')");
                assert_eq!(under(SAMPLE, it.table.span), "orders");
                let SqlPlacingKind::Key { columns, .. } = &it.kind else { panic!("a key") };
                assert_eq!(under(SAMPLE, columns[0].span), "customer_id");
            }
            _ => {}
        }
    }
}

#[test]
fn constraints_of_all_kinds_are_read() {
    check(
        "CREATE TABLE IF NOT EXISTS \"public\".\"line items\" (
           id bigserial,
           order_id bigint CONSTRAINT fk REFERENCES shop.orders (id) ON DELETE SET NULL ON UPDATE NO ACTION,
           sku character varying(20) DEFAULT 'x, y'::text NOT NULL UNIQUE,
           price numeric(10, 2) DEFAULT 0 CHECK (price > 0),
           token uuid DEFAULT gen_random_uuid(),
           at timestamp with time zone DEFAULT now(),
           n int GENERATED ALWAYS AS IDENTITY,
           twice int GENERATED ALWAYS AS (n * 2) STORED,
           kind text,
           CONSTRAINT pk PRIMARY KEY (id, order_id),
           UNIQUE NULLS NOT DISTINCT (order_id, sku),
           FOREIGN KEY (order_id, sku) REFERENCES other (a, b) MATCH FULL,
           CHECK (((kind)::text = ANY (ARRAY['a'::text, 'b'::text]))),
           EXCLUDE USING gist (kind WITH =)
         ) TABLESPACE fast;",
        &[
            "table line items",
            "  id: bigserial not null autoincrement",
            "  order_id: bigint not null",
            "  sku: character varying(20) not null",
            "  price: numeric(10, 2)",
            "  token: uuid uuid4",
            "  at: timestamp with time zone",
            "  n: int not null autoincrement",
            "  twice: int",
            "  kind: text [\"a\", \"b\"]",
            "  key id order_id",
            "  unique sku",
            "  unique order_id sku",
            "  order_id -> orders id",
            "  order_id sku -> other a b",
        ],
    );
}

#[test]
fn mysql_tables_are_read() {
    check(
        "CREATE TABLE `orders` (
           `id` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT 'it\\'s',
           `status` enum('new','paid') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'new',
           `key` varchar(20) DEFAULT NULL,
           `at` datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
           PRIMARY KEY (`id`),
           UNIQUE KEY `u` (`key`(10), `status`),
           KEY `k` (`at`),
           FULLTEXT INDEX f (`key`),
           CONSTRAINT `fk` FOREIGN KEY (`key`) REFERENCES `keys` (`id`)
         ) ENGINE=InnoDB AUTO_INCREMENT=5
         PARTITION BY HASH(`id`) PARTITIONS 8;",
        &[
            "table orders",
            "  id: bigint unsigned not null autoincrement",
            "  status: enum('new','paid') [\"new\", \"paid\"]",
            "  key: varchar(20)",
            "  at: datetime",
            "  key id",
            "  unique key status",
            "  key -> keys id",
            "place orders: hash id shards 8",
        ],
    );
    check(
        "CREATE TABLE t (a int, b int, PRIMARY KEY (a, b)) PARTITION BY KEY () PARTITIONS 4;",
        &["table t", "  a: int not null", "  b: int not null", "  key a b", "place t: hash a b shards 4"],
    );
}

#[test]
fn citus_calls_place_tables() {
    let tables = "CREATE TABLE a (id int, at date) PARTITION BY RANGE (at);\n";
    let (items, findings) = read(&format!(
        "{tables}SELECT create_distributed_table('public.a', 'id', colocate_with => 'b', shard_count => 64),
         create_reference_table('r');
         SELECT citus_add_local_table_to_metadata('l');
         SELECT create_distributed_table(table_name := 'c', distribution_column := 'x');
         SELECT create_distributed_table('s', NULL);"
    ));
    assert_eq!(findings, []);
    let lines: Vec<String> = items.iter().skip(1).flat_map(shown).collect();
    assert_eq!(
        lines,
        [
            "place a: hash id shards 64",
            "place r: replicated",
            "place l: unsharded",
            "place c: hash x",
            "place s: unsharded"
        ]
    );
    // Without Citus the partitioning is what places rows.
    check(tables, &["table a", "  id: int", "  at: date", "place a: range at"]);
}

#[test]
fn partitions_are_no_tables() {
    check("CREATE TABLE a_1 PARTITION OF a FOR VALUES FROM (1) TO (2);", &[]);
}

#[test]
fn cql_keys_are_read() {
    let columns =
        "room text, day date, id timeuuid, tags set<text>, data map<text, frozen<list<int>>>, n int STATIC";
    let lines = [
        "table t",
        "  room: text not null",
        "  day: date not null",
        "  id: timeuuid not null",
        "  tags: set<text>",
        "  data: map<text, frozen<list<int>>>",
        "  n: int",
        "  key room day id",
    ];
    let check_key = |key: &str, tail: &str, place: &str| {
        let mut expected = lines.to_vec();
        expected.push(place);
        check(&format!("CREATE TABLE ks.t ({columns}, PRIMARY KEY ({key})){tail};"), &expected);
    };
    check_key(
        "(room, day), id",
        " WITH CLUSTERING ORDER BY (id DESC) AND compaction = {'class': 'X'}",
        "place t: hash room day cluster id desc",
    );
    check_key("room, day, id", "", "place t: hash room cluster day id");
}

#[test]
fn yugabyte_and_cockroach_keys_are_read() {
    let table = |key: &str| format!("CREATE TABLE t (a int, b int, c int, PRIMARY KEY ({key}");
    let lines = ["table t", "  a: int not null", "  b: int not null", "  c: int not null", "  key a b c"];
    let check_key = |key: &str, place: &str| {
        let mut expected = lines.to_vec();
        expected.push(place);
        check(&(table(key) + ";"), &expected);
    };
    check_key("(a, b) HASH, c ASC))", "place t: hash a b cluster c");
    check_key("a HASH, b ASC, c DESC))", "place t: hash a cluster b c desc");
    check_key("a HASH, b, c)) SPLIT INTO 16 TABLETS", "place t: hash a cluster b c shards 16");
    check_key("a, b, c) USING HASH WITH (bucket_count=8))", "place t: hash a b c shards 8");
    check_key("a, b, c) USING HASH)", "place t: hash a b c");
    check_key("a ASC, b, c)) SPLIT AT VALUES ((1), (2))", "place t: range a b c");
    check(
        "CREATE TABLE t (id uuid PRIMARY KEY USING HASH WITH (bucket_count = 4), x int);",
        &["table t", "  id: uuid not null", "  x: int", "  key id", "place t: hash id shards 4"],
    );
    check(
        "-- @target engine=yugabytedb\nCREATE TABLE t (id int, PRIMARY KEY (id ASC));",
        &["target engine=yugabytedb", "table t", "  id: int not null", "  key id", "place t: range id"],
    );
}

#[test]
fn spanner_tables_are_read() {
    check(
        "CREATE TABLE Singers (SingerId INT64 NOT NULL, Name STRING(MAX), Tags ARRAY<STRING(20)>,
           At TIMESTAMP OPTIONS (allow_commit_timestamp=true)) PRIMARY KEY (SingerId);
         CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL,)
           PRIMARY KEY (SingerId, AlbumId DESC), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
         CREATE NULL_FILTERED INDEX ByName ON Singers (Name DESC) STORING (At);",
        &[
            "table Singers",
            "  SingerId: INT64 not null",
            "  Name: STRING(MAX)",
            "  Tags: ARRAY<STRING(20)>",
            "  At: TIMESTAMP",
            "  key SingerId",
            "place Singers: range SingerId",
            "table Albums",
            "  SingerId: INT64 not null",
            "  AlbumId: INT64 not null",
            "  key SingerId AlbumId",
            "  SingerId -> Singers SingerId",
            "place Albums: range SingerId cluster AlbumId",
            "index ByName on Singers: Name desc include At",
        ],
    );
}

#[test]
fn indexes_are_read() {
    check(
        "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_email ON ONLY public.users USING btree (email text_ops, at DESC NULLS LAST)
           INCLUDE (name) WHERE (active);
         CREATE INDEX ON users ((lower(email)), id);
         CREATE INDEX by_tag ON users ((a, b) HASH, c);",
        &[
            "index by_email on users unique: email at desc include name",
            "index - on users: id",
            "index by_tag on users: a b c",
        ],
    );
}

#[test]
fn alter_table_and_types_add_to_a_table() {
    check(
        "CREATE TYPE mood AS ENUM ('sad', 'ok');
         CREATE TABLE public.a (id int, b int, m mood);
         ALTER TABLE ONLY public.a ADD CONSTRAINT a_pkey PRIMARY KEY (id);
         ALTER TABLE a ADD UNIQUE (b), ADD CONSTRAINT fk FOREIGN KEY (b) REFERENCES c(id) ON DELETE CASCADE NOT VALID;
         ALTER TABLE a ALTER COLUMN id SET DEFAULT nextval('a_id_seq'::regclass);
         ALTER TABLE a ADD COLUMN d text NOT NULL;
         ALTER TABLE a OWNER TO me; ALTER TABLE elsewhere OWNER TO me;",
        &[
            "table a",
            "  id: int not null autoincrement",
            "  b: int",
            "  m: mood [\"sad\", \"ok\"]",
            "  d: text not null",
            "  key id",
            "  unique b",
            "  b -> c id",
        ],
    );
    let text = "ALTER TABLE b ADD PRIMARY KEY (id);";
    assert_eq!(findings(text)[0].0, UNPARSED_STATEMENT);
}

#[test]
fn annotations_reach_their_column() {
    check(
        "/* @table rows=5\n   row_size=1KB */\n-- @table growth=1/s\nCREATE TABLE t (\n  -- @column distinct=1\n  -- @column skew=uniform
           a int, -- the first
           b int -- @column distinct=2
           , c int, d int, -- @column distinct=3
           e text DEFAULT 'x'
             CHECK (e <> '') /* @column distinct=4 */
         ); -- done",
        &[
            "table t rows=5 row_size=1KB growth=1/s",
            "  a: int distinct=1 skew=uniform",
            "  b: int distinct=2",
            "  c: int",
            "  d: int distinct=3",
            "  e: text distinct=4",
        ],
    );
}

#[test]
fn everything_else_in_a_real_file_is_stepped_over() {
    check(
        "SET search_path = public; CREATE EXTENSION citus; COMMENT ON TABLE a IS 'x; y';
         GRANT ALL ON a TO b; SELECT 1; INSERT INTO a VALUES (1); BEGIN; COMMIT;
         CREATE FUNCTION f() RETURNS int AS $body$ BEGIN; SELECT ';'; END; $body$ LANGUAGE sql;
         CREATE PROCEDURE p() BEGIN IF a THEN SELECT 1; END IF; CASE x WHEN 1 THEN SELECT 2; END CASE; END;
         CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f();
         /* a /* nested */ ; */
\\connect other'; DROP TABLE
COPY a (x) FROM stdin;
it's 1; CREATE
\\.
         CREATE TABLE a (id int);",
        &["table a", "  id: int"],
    );
}

#[test]
fn suppressions_are_kept_in_order() {
    check(
        "-- shardwright: ignore[scatter-read, SW101] back office\n-- @pattern name=x rate=1/s\nSELECT 1 FROM t -- shardwright: ignore[a]\n;",
        &[
            "ignore scatter-read SW101: back office",
            "ignore a: ",
            "pattern name=x rate=1/s",
            "  SELECT 1 FROM t",
        ],
    );
}

#[test]
fn a_batch_is_a_transaction() {
    check(
        "-- @pattern name=b rate=1/s\nBEGIN BATCH INSERT INTO a (x) VALUES (?); UPDATE b SET y = ? WHERE z = ?; APPLY BATCH;",
        &[
            "pattern transaction name=b rate=1/s",
            "  INSERT INTO a (x) VALUES (?)",
            "  UPDATE b SET y = ? WHERE z = ?",
        ],
    );
}

#[test]
fn what_stands_in_the_wrong_place_is_a_finding() {
    let one = |text: &'static str, under: &str, message: &str| {
        let found = findings(text);
        assert_eq!(found.len(), 1, "{text} {found:?}");
        assert_eq!((found[0].1, found[0].2.as_str()), (under, message));
    };
    one("-- @table rows=5\nSELECT 1;", "table", "`@table` is not followed by CREATE TABLE");
    one("-- @table rows=5", "table", "`@table` is not followed by CREATE TABLE");
    one("-- @column distinct=5\nSELECT 1;", "column", "`@column` outside of a CREATE TABLE");
    one("-- @pattern name=x", "pattern", "`@pattern` without a statement below it");
    one(
        "-- @pattern name=x\nCREATE TABLE t (a int);",
        "pattern",
        "`@pattern` is not followed by a statement that reads or writes",
    );
    one("-- @times 3\nSELECT 1;", "times", "`@times` outside of a pattern");
    one("-- @param a same_as=b\nSELECT 1;", "param", "`@param` outside of a pattern");
    one(
        "-- @pattern name=x\nBEGIN; DELETE FROM t;",
        "pattern",
        "the transaction of this pattern has no COMMIT",
    );
    one("SELECT 1 -- @target engine=citus\n FROM t;", "target", "`@target` inside a statement");
    one(
        "CREATE TABLE t (a int,\n  PRIMARY KEY (a) -- @column distinct=5\n);",
        "column",
        "no column stands on the line of `@column`",
    );
}

#[test]
fn definitions_that_are_not_readable_are_warnings_and_reading_goes_on() {
    let text = "CREATE TABLE a (id int PRIMARY KYE);\nCRAETE TABLE b (x int);\nCREATE TABLE c AS SELECT 1;\nCREATE TABLE d (id int);";
    let found = findings(text);
    assert!(found.iter().all(|it| it.0 == UNPARSED_STATEMENT), "{found:?}");
    let places: Vec<&str> = found.iter().map(|it| it.1).collect();
    assert_eq!(places, ["PRIMARY", "CRAETE", "CREATE TABLE c AS SELECT 1"]);
    assert!(found[0].2.starts_with("this CREATE TABLE can't be read: expected "), "{}", found[0].2);
    let (items, _) = read(text);
    assert_eq!(items.iter().filter(|it| matches!(it, SqlItem::Table(_))).count(), 2);
}

#[test]
fn a_file_cut_at_any_byte_never_panics() {
    let text = format!(
        "{SAMPLE}/* @table rows=1 */ CREATE TABLE `é` (a enum('ü', 'ก'), b map<text, int>, PRIMARY KEY ((a, b) HASH, c ASC) USING HASH WITH (bucket_count=8)) \
         WITH CLUSTERING ORDER BY (c DESC) PARTITION BY HASH (a) PARTITIONS 3; CREATE UNIQUE INDEX i ON t (a(3), (b)) INCLUDE (c); \
         ALTER TABLE é ADD CONSTRAINT x FOREIGN KEY (a) REFERENCES b(c); SELECT create_distributed_table($$a.b$$, E'x\\'');\n-- shardwright: ignore[ü"
    );
    for (cut, _) in text.char_indices() {
        for part in [&text[..cut], &text[cut..]] {
            let (items, findings) = read(part);
            let spans = findings.iter().map(|it| it.span);
            assert!(spans.clone().all(|it| part.get(it.start as usize..it.end as usize).is_some()), "{part}");
            for item in items {
                if let SqlItem::Pattern(it) = item {
                    assert!(it.statements.iter().all(|it| under(part, it.span) == it.text));
                }
            }
        }
    }
}

#[test]
fn hostile_files_end_in_an_answer() {
    for n in [50, 20_000] {
        for text in [
            format!("CREATE TABLE t (a int DEFAULT {}1{});", "(".repeat(n), ")".repeat(n)),
            format!("CREATE TABLE t ({}", "(".repeat(n)),
            format!("CREATE TABLE t (a {}int{});", "array<".repeat(n), ">".repeat(n)),
            format!("CREATE TABLE t (a int PRIMARY {});", "KYE ".repeat(n)),
            format!("CREATE TABLE t (a int {});", "CHECK ((((x) IN ".repeat(n)),
            format!("-- @table x={}\nCREATE TABLE t (a int);", "(".repeat(n)),
            "CREATE TABLE t (a int);\n-- @pattern name=x\n".repeat(n.min(2000)),
            "/* ".repeat(n),
            "'".repeat(n),
            "$a$ $b$ ".repeat(n),
            "EXPLAIN ".repeat(n),
            "BEGIN ".repeat(n),
            "WHILE 1 DO ".repeat(n),
            "CREATE ".repeat(n),
        ] {
            let _ = read(&text);
        }
    }
}
