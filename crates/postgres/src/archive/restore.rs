//! Restore of an archive into an empty database.
//!
//! `pg_restore` converts the archive to SQL, and `psql` runs it. The SQL is put between BEGIN and COMMIT here, and COMMIT is sent
//! after the whole archive was read without error and `psql` acknowledged the execution of all before. So a restore that fails
//! or is killed before that leaves the database empty, and a restored database never sends before its operator releases the
//! queue.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{self, Receiver};

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection as _};
use inboxd_core::ports::StoreError;

use super::error::ArchiveError;
use super::facts;
use super::program::{Program, copy};
use super::stop::ArchiveStop;
use super::tools::ClientTools;
use crate::connection;
use crate::error::failure;
use crate::migrate::LOCK;
use crate::service_state::hold_script;
use crate::sql::Sql;

/// Options of `pg_restore`. Names of owners and tablespaces are those of the server that was dumped.
const RESTORE_OPTIONS: [&str; 4] = ["--file=-", "--no-owner", "--no-privileges", "--no-tablespaces"];
const PSQL_OPTIONS: [&str; 5] = ["--no-psqlrc", "--no-password", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-"];

/// Line of `psql` after the execution of all statements before COMMIT.
const ACKNOWLEDGEMENT: &str = "inboxd: all statements are executed";
/// Statement at the head of the SQL of `pg_restore` 17 and later, which earlier servers refuse.
const TRANSACTION_TIMEOUT: &[u8] = b"SET transaction_timeout = 0;\n";
/// First major version of a server that knows that setting.
const TRANSACTION_TIMEOUT_MAJOR: u32 = 17;

/// Restore into an empty database, which keeps other processes from migrating it meanwhile.
pub struct DatabaseRestore {
    tools: ClientTools,
    /// Major version of the server.
    server: u32,
    /// Session with the lock of migrations.
    _lock: AsyncPgConnection,
}

impl std::fmt::Debug for DatabaseRestore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("DatabaseRestore").field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl DatabaseRestore {
    /// Locks an empty database. `server_major` is the version of the server that was dumped, `archive_major` that of the
    /// `pg_dump` that did it.
    ///
    /// # Errors
    /// If the database cannot be reached, is not empty, or is of an older PostgreSQL, or if the programs are missing.
    pub async fn prepare(url: &str, server_major: u32, archive_major: u32) -> Result<Self, ArchiveError> {
        let connected = connection::maintenance(url).await;
        let mut connection = connected.map_err(|error| ArchiveError::Connect(error.to_string()))?;
        let server = facts::server_major(&mut connection).await?;
        if server < server_major {
            return Err(ArchiveError::OlderServer { archive: server_major, server });
        }
        let tools = ClientTools::find(server.max(archive_major), url).await?;
        lock(&mut connection).await?;
        if let Some(name) = facts::first_relation(&mut connection).await? {
            return Err(ArchiveError::NotEmpty(name));
        }
        Ok(Self { tools, server, _lock: connection })
    }

    /// Restores an archive in one transaction, which also holds the queue. Blocks the thread.
    ///
    /// # Errors
    /// If the archive cannot be read to its end, a program fails, or `stop` ends them; the database is then empty.
    pub fn read_from(&self, archive: &mut dyn Read, stop: &ArchiveStop) -> Result<(), ArchiveError> {
        let mut session = self.tools.command("psql");
        session.args(PSQL_OPTIONS).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut session = Program::start("psql", &mut session, stop)?;
        let (statements, acknowledged) = (session.take_input()?, acknowledgement(session.take_output()?));
        let mut converter = self.tools.command("pg_restore");
        converter.args(RESTORE_OPTIONS).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut converter = Program::start("pg_restore", &mut converter, stop)?;
        let (mut input, script) = (converter.take_input()?, converter.take_output()?);
        let has_timeout = self.server >= TRANSACTION_TIMEOUT_MAJOR;
        let executed = std::thread::spawn(move || pass_on(script, statements, has_timeout));
        let read = copy(archive, &mut input);
        drop(input);
        if let Err(error @ ArchiveError::Input(_)) = read {
            return Err(error);
        }
        // Statements that cannot be passed on were refused by psql, which names the cause.
        let Ok(Ok(mut statements)) = executed.join() else {
            return Err(early_end(session));
        };
        converter.finish()?;
        let end = format!("RESET search_path;\n{}\n\\echo {ACKNOWLEDGEMENT}\n", hold_script());
        if statements.write_all(end.as_bytes()).is_err() || acknowledged.recv().is_err() {
            drop(statements);
            return Err(early_end(session));
        }
        stop.begin_commit().map_err(|source| ArchiveError::Run { program: "psql", source })?;
        // A psql that has ended names its cause.
        let _ = statements.write_all(b"COMMIT;\n");
        drop(statements);
        session.finish()
    }
}

/// Returns the error of a session that ended before its COMMIT, with the cause that `psql` names.
fn early_end(session: Program) -> ArchiveError {
    let early = ArchiveError::Failed { program: "psql", reason: "it ended early".to_owned() };
    session.finish().err().unwrap_or(early)
}

/// Reads the output of `psql` to its end, and returns the receiver of the acknowledgement. It fails if `psql` ends before.
fn acknowledgement(output: ChildStdout) -> Receiver<()> {
    let (sender, acknowledged) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut reader, mut line) = (BufReader::new(output), Vec::new());
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            if line.trim_ascii_end() == ACKNOWLEDGEMENT.as_bytes() {
                // The receiver is gone after a failure.
                let _ = sender.send(());
            }
            line.clear();
        }
    });
    acknowledged
}

