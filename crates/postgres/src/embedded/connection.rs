//! Statements about the server itself.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use diesel::sql_types::Text;
use diesel::{QueryableByName, sql_query};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::error::EmbeddedError;
use super::home::ServerFolder;

/// The only user of the server.
pub(super) const USER: &str = "inboxd";

/// A database that always exists.
const MAINTENANCE: &str = "postgres";

/// Time limit for a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the URL of a database on a socket. The host is percent-decoded after it was taken out of the URL, so all
/// special bytes are encoded.
pub(super) fn url(socket: &Path, database: &str) -> String {
    let mut url = format!("postgres://{USER}@/{database}?host=");
    for byte in socket.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            url.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

/// Connects; the error has the text of the server.
pub(super) async fn connect(home: &ServerFolder) -> Result<AsyncPgConnection, String> {
    let url = url(home.socket(), MAINTENANCE);
    match tokio::time::timeout(CONNECT_TIMEOUT, AsyncPgConnection::establish(&url)).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it does not answer".to_owned()),
    }
}

/// Creates the database unless it exists.
pub(super) async fn ensure_database(home: &ServerFolder, name: &str) -> Result<(), EmbeddedError> {
    #[derive(QueryableByName)]
    struct ExistsRow {
        #[diesel(sql_type = Text)]
        #[expect(dead_code, reason = "that there is a row is the answer")]
        datname: String,
    }
    let mut connection = connect(home).await.map_err(EmbeddedError::Database)?;
    let found = sql_query("SELECT datname::text AS datname FROM pg_database WHERE datname = $1")
        .bind::<Text, _>(name)
        .load::<ExistsRow>(&mut connection)
        .await
        .map_err(|error| EmbeddedError::Database(error.to_string()))?;
    if found.is_empty() {
        create_database(home, name, None).await?;
    }
    Ok(())
}

pub(super) async fn create_database(
    home: &ServerFolder,
    name: &str,
    template: Option<&str>,
) -> Result<(), EmbeddedError> {
    let template = quoted(template.unwrap_or("template1"));
    let name = quoted(name);
    // A copy of the files takes half the time of a copy by way of the write-ahead log, the default.
    execute(home, &format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")).await
}

pub(super) async fn drop_database(home: &ServerFolder, name: &str) -> Result<(), EmbeddedError> {
    let name = quoted(name);
    execute(home, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await
}

async fn execute(home: &ServerFolder, statement: &str) -> Result<(), EmbeddedError> {
    let mut connection = connect(home).await.map_err(EmbeddedError::Database)?;
    connection.batch_execute(statement).await.map_err(|error| EmbeddedError::Database(error.to_string()))
}

/// Quotes a name for SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_path_is_encoded_in_url() {
        let plain = url(Path::new("/srv/data-1/socket"), "inboxd");
        assert_eq!(plain, "postgres://inboxd@/inboxd?host=/srv/data-1/socket");
        let strange = url(Path::new("/a b/ü?&%"), "inboxd");
        assert_eq!(strange, "postgres://inboxd@/inboxd?host=/a%20b/%C3%BC%3F%26%25");
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
