//! SQL on a database, through the client that comes with PostgreSQL.

use std::io::Write;
use std::process::{ChildStdout, Command, Stdio};

use crate::outcome::Outcome;
use crate::peers::said;

/// A database.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    url: String,
}

impl Database {
    /// The database of a `postgres://` URL.
    pub(crate) fn new(url: String) -> Self {
        Self { url }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Runs SQL, and answers what it said: a row a line, columns apart by `|`.
    pub(crate) fn execute(&self, sql: &str) -> Outcome<String> {
        said(self.psql().args(["-c", sql]))
    }

    /// Runs SQL that is too long for the command line.
    pub(crate) fn script(&self, sql: &str) -> Outcome<()> {
        let mut running = self.psql().stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        running.stdin.take().ok_or("psql takes nothing")?.write_all(sql.as_bytes())?;
        if running.wait()?.success() { Ok(()) } else { Err("psql failed, see above".into()) }
    }

    /// Runs SQL, and answers what it says while it says it. Rows are written as `COPY` does, a row a line.
    pub(crate) fn stream(&self, select: &str) -> Outcome<ChildStdout> {
        let mut running =
            self.psql().args(["-c", &format!("copy ({select}) to stdout")]).stdout(Stdio::piped()).spawn()?;
        let output = running.stdout.take().ok_or("psql says nothing")?;
        std::thread::spawn(move || running.wait());
        Ok(output)
    }

    fn psql(&self) -> Command {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]).arg(&self.url);
        psql
    }
}
