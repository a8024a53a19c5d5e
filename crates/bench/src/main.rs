//! Benchmarks of the whole server, side by side with what it is compared to.
//!
//! Whoever is compared is measured in the same run, in turns: the ratios of the rounds say more than any figure, for the
//! machine's speed drifts and both drift with it. Everything is durable. A demand that is not met is printed as such and
//! is no error: a benchmark is no test.

mod fill;
mod groups;
mod load;
mod memory;
mod outcome;
mod peers;
mod report;
mod server;

use clap::Parser;

use groups::{api, events, growth, idle, latency, reading, receiving, search, sending};
use outcome::Outcome;

/// What can be measured, in the order in which it is.
const GROUPS: [&str; 9] = ["reading", "receiving", "latency", "api", "search", "sending", "events", "growth", "idle"];

/// How fast inboxd is, beside others on the same machine.
#[derive(Debug, Parser)]
struct Options {
    /// What to measure: everything unless named.
    #[arg(value_parser = GROUPS)]
    groups: Vec<String>,
    /// How often everything is measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How many sockets wait.
    #[arg(long, default_value_t = 20_000)]
    sockets: usize,
    /// Whether an inbox of a million messages is searched as well, which takes many minutes.
    #[arg(long)]
    million: bool,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let options = Options::parse();
    let mut failed = Vec::new();
    for group in GROUPS {
        if !options.groups.is_empty() && !options.groups.iter().any(|asked| asked == group) {
            continue;
        }
        if let Err(error) = measure(group, &options).await {
            println!("{group} could not be measured: {error}");
            failed.push(group);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not measured: {}", failed.join(", ")).into()) }
}

async fn measure(group: &str, options: &Options) -> Outcome<()> {
    match group {
        "reading" => {
            reading::run(options.rounds);
            Ok(())
        }
        "receiving" => receiving::run(options.rounds).await,
        "latency" => latency::run(options.rounds).await,
        "api" => api::run(options.rounds).await,
        "search" => search::run(options.rounds, options.million).await,
        "sending" => sending::run(options.rounds).await,
        "growth" => growth::run(options.rounds).await,
        "events" => events::run(options.rounds).await,
        _ => idle::run(options.rounds, options.sockets).await,
    }
}
