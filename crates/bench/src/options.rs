//! What to measure.

use std::path::PathBuf;

use clap::Parser;

/// What can be measured, in the order in which it is.
pub(crate) const GROUPS: [&str; 13] = [
    "reading",
    "receiving",
    "indexing",
    "cost",
    "latency",
    "api",
    "search",
    "sending",
    "events",
    "fairness",
    "growth",
    "idle",
    "retained",
];

/// How fast inboxd is, beside others on the same machine.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// What to measure: everything unless named.
    #[arg(value_parser = GROUPS)]
    groups: Vec<String>,
    /// How often everything is measured.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// The program that is measured: the one that was built beside this one unless named.
    #[arg(long, value_name = "PROGRAM", default_value_os_t = beside_this_program())]
    pub(crate) server: PathBuf,
    /// How many sockets wait.
    #[arg(long, default_value_t = 20_000)]
    pub(crate) sockets: usize,
    /// Whether an inbox of a million messages is searched as well, which takes many minutes.
    #[arg(long)]
    pub(crate) million: bool,
}

impl Options {
    /// Whether a group is to be measured.
    pub(crate) fn names(&self, group: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|named| named == group)
    }
}

fn beside_this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("inboxd")
}
