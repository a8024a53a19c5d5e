//! Command line options.

use std::path::PathBuf;

use clap::Parser;

/// Names of all groups in the order of measurement.
pub(crate) const GROUPS: [&str; 16] = [
    "reading",
    "receiving",
    "indexing",
    "cost",
    "latency",
    "api",
    "mcp",
    "console",
    "search",
    "words",
    "sending",
    "events",
    "fairness",
    "growth",
    "idle",
    "retained",
];

/// Measures inboxd beside peers on the same machine.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Groups to measure. The default is all.
    #[arg(value_parser = GROUPS)]
    groups: Vec<String>,
    /// Number of rounds.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Program to measure. The default is the one beside this program.
    #[arg(long, value_name = "PROGRAM", default_value_os_t = beside_this_program())]
    pub(crate) server: PathBuf,
    /// Another build of the server, measured in turns with the first by the group `cost`, in place of its peers.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) against: Option<PathBuf>,
    /// Number of waiting sockets.
    #[arg(long, default_value_t = 20_000)]
    pub(crate) sockets: usize,
    /// Also searches an inbox of a million messages, which takes many minutes.
    #[arg(long)]
    pub(crate) million: bool,
}

impl Options {
    /// Returns whether a group is selected.
    pub(crate) fn names(&self, group: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|named| named == group)
    }
}

fn beside_this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("inboxd")
}
