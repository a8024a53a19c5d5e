//! Peers: other programs measured on the same machine for comparison with inboxd.
//!
//! ```text
//! postfix.rs    Postfix and smtp-source; sink.rs: smtp-sink
//! psql.rs       SQL on a database; pgbench.rs: PostgreSQL alone
//! ripgrep.rs    rg over text in memory; dovecot.rs: IMAP search
//! memory.rs     actix endpoint that returns bytes from memory; wrk.rs: HTTP client at maximum rate
//! ```

pub(crate) mod dovecot;
pub(crate) mod memory;
pub(crate) mod pgbench;
pub(crate) mod postfix;
pub(crate) mod psql;
pub(crate) mod ripgrep;
pub(crate) mod sink;
pub(crate) mod wrk;

use std::process::{Command, Output};

use crate::outcome::Outcome;

/// Runs a program to its end and returns its output.
pub(crate) fn output_of(command: &mut Command) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Output { status, stdout, stderr } =
        command.output().map_err(|error| format!("{name} cannot be run: {error}"))?;
    if !status.success() {
        return Err(format!("{name}: {status} {}", String::from_utf8_lossy(&stderr)).into());
    }
    Ok(String::from_utf8_lossy(&stdout).into_owned())
}

/// Returns the result of a peer. After a failure it prints the cause and returns `None`.
pub(crate) fn result_or_skip<T>(name: &str, outcome: Outcome<T>) -> Option<T> {
    outcome.inspect_err(|error| println!("  {name} cannot be measured: {error}")).ok()
}
