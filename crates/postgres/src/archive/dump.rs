//! Dump of a database by `pg_dump`.

use std::io::Write;
use std::process::Stdio;

use super::error::ArchiveError;
use super::facts::DatabaseFacts;
use super::program::{Program, copy};
use super::stop::ArchiveStop;
use super::tools::ClientTools;

/// Options of `pg_dump`. Owner and privileges are those of the database that the archive is restored into. A table locked by
/// a migration is waited for. The compression level is low, since the processors also serve.
const OPTIONS: [&str; 7] = [
    "--format=custom",
    "--compress=1",
    "--no-owner",
    "--no-privileges",
    "--no-publications",
    "--no-subscriptions",
    "--lock-wait-timeout=60s",
];

/// Dump of a database, before its start.
#[derive(Debug)]
pub struct DatabaseDump {
    facts: DatabaseFacts,
    tools: ClientTools,
}

impl DatabaseDump {
    /// Finds the programs for a database.
    ///
    /// # Errors
    /// If the database cannot be reached or has no tables of inboxd, or the programs are missing or older than the server.
    pub async fn prepare(url: &str) -> Result<Self, ArchiveError> {
        let facts = DatabaseFacts::read(url).await?;
        let tools = ClientTools::find(facts.server_major, url).await?;
        Ok(Self { facts, tools })
    }

    /// Returns the state of the database.
    #[must_use]
    pub fn facts(&self) -> &DatabaseFacts {
        &self.facts
    }

    /// Returns the major version of `pg_dump`: an earlier `pg_restore` cannot read the archive.
    #[must_use]
    pub fn archive_major(&self) -> u32 {
        self.tools.major
    }

    /// Writes the archive of one snapshot, and returns its bytes. Blocks the thread.
    ///
    /// # Errors
    /// If `pg_dump` fails or the output cannot be written; the output is then incomplete.
    pub fn write_to(&self, output: &mut dyn Write, stop: &ArchiveStop) -> Result<u64, ArchiveError> {
        let mut command = self.tools.command("pg_dump");
        command.args(OPTIONS).arg("--no-password").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut program = Program::start("pg_dump", &mut command, stop)?;
        let copied = copy(&mut program.take_output()?, output)?;
        program.finish()?;
        Ok(copied)
    }
}
