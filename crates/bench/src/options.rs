//! Command line options.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::RangedU64ValueParser;

/// Names of all groups in the order of measurement.
pub(crate) const GROUPS: [&str; 18] = [
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
    "disk",
    "soak",
];
/// Group that runs only if it is named.
const LONG_GROUP: &str = "soak";

/// Measures inboxd beside peers on the same machine.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Groups to measure. The default is all except `soak`, which takes an hour.
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
    /// Duration of the group `soak` in minutes.
    #[arg(long, default_value_t = 60)]
    pub(crate) minutes: u64,
    /// Number of sockets that receive events in the group `soak`.
    #[arg(long, default_value_t = 2_000)]
    pub(crate) watchers: usize,
    /// Number of messages of 4 KB that the group `disk` stores.
    #[arg(long, default_value_t = 20_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) mails: usize,
    /// Also searches an inbox of a million messages, which takes many minutes.
    #[arg(long)]
    pub(crate) million: bool,
}

impl Options {
    /// Returns whether a group is selected.
    pub(crate) fn names(&self, group: &str) -> bool {
        (self.groups.is_empty() && group != LONG_GROUP) || self.groups.iter().any(|named| named == group)
    }
}

fn beside_this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("inboxd")
}
