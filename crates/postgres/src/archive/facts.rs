//! State of a database before a dump or a restore.

use diesel::QueryableByName;
use diesel::sql_types::{Binary, Integer, Nullable, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;

use super::ArchiveError;
use crate::accounts::stored_hash;
use crate::connection;
use crate::sql::Sql;

const MAJOR: &str = "SELECT current_setting('server_version_num')::integer / 10000 AS major";

/// The first relation outside of the system and of extensions.
const FIRST_RELATION: &str = "
    SELECT n.nspname || '.' || c.relname AS name FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend d
            WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY 1 LIMIT 1";

/// The column `program` may be missing in databases of builds before the first release.
const LAST_STEP: &str =
    "SELECT name, to_jsonb(m) ->> 'program' AS program FROM schema_migrations m ORDER BY name DESC LIMIT 1";

const HAS_TABLE: &str = "SELECT to_regclass($1)::text AS name";

/// State of a database that a backup describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// Major version of the server.
    pub server_major: u32,
    /// Last applied step of the schema.
    pub schema_step: String,
    /// Version of the program that applied it, if known.
    pub schema_program: Option<String>,
    /// Check value of the secret key in force; `None` before the first start.
    pub secret_key_check: Option<[u8; 32]>,
}

impl DatabaseFacts {
    /// Reads the state of a database.
    ///
    /// # Errors
    /// If the database cannot be reached or has no tables of inboxd.
    pub async fn read(url: &str) -> Result<Self, ArchiveError> {
        let connected = connection::maintenance(url).await;
        let mut connection = connected.map_err(|error| ArchiveError::Connect(error.to_string()))?;
        read(&mut connection).await?.ok_or(ArchiveError::NoTables)
    }
}

#[derive(QueryableByName)]
struct MajorRow {
    #[diesel(sql_type = Integer)]
    major: i32,
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
}

#[derive(QueryableByName)]
struct StepRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    program: Option<String>,
}

#[derive(QueryableByName)]
struct CheckRow {
    #[diesel(sql_type = Nullable<Binary>)]
    secret_key_check: Option<Vec<u8>>,
}

/// Returns the major version of the server.
pub(super) async fn server_major(connection: &mut AsyncPgConnection) -> Result<u32, StoreError> {
    let row = Sql::new(MAJOR).row::<MajorRow>(connection).await?;
    Ok(row.and_then(|row| u32::try_from(row.major).ok()).unwrap_or(0))
}

/// Returns the name of a relation, if there is one.
pub(super) async fn first_relation(connection: &mut AsyncPgConnection) -> Result<Option<String>, StoreError> {
    Ok(Sql::new(FIRST_RELATION).row::<NameRow>(connection).await?.and_then(|row| row.name))
}

/// Reads the state of a database; `None` if it has no schema of inboxd.
async fn read(connection: &mut AsyncPgConnection) -> Result<Option<DatabaseFacts>, StoreError> {
    if !has_table(connection, "schema_migrations").await? {
        return Ok(None);
    }
    let Some(step) = Sql::new(LAST_STEP).row::<StepRow>(connection).await? else { return Ok(None) };
    let check = if has_table(connection, "service_state").await? {
        Sql::new("SELECT secret_key_check FROM service_state").row::<CheckRow>(connection).await?
    } else {
        None
    };
    Ok(Some(DatabaseFacts {
        server_major: server_major(connection).await?,
        schema_step: step.name,
        schema_program: step.program,
        secret_key_check: check.and_then(|row| row.secret_key_check).map(stored_hash).transpose()?,
    }))
}

async fn has_table(connection: &mut AsyncPgConnection, name: &str) -> Result<bool, StoreError> {
    Ok(Sql::new(HAS_TABLE).text(name).row::<NameRow>(connection).await?.is_some_and(|row| row.name.is_some()))
}
