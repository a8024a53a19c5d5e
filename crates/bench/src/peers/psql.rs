//! SQL through the client psql.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::num::ParseIntError;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::outcome::Outcome;
use crate::peers::output_of;

/// Database with its URL.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    url: String,
}

impl Database {
    /// Returns the database of a `postgres://` URL.
    pub(crate) fn new(url: String) -> Self {
        Self { url }
    }

    /// Returns the URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Executes SQL and returns its output: one row a line, with columns separated by `|`.
    pub(crate) fn execute(&self, sql: &str) -> Outcome<String> {
        output_of(self.psql().args(["-c", sql]))
    }

    /// Executes SQL that is too long for the command line.
    pub(crate) fn script(&self, sql: &str) -> Outcome<()> {
        let mut running = self.psql().stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        running.stdin.take().ok_or("psql has no standard input")?.write_all(sql.as_bytes())?;
        if running.wait()?.success() { Ok(()) } else { Err("psql failed, see above".into()) }
    }

    /// Executes SQL and streams its output in the format of `COPY`, one row a line.
    pub(crate) fn stream(&self, select: &str) -> Outcome<ChildStdout> {
        let mut running =
            self.psql().args(["-c", &format!("copy ({select}) to stdout")]).stdout(Stdio::piped()).spawn()?;
        let output = running.stdout.take().ok_or("psql has no standard output")?;
        std::thread::spawn(move || running.wait());
        Ok(output)
    }

    /// Loads rows into a table, in the format of `COPY`.
    pub(crate) fn load(&self, table: &str, rows: impl FnOnce(&mut dyn Write) -> Outcome<()>) -> Outcome<()> {
        let mut running =
            self.psql().args(["-c", &format!("copy {table} from stdin")]).stdin(Stdio::piped()).spawn()?;
        let mut input = BufWriter::new(running.stdin.take().ok_or("psql has no standard input")?);
        rows(&mut input)?;
        input.flush()?;
        drop(input);
        if running.wait()?.success() { Ok(()) } else { Err("psql failed, see above".into()) }
    }

    /// Executes SQL in a session that stays open, with its locks, until the value is dropped.
    pub(crate) fn holding(&self, sql: &str) -> Outcome<HeldSession> {
        let mut session = self.psql().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = session.stdout.take().ok_or("psql has no standard output")?;
        let mut held = HeldSession(session);
        writeln!(held.0.stdin.as_mut().ok_or("psql has no standard input")?, "{sql}\nselect 'held';")?;
        let mut lines = BufReader::new(output).lines();
        match lines.find(|line| line.as_ref().map_or(true, |line| line == "held")) {
            Some(Ok(_)) => Ok(held),
            _ => Err("psql failed, see above".into()),
        }
    }

    fn psql(&self) -> Command {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]).arg(&self.url);
        psql
    }
}

/// Open session of the database. Dropping it ends the session.
pub(crate) struct HeldSession(Child);

impl Drop for HeldSession {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns the bytes of hexadecimal digits.
pub(crate) fn bytes_of_hex(digits: &str) -> Result<Vec<u8>, ParseIntError> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(digits.get(at..at + 2).unwrap_or_default(), 16)).collect()
}
