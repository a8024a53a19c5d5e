//! Comparison of the handwritten `src/schema.rs` with the database.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use inboxd_testkit::database::database;

const WRITTEN: &str = include_str!("../../src/schema.rs");

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
async fn primary_keys_start_with_organization() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let query = "SELECT c.relname::text AS line
        FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
            AND a.attname IS DISTINCT FROM 'organization_id'
        ORDER BY 1";
    let exceptions: Vec<Line> = diesel::sql_query(query).load(&mut connection).await.unwrap();
    let exceptions: Vec<&str> = exceptions.iter().map(|row| row.line.as_str()).collect();
    assert_eq!(
        exceptions,
        [
            "addresses",
            "api_key_hashes",
            "browser_sessions",
            "captured",
            "mail_quotas",
            "member_emails",
            "oauth_clients",
            "oauth_codes",
            "operator_mail",
            "owner_emails",
            "processes",
            "proven_domains",
            "schema_migrations",
            "service_state",
            "sign_in_codes",
            "sign_up_invitations",
            "sts_policies"
        ]
    );
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
