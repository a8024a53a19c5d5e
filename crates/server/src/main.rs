//! Server `inboxd`: configuration and wiring.

mod account;
mod activation;
mod admin;
mod announcement;
mod backup;
mod blobs;
mod capture;
mod certificates;
mod cli;
mod config;
mod configuration;
mod descriptors;
mod doctor;
mod environment;
mod failure;
mod keeper;
mod listeners;
mod logging;
mod mcp;
mod metrics;
mod payments;
mod ready;
mod reload;
mod scanner;
mod secret_key;
mod serve;
mod service_manager;
mod services;
mod setup;
mod space;
mod spam;
mod starting;
#[cfg(feature = "otlp")]
mod traces;
mod transport;
mod vault;
mod version;

use std::io::Write as _;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The child that reads attachments limits itself before any thread starts.
    if std::env::args_os().nth(1).is_some_and(|command| command == inboxd_extractor::CHILD_COMMAND) {
        return inboxd_extractor::run_child();
    }
    match cli::run() {
        Ok(code) => code,
        Err(failure) => {
            // A closed standard error is no reason to fail.
            let _ = writeln!(std::io::stderr(), "inboxd: {failure}");
            ExitCode::FAILURE
        }
    }
}
