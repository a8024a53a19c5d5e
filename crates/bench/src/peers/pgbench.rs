//! PostgreSQL alone, measured by its own pgbench.

use std::io::Write;
use std::process::Command;

use crate::outcome::Outcome;
use crate::peers::output_of;
use crate::peers::psql::Database;

/// Result of pgbench.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PgbenchResult {
    /// Transactions per second of all clients.
    pub(crate) rate: f64,
    /// Mean time of a transaction in milliseconds.
    pub(crate) latency_ms: f64,
}

/// Script that commits one row of the size of a message and one event row.
pub(crate) const COMMIT: &str = "\
\\set kind random(1, 10)
begin;
insert into bench_mail (mail) values (repeat('0123456789abcdef', 512));
insert into bench_event (kind, at) values (:kind, now());
commit;
";

/// Creates the tables of [`COMMIT`]. Messages are stored uncompressed, because their size is measured.
pub(crate) fn prepare_commits(database: &Database) -> Outcome<()> {
    database.execute(
        "create table bench_mail (id bigserial primary key, mail text);
         alter table bench_mail alter column mail set storage external;
         create table bench_event (id bigserial primary key, kind int, at timestamptz)",
    )?;
    Ok(())
}

/// Runs a script with prepared statements, so many clients and seconds.
pub(crate) fn run(database: &Database, script: &str, clients: usize, seconds: u32) -> Outcome<PgbenchResult> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(script.as_bytes())?;
    let found = output_of(
        Command::new("pgbench")
            .args(["-n", "-M", "prepared", "-c", &clients.to_string(), "-j", "2", "-T", &seconds.to_string(), "-f"])
            .arg(file.path())
            .arg(database.url()),
    )?;
    let number = |mark: &str| -> Outcome<f64> {
        let (_, rest) = found.split_once(mark).ok_or_else(|| format!("pgbench said {found}"))?;
        Ok(rest.split_whitespace().next().unwrap_or_default().parse()?)
    };
    Ok(PgbenchResult { rate: number("tps = ")?, latency_ms: number("latency average = ")? })
}
