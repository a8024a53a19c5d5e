//! Separate SQL connection.

use std::fmt;

use diesel::sql_types::Text;
use diesel::{QueryableByName, sql_query};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

/// A connection to a test database. An open transaction is rolled back when this value is dropped.
pub struct SqlSession {
    connection: AsyncPgConnection,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    text: String,
}

impl fmt::Debug for SqlSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").finish_non_exhaustive()
    }
}

impl SqlSession {
    /// Connects to any database.
    pub async fn open(url: &str) -> Self {
        Self { connection: AsyncPgConnection::establish(url).await.unwrap() }
    }

    /// Runs SQL.
    pub async fn execute(&mut self, sql: &str) {
        if let Err(error) = self.connection.batch_execute(sql).await {
            panic!("{sql}: {error}");
        }
    }

    /// Returns the column `text` of all rows.
    pub async fn texts(&mut self, sql: &str) -> Vec<String> {
        match sql_query(sql).load::<Row>(&mut self.connection).await {
            Ok(rows) => rows.into_iter().map(|row| row.text).collect(),
            Err(error) => panic!("{sql}: {error}"),
        }
    }
}
