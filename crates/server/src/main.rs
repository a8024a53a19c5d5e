//! Server `inboxd`: configuration and wiring.

mod admin;
mod capture;
mod cli;
mod config;
mod descriptors;
mod doctor;
mod environment;
mod failure;
mod keeper;
mod logging;
mod mcp;
mod payments;
mod scanner;
mod secret_key;
mod serve;
mod services;
mod space;
mod spam;
mod starting;
mod transport;
mod vault;

use std::io::Write as _;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The child that reads attachments limits itself before any thread starts.
    if std::env::args_os().nth(1).is_some_and(|command| command == inboxd_extractor::CHILD_COMMAND) {
        return inboxd_extractor::run_child();
    }
    run_command()
}

#[tokio::main]
async fn run_command() -> ExitCode {
    match cli::run().await {
        Ok(code) => code,
        Err(failure) => {
            // A closed standard error is no reason to fail.
            let _ = writeln!(std::io::stderr(), "inboxd: {failure}");
            ExitCode::FAILURE
        }
    }
}