/// Takes the lock of migrations, without a wait for a process that has it.
async fn lock(connection: &mut AsyncPgConnection) -> Result<(), ArchiveError> {
    connection.batch_execute("SET lock_timeout = '2s'").await.map_err(failure)?;
    let locked = Sql::new("SELECT pg_advisory_lock($1)").big(LOCK).run(connection).await;
    locked.map(drop).map_err(|error| match error {
        StoreError::LockTimeout => ArchiveError::Busy,
        error => ArchiveError::Read(error),
    })
}

/// Passes the statements on to `psql` in a transaction, and returns its input for the end of it.
fn pass_on(
    script: ChildStdout,
    mut statements: ChildStdin,
    has_transaction_timeout: bool,
) -> Result<ChildStdin, ArchiveError> {
    let mut script = BufReader::new(script);
    statements.write_all(b"BEGIN;\n").map_err(ArchiveError::Output)?;
    if !has_transaction_timeout {
        copy_head(&mut script, &mut statements).map_err(ArchiveError::Output)?;
    }
    copy(&mut script, &mut statements)?;
    Ok(statements)
}

/// Copies the settings and comments at the head of a script, without the timeout that an earlier server does not know.
fn copy_head(script: &mut dyn BufRead, statements: &mut dyn Write) -> io::Result<()> {
    let mut line = Vec::new();
    while script.read_until(b'\n', &mut line)? > 0 {
        if line == TRANSACTION_TIMEOUT {
            return Ok(());
        }
        statements.write_all(&line)?;
        let is_head = line == b"\n" || [&b"--"[..], b"SET ", b"\\"].iter().any(|start| line.starts_with(start));
        if !is_head {
            return Ok(());
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn timeout_of_later_servers_is_left_out_of_the_head_alone() {
        let rest = "SET client_encoding = 'UTF8';\nCOPY t FROM stdin;\nSET transaction_timeout = 0;\n\\.\n";
        let head = "--\n-- PostgreSQL database dump\n--\n\n\\restrict x\n\nSET lock_timeout = 0;\n";
        let with = format!("{head}SET transaction_timeout = 0;\n{rest}");
        for (script, expected) in [(with.as_str(), format!("{head}{rest}")), (rest, rest.to_owned())] {
            let (mut script, mut passed) = (script.as_bytes(), Vec::new());
            copy_head(&mut script, &mut passed).unwrap();
            copy(&mut script, &mut passed).unwrap();
            assert_eq!(String::from_utf8(passed).unwrap(), expected);
        }
    }
}
