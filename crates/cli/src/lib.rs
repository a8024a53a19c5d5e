//! Command line client of an inboxd.
//!
//! It knows a server by HTTP alone. Its commands are made from the OpenAPI document, so that every operation has one:
//!
//! ```text
//! document/         operations of the document, their fields, and the names of their commands
//! tree.rs           commands and arguments as clap sees them
//! call.rs           runs the command of an operation; values.rs: flags as JSON; attachments.rs: files
//! api.rs, watch.rs, socket.rs, shells.rs   commands that are not made from the document
//! session/          sign-in and out, and the profiles that remember it
//! http/             HTTP client: one server, no redirects
//! output/           tables and details for people, JSON for programs; no control characters of strangers
//! failure.rs        causes, next steps and exit codes
//! ```

mod api;
mod attachments;
mod call;
mod document;
mod event_stream;
mod failure;
mod http;
mod output;
mod session;
mod shells;
mod socket;
mod tree;
mod values;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::Value;

use crate::document::Catalog;
use crate::failure::CommandFailure;
use crate::output::{Presenter, Terminal};
use crate::session::{Session, SessionFlags};

/// Commands of the client.
#[derive(Debug)]
pub struct CommandLine {
    catalog: Catalog,
}

impl CommandLine {
    /// Reads the commands of an OpenAPI document.
    #[must_use]
    pub fn new(document: &Value) -> Self {
        Self { catalog: Catalog::read(document) }
    }

    /// Adds the commands to a program.
    #[must_use]
    pub fn extend(&self, root: Command) -> Command {
        tree::extend(root, &self.catalog)
    }

    /// Runs the command of the arguments. Returns `None` where it is a command of the program itself.
    pub async fn run(&self, root: &Command, matches: &ArgMatches) -> Option<ExitCode> {
        let (name, inner) = matches.subcommand()?;
        let result = match name {
            "completions" => shells::completions(root.clone(), inner),
            "man" => shells::man(root.clone(), inner),
            "login" | "logout" | "whoami" | "sign-up" | "watch" | "api" => own(name, matches, inner).await,
            group if self.catalog.groups().contains_key(group) => self.operation(group, matches, inner).await,
            _ => return None,
        };
        Some(match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                // A closed standard error is no reason to fail differently.
                let _ = writeln!(std::io::stderr(), "inboxd: {failure}");
                ExitCode::from(failure.status as u8)
            }
        })
    }

    /// Runs the command of an operation. A group without a command lists its items.
    async fn operation(&self, group: &str, root: &ArgMatches, matches: &ArgMatches) -> Result<(), CommandFailure> {
        let (name, inner) = matches.subcommand().unwrap_or(("list", matches));
        let flags = SessionFlags::read(&[root, matches, inner]);
        let Some(command) = self.catalog.command(group, name) else {
            return Err(CommandFailure::usage(format!("{group} has no command {name}")));
        };
        let presenter = Presenter::new(Terminal::detect(), flags.is_json);
        let session = Session::resolve(&flags)?;
        let ended = call::run(command, inner, &session, presenter).await;
        ended.map_err(|failure| session.explain(failure))
    }
}

/// Runs a command that is not made from the document.
async fn own(name: &str, root: &ArgMatches, matches: &ArgMatches) -> Result<(), CommandFailure> {
    let flags = SessionFlags::read(&[root, matches]);
    let session = Session::resolve(&flags)?;
    let presenter = Presenter::new(Terminal::detect(), flags.is_json);
    let ended = match name {
        "login" => session::login(&session, matches, presenter).await,
        "logout" => session::logout(&session, matches).await,
        "whoami" => session::whoami(&session, presenter).await,
        "sign-up" => session::sign_up(&session, matches, presenter).await,
        "watch" => watch::run(&session, matches, flags.is_json).await,
        _ => api::run(&session, matches, presenter).await,
    };
    ended.map_err(|failure| session.explain(failure))
}

/// Server and key of a command.
#[derive(Debug)]
pub struct ResolvedLogin {
    /// Base URL of the server.
    pub url: String,
    /// API key, if there is one.
    pub api_key: Option<String>,
}

/// Returns the server and key of another command of the program: those given, of the environment, or of the profile.
/// `--url` and `--profile` may stand before or after the name of the command.
///
/// # Errors
/// The cause in one line, when the URL or the file of profiles is unusable.
pub fn resolve_login(program: &ArgMatches, api_key: Option<String>) -> Result<ResolvedLogin, String> {
    let levels: Vec<&ArgMatches> =
        std::iter::once(program).chain(program.subcommand().map(|(_, inner)| inner)).collect();
    let flags = SessionFlags { key: api_key, ..SessionFlags::read(&levels) };
    let session = Session::resolve(&flags).map_err(|failure| failure.to_string())?;
    Ok(ResolvedLogin { url: session.url.to_string(), api_key: session.key })
}
