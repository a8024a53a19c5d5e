//! The schema of the newest release: it is migrated, and its program can serve on the schema of all steps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use diesel::QueryableByName;
use diesel::sql_types::{Array, Bool, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_postgres::migrate;
use inboxd_testkit::database::database;

use crate::migrations::{describe, emptied, execute, steps};

/// The last step of the newest release.
const RELEASED: &str = include_str!("../../../../migrations/released.txt");

/// Names of the CHECKs that later steps replaced by wider ones, which permit every row of the released program.
const WIDENED: &[&str] = &[];

const COLUMNS: &str = "
    SELECT c.relname::text AS table_name, a.attname::text AS column_name,
        format_type(a.atttypid, a.atttypmod) AS type_name, NOT a.attnotnull AS is_nullable,
        a.atthasdef OR a.attidentity <> '' AS has_default
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')";

const KEYS: &str = "
    SELECT c.relname::text AS table_name, pg_get_indexdef(i.indexrelid) AS definition
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'public'::regnamespace AND (i.indisunique OR i.indisexclusion)";

// A CHECK that is not validated yet applies to new rows all the same.
const CHECKS: &str = "
    SELECT c.relname::text AS table_name, k.conname::text AS name,
        replace(pg_get_constraintdef(k.oid), ' NOT VALID', '') AS definition,
        ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (k.conkey)) AS columns
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE k.contype = 'c' AND c.relnamespace = 'public'::regnamespace";

#[derive(QueryableByName)]
struct ColumnRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    type_name: String,
    #[diesel(sql_type = Bool)]
    is_nullable: bool,
    #[diesel(sql_type = Bool)]
    has_default: bool,
}

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

#[derive(QueryableByName)]
struct CheckRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
    #[diesel(sql_type = Array<Text>)]
    columns: Vec<String>,
}

/// Columns by table and name, unique keys with their tables, and CHECKs.
struct Schema {
    columns: BTreeMap<(String, String), ColumnRow>,
    keys: BTreeSet<(String, String)>,
    checks: Vec<CheckRow>,
}

impl Schema {
    async fn read(connection: &mut AsyncPgConnection) -> Self {
        let columns: Vec<ColumnRow> = diesel::sql_query(COLUMNS).load(connection).await.unwrap();
        let keys: Vec<KeyRow> = diesel::sql_query(KEYS).load(connection).await.unwrap();
        let place = |row: &ColumnRow| (row.table_name.clone(), row.column_name.clone());
        Self {
            columns: columns.into_iter().map(|row| (place(&row), row)).collect(),
            keys: keys.into_iter().map(|row| (row.table_name, row.definition)).collect(),
            checks: diesel::sql_query(CHECKS).load(connection).await.unwrap(),
        }
    }

    fn has_table(&self, name: &str) -> bool {
        self.columns.keys().any(|(table, _)| table == name)
    }

    /// Returns whether a CHECK of a later schema may refuse a row of a program of this one. That program leaves new columns
    /// at their defaults.
    fn is_narrowed_by(&self, check: &CheckRow) -> bool {
        let is_present =
            |known: &CheckRow| known.table_name == check.table_name && known.definition == check.definition;
        let is_new = |column: &String| !self.columns.contains_key(&(check.table_name.clone(), column.clone()));
        let is_of_new_columns = !check.columns.is_empty() && check.columns.iter().all(is_new);
        self.has_table(&check.table_name)
            && !is_of_new_columns
            && !self.checks.iter().any(is_present)
            && !WIDENED.contains(&check.name.as_str())
    }

    /// Returns the differences of a later schema that break a program of this one: it reads and writes these columns, and
    /// no others.
    fn breaks(&self, later: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (place, column) in &self.columns {
            let (table, name) = place;
            let breach = match later.columns.get(place) {
                None => "is missing",
                Some(new) if new.type_name != column.type_name => "has another type",
                Some(new) if column.is_nullable && !new.is_nullable => "is required",
                Some(_) => continue,
            };
            found.push(format!("{table}.{name} {breach}"));
        }
        for (place, column) in &later.columns {
            let (table, name) = place;
            let is_added = self.has_table(table) && !self.columns.contains_key(place);
            if is_added && !column.is_nullable && !column.has_default {
                found.push(format!("{table}.{name} is required"));
            }
        }
        let added = later.keys.difference(&self.keys).filter(|(table, _)| self.has_table(table));
        found.extend(added.map(|(table, definition)| format!("{table} has a new key: {definition}")));
        let narrowed = later.checks.iter().filter(|check| self.is_narrowed_by(check));
        let named = |check: &CheckRow| format!("{} has a new check: {}", check.table_name, check.definition);
        found.extend(narrowed.map(named));
        found
    }
}

