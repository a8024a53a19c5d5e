//! Benchmarks of the whole server beside peers on the same machine.
//!
//! Peers are measured in the same run, in turns. The speed of the machine drifts, and both drift with it, so the ratios
//! of the rounds are more reliable than single figures. All storage is durable. A missed requirement is printed and is
//! no error, because a benchmark is no test.

mod fill;
mod groups;
mod load;
mod memory;
mod options;
mod outcome;
mod peers;
mod processor;
mod report;
mod server;

use clap::Parser;

use groups::{
    api, console, cost, disk, events, fairness, growth, idle, indexing, latency, mcp, reading, receiving, retained,
    search, sending, soak, words,
};
use options::{GROUPS, Options};
use outcome::Outcome;

#[tokio::main]
async fn main() -> Outcome<()> {
    let options = Options::parse();
    let mut failed = Vec::new();
    for group in GROUPS.into_iter().filter(|group| options.names(group)) {
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
            reading::run(options);
            Ok(())
        }
        "receiving" => receiving::run(options).await,
        "cost" => cost::run(options).await,
        "indexing" => indexing::run(options).await,
        "latency" => latency::run(options).await,
        "api" => api::run(options).await,
        "mcp" => mcp::run(options).await,
        "console" => console::run(options).await,
        "search" => search::run(options).await,
        "words" => words::run(options).await,
        "sending" => sending::run(options).await,
        "growth" => growth::run(options).await,
        "events" => events::run(options).await,
        "retained" => retained::run(options).await,
        "fairness" => fairness::run(options).await,
        "disk" => disk::run(options).await,
        "soak" => soak::run(options).await,
        _ => idle::run(options).await,
    }
}
