//! Comparison of the handwritten `src/schema.rs` with the database.

use diesel::QueryableByName;
use diesel::sql_types::{Array, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_testkit::database::database;

const WRITTEN: &str = include_str!("../../src/schema.rs");
/// Tables without the organization in every key, each with its reason.
const UNDISTRIBUTED: &str = include_str!("../../../../migrations/undistributed.txt");

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

#[tokio::test]
async fn schema_file_equals_database() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let query = "SELECT c.table_name || ' ' || c.column_name || ' ' ||
            CASE c.is_nullable WHEN 'YES' THEN 'Nullable<' ELSE '' END ||
            CASE c.udt_name
                WHEN 'uuid' THEN 'Uuid' WHEN 'text' THEN 'Text' WHEN '_text' THEN 'Array<Text>' WHEN '_uuid' THEN 'Array<Uuid>' WHEN '_int2' THEN 'Array<SmallInt>'
                WHEN '_bytea' THEN 'Array<Binary>' WHEN '_timestamptz' THEN 'Array<Timestamptz>'
                WHEN 'timestamptz' THEN 'Timestamptz' WHEN 'bytea' THEN 'Binary' WHEN 'int4' THEN 'Integer'
                WHEN 'int2' THEN 'SmallInt' WHEN 'int8' THEN 'BigInt' WHEN 'jsonb' THEN 'Jsonb' WHEN 'bool' THEN 'Bool'
                WHEN 'date' THEN 'Date' ELSE c.udt_name END ||
            CASE c.is_nullable WHEN 'YES' THEN '>' ELSE '' END AS line
        FROM information_schema.columns c
            JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = 'public'::regnamespace
        WHERE c.table_schema = 'public' AND c.table_name <> 'schema_migrations' AND NOT t.relispartition
        ORDER BY 1";
    let found: Vec<Line> = diesel::sql_query(query).load(&mut connection).await.unwrap();
    let mut found: Vec<String> = found.into_iter().map(|row| row.line).collect();
    found.sort();
    let mut written = written_columns();
    written.sort();
    assert_eq!(written, found);
}

#[tokio::test]
async fn keys_of_distributed_tables_contain_organization() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let mut listed: Vec<String> = undistributed().map(str::to_owned).collect();
    assert_eq!(undistributable(&mut connection).await, listed, "tables beside migrations/undistributed.txt");
    // Each of them breaks one rule.
    let planted = [
        ("z1", "organization_id uuid NOT NULL, name text, PRIMARY KEY (name, organization_id)"),
        ("z2", "organization_id uuid NOT NULL, name text UNIQUE, PRIMARY KEY (organization_id, name)"),
        ("z3", "organization_id uuid NOT NULL, name text"),
        ("z4", "organization_id text, name text, PRIMARY KEY (organization_id, name)"),
        ("z5", "organization_id uuid, span tsrange, PRIMARY KEY (organization_id), EXCLUDE USING gist (span WITH &&)"),
    ];
    for (table, columns) in planted {
        connection.batch_execute(&format!("CREATE TABLE {table} ({columns})")).await.unwrap();
        listed.push(table.to_owned());
    }
    let good = "CREATE TABLE z6 (organization_id uuid, name text, PRIMARY KEY (organization_id, name))";
    connection.batch_execute(good).await.unwrap();
    assert_eq!(undistributable(&mut connection).await, listed);
}

#[tokio::test]
async fn foreign_keys_stay_within_organization() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let none: [String; 0] = [];
    assert_eq!(undistributable_references(&mut connection).await, none);
    // Each key but the last breaks one rule.
    let planted =
        "CREATE TABLE z (organization_id uuid, pod_id uuid, address text, PRIMARY KEY (organization_id, pod_id),
            CONSTRAINT z1 FOREIGN KEY (address) REFERENCES addresses,
            CONSTRAINT z2 FOREIGN KEY (pod_id, organization_id) REFERENCES pods,
            CONSTRAINT z4 FOREIGN KEY (organization_id, pod_id) REFERENCES pods);
        ALTER TABLE addresses ADD CONSTRAINT z3 FOREIGN KEY (organization_id, pod_id) REFERENCES pods";
    connection.batch_execute(planted).await.unwrap();
    assert_eq!(undistributable_references(&mut connection).await, ["z1", "z2", "z3"]);
}

/// Returns the names of the foreign keys that cannot be distributed by organization, in their order: one of both tables is
/// not distributed, or the organizations of both rows are not compared.
async fn undistributable_references(connection: &mut AsyncPgConnection) -> Vec<String> {
    let query = "SELECT k.conname::text AS line
        FROM pg_constraint k JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
        WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace
            AND (child.relname = ANY($1) OR parent.relname = ANY($1)
                OR NOT EXISTS (SELECT FROM unnest(k.conkey, k.confkey) AS pair(child_column, parent_column)
                    JOIN pg_attribute c ON c.attrelid = k.conrelid AND c.attnum = pair.child_column
                    JOIN pg_attribute p ON p.attrelid = k.confrelid AND p.attnum = pair.parent_column
                    WHERE c.attname = 'organization_id' AND p.attname = 'organization_id'))
        ORDER BY k.conname COLLATE \"C\"";
    let listed: Vec<&str> = undistributed().collect();
    let found: Vec<Line> = diesel::sql_query(query).bind::<Array<Text>, _>(listed).load(connection).await.unwrap();
    found.into_iter().map(|row| row.line).collect()
}

/// Returns the tables that cannot be distributed by organization, in their order: the primary key does not begin with a
/// column `organization_id` of type uuid, or another unique or exclusive index does not contain it.
async fn undistributable(connection: &mut AsyncPgConnection) -> Vec<String> {
    let query = "SELECT c.relname::text AS line
        FROM pg_class c LEFT JOIN pg_attribute a
            ON a.attrelid = c.oid AND a.attname = 'organization_id' AND a.atttypid = 'uuid'::regtype
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
            AND (NOT EXISTS (SELECT FROM pg_index i
                    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indkey[0] = a.attnum)
                OR EXISTS (SELECT FROM pg_index i
                    WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion)
                        AND a.attnum <> ALL ((i.indkey::int2[])[0:i.indnkeyatts - 1])))
        ORDER BY c.relname COLLATE \"C\"";
    let found: Vec<Line> = diesel::sql_query(query).load(connection).await.unwrap();
    found.into_iter().map(|row| row.line).collect()
}

/// Returns the names of the tables that are not distributed.
fn undistributed() -> impl Iterator<Item = &'static str> {
    UNDISTRIBUTED.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_whitespace().next())
}

/// Returns the lines `table column Type` of the file.
fn written_columns() -> Vec<String> {
    let mut columns = Vec::new();
    let mut table = "";
    for line in WRITTEN.lines().map(str::trim) {
        if let Some((column, kind)) = line.split_once(" -> ") {
            columns.push(format!("{table} {column} {}", kind.trim_end_matches(',')));
        } else if let Some((name, _)) = line.split_once(" (") {
            table = name;
        }
    }
    columns
}