/// Returns the folders of the released migrations in order.
fn released_steps() -> Vec<PathBuf> {
    let last = RELEASED.lines().find(|line| !line.starts_with('#')).unwrap();
    let mut steps = steps();
    let place = steps.iter().position(|step| step.ends_with(last));
    steps.truncate(place.unwrap() + 1);
    steps
}

#[tokio::test]
async fn released_schema_is_migrated_to_the_present_one() {
    let (old, fresh) = (emptied().await, database().await);
    let mut connection = AsyncPgConnection::establish(&old.url()).await.unwrap();
    let record = "CREATE TABLE schema_migrations (name text COLLATE \"C\" NOT NULL PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT now(), program text)";
    connection.batch_execute(record).await.unwrap();
    for step in released_steps() {
        execute(&mut connection, &step, "up.sql").await;
        let name = step.file_name().unwrap().to_str().unwrap();
        let insert = format!("INSERT INTO schema_migrations (name) VALUES ('{name}')");
        connection.batch_execute(&insert).await.unwrap();
    }
    migrate(&old.url()).await.unwrap();
    let mut other = AsyncPgConnection::establish(&fresh.url()).await.unwrap();
    assert_eq!(describe(&mut connection).await, describe(&mut other).await);
}

#[tokio::test]
async fn released_program_can_serve_on_the_present_schema() {
    let database = emptied().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let released_steps = released_steps();
    for step in &released_steps {
        execute(&mut connection, step, "up.sql").await;
    }
    let released = Schema::read(&mut connection).await;
    for step in steps().iter().skip(released_steps.len()) {
        execute(&mut connection, step, "up.sql").await;
    }
    let present = Schema::read(&mut connection).await;
    assert_eq!(released.breaks(&present), Vec::<String>::new());
    // Each of these breaks one rule, and the last one none.
    for (change, expected) in [
        ("ALTER TABLE notes DROP COLUMN text", Some("notes.text is missing")),
        ("ALTER TABLE pods RENAME TO groups", Some("pods.name is missing")),
        ("ALTER TABLE pods ALTER COLUMN name TYPE varchar", Some("pods.name has another type")),
        ("ALTER TABLE pods ALTER COLUMN client_id SET NOT NULL", Some("pods.client_id is required")),
        ("ALTER TABLE pods ADD COLUMN colour text NOT NULL", Some("pods.colour is required")),
        ("CREATE UNIQUE INDEX pods_name ON pods (organization_id, name)", Some("pods has a new key")),
        ("ALTER TABLE pods ADD CHECK (name <> 'x') NOT VALID", Some("pods has a new check")),
        (
            "ALTER TABLE pods DROP CONSTRAINT pods_quarantine_check,
                ADD CONSTRAINT pods_quarantine_check CHECK (quarantine = 'off')",
            Some("pods has a new check: CHECK ((quarantine = 'off'"),
        ),
        (
            "ALTER TABLE pods ADD COLUMN colour text CHECK (colour = 'red'),
                ADD COLUMN size bigint NOT NULL DEFAULT 0, DROP CONSTRAINT pods_quarantine_check;
            CREATE TABLE colours (organization_id uuid NOT NULL PRIMARY KEY)",
            None,
        ),
    ] {
        connection.batch_execute(&format!("BEGIN; {change}")).await.unwrap();
        let found = present.breaks(&Schema::read(&mut connection).await);
        connection.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(found.is_empty(), expected.is_none(), "{change}: {found:?}");
        assert!(expected.is_none_or(|rule| found.iter().any(|line| line.starts_with(rule))), "{change}: {found:?}");
    }
}
