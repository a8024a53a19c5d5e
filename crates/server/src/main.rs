//! The server `inboxd`: configuration and wiring, nothing else.

mod admin;
mod capture;
mod cli;
mod config;
mod delivery;
mod descriptors;
mod doctor;
mod environment;
mod failure;
mod feed;
mod finishing;
mod heartbeat;
mod journal;
mod keeper;
mod logging;
mod mailroom;
mod payments;
mod sampling;
mod searching;
mod secret_key;
mod serve;
mod services;
mod shares;
mod space;
mod spam;
mod starting;
mod transport;
mod vault;
mod webhooks;
mod worker;

use std::io::Write as _;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    match cli::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nobody has to listen.
            let _ = writeln!(std::io::stderr(), "inboxd: {failure}");
            ExitCode::FAILURE
        }
    }
}
