//! Requirements on the server: a supported version that accepts writes.

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Integer, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;

use crate::sql::Sql;

/// Oldest major version of PostgreSQL that runs the tests of this program.
pub(crate) const MIN_MAJOR_VERSION: u32 = 15;

/// A suffix may follow the version after a space.
const QUERY: &str = "
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
        current_setting('server_version_num')::integer / 10000 AS major,
        current_setting('transaction_read_only') = 'off' AS accepts_writes";

/// Reason for which a server is unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// Its version is older than the supported ones.
    #[error(
        "it is PostgreSQL {0}, and inboxd needs {min} or later: move the database to a later server with pg_upgrade, or \
         with pg_dump and pg_restore",
        min = MIN_MAJOR_VERSION
    )]
    Version(String),
    /// A standby, or a server that was set to read-only.
    #[error(
        "the server accepts no writes: name its primary in INBOXD_DATABASE_URL, or all hosts and \
         target_session_attrs=read-write"
    )]
    ReadOnly,
    /// The version is unreadable.
    #[error("the version of the server cannot be read: {0}")]
    Unreadable(StoreError),
}

/// Version and state of a server.
#[derive(Debug, QueryableByName)]
pub(crate) struct ServerState {
    /// Version: `16.4`.
    #[diesel(sql_type = Text)]
    pub(crate) version: String,
    #[diesel(sql_type = Integer)]
    major: i32,
    /// Whether a new transaction may write.
    #[diesel(sql_type = Bool)]
    accepts_writes: bool,
}

impl ServerState {
    /// Reads the state of the server of a connection.
    pub(crate) async fn read(connection: &mut AsyncPgConnection) -> Result<Self, StoreError> {
        let row = Sql::new(QUERY).row(connection).await?;
        row.ok_or_else(|| StoreError::Failed("a query returned no row".to_owned()))
    }

    /// Returns the reason for which this program cannot write to the server; `None` if it can.
    pub(crate) fn refusal(&self) -> Option<ServerError> {
        if u32::try_from(self.major).unwrap_or(0) < MIN_MAJOR_VERSION {
            return Some(ServerError::Version(self.version.clone()));
        }
        (!self.accepts_writes).then_some(ServerError::ReadOnly)
    }
}

/// Checks that a server has a supported version.
pub(crate) async fn require_version(connection: &mut AsyncPgConnection) -> Result<(), ServerError> {
    match require_primary(connection).await {
        Err(ServerError::ReadOnly) => Ok(()),
        checked => checked,
    }
}

/// Checks that a server has a supported version and accepts writes.
pub(crate) async fn require_primary(connection: &mut AsyncPgConnection) -> Result<(), ServerError> {
    let state = ServerState::read(connection).await.map_err(ServerError::Unreadable)?;
    state.refusal().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use diesel_async::{AsyncConnection, SimpleAsyncConnection};
    use inboxd_testkit::database::database;

    use super::*;

    #[tokio::test]
    async fn old_or_read_only_server_is_refused_with_remedy() {
        let database = database().await;
        let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
        assert_eq!(require_primary(&mut connection).await, Ok(()));
        connection.batch_execute("SET default_transaction_read_only = on").await.unwrap();
        let refused = require_primary(&mut connection).await.unwrap_err();
        assert_eq!(refused, ServerError::ReadOnly);
        assert!(refused.to_string().contains("target_session_attrs=read-write"), "{refused}");
        connection.batch_execute("SET default_transaction_read_only = off").await.unwrap();
        // The version of the server cannot change; a function of this schema replaces the one that reports it.
        let old = "CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS
                $$ SELECT CASE name WHEN 'server_version' THEN '14.9 (Debian)' WHEN 'server_version_num' THEN '140009'
                    ELSE pg_catalog.current_setting(name) END $$;
            SET search_path = public, pg_catalog";
        connection.batch_execute(old).await.unwrap();
        let refused = require_version(&mut connection).await.unwrap_err();
        assert_eq!(refused, ServerError::Version("14.9".to_owned()));
        assert!(refused.to_string().contains("inboxd needs 15 or later"), "{refused}");
    }
}
