//! `inboxd doctor`: checks of all requirements of the service, with remedies (`wire.md`, section 7).
//!
//! Each check prints one line as soon as it ends. Nothing changes: no migration runs, no port stays bound, and
//! temporary folders are deleted.

mod blobs;
pub(crate) mod clock;
pub(crate) mod database;
pub(crate) mod dns;
mod dnssec;
mod finding;
pub(crate) mod oauth;
pub(crate) mod ports;
pub(crate) mod postmaster;
mod proxies;
mod records;
pub(crate) mod relay;
pub(crate) mod reverse;
mod scanner;
mod standbys;
mod state;
pub(crate) mod tls;
pub(crate) mod wanted;

use std::io::Write as _;

pub(crate) use finding::{Finding, Level};
pub(crate) use ports::{ListenerTarget, greeting, send_request};

use crate::config::Config;
use crate::failure::Failure;

/// Runs and prints all checks.
///
/// # Errors
///
/// Fails if a check failed, so that scripts can detect it.
pub(crate) async fn examine(config: &Config) -> Result<(), Failure> {
    let mut findings = Findings::default();
    let database = database::examine(config).await;
    for finding in database.findings {
        findings.print(&finding);
    }
    for finding in standbys::examine(config).await {
        findings.print(&finding);
    }
    findings.print(&clock::examine(database.ahead));
    for finding in blobs::examine(config).await {
        findings.print(&finding);
    }
    for finding in ports::examine(config).await {
        findings.print(&finding);
    }
    if let Some(finding) = proxies::examine(config) {
        findings.print(&finding);
    }
    for finding in tls::examine(config, database.certificate.as_ref()) {
        findings.print(&finding);
    }
    for finding in oauth::examine(config).await {
        findings.print(&finding);
    }
    if let Some(finding) = relay::examine(config).await {
        findings.print(&finding);
    }
    if let Some(finding) = scanner::examine(config).await {
        findings.print(&finding);
    }
    if let Some(finding) = postmaster::examine(config) {
        findings.print(&finding);
    }
    for finding in dns::examine(config, &database.keys).await {
        findings.print(&finding);
    }
    if let Some(finding) = dnssec::examine(config).await {
        findings.print(&finding);
    }
    for finding in reverse::examine(config).await {
        findings.print(&finding);
    }
    findings.outcome()
}

/// Severities of the printed results.
#[derive(Default)]
pub(crate) struct Findings(Vec<Level>);

impl Findings {
    /// Prints a result.
    pub(crate) fn print(&mut self, finding: &Finding) {
        // A closed output is no error: the exit status reports the result as well.
        let _ = writeln!(std::io::stdout(), "{finding}");
        self.0.push(finding.level);
    }

    /// Adds the severities of other results.
    pub(crate) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the number of results of a severity.
    pub(crate) fn count(&self, level: Level) -> usize {
        self.0.iter().filter(|other| **other == level).count()
    }

    /// Returns an error if a check failed.
    pub(crate) fn outcome(self) -> Result<(), Failure> {
        let failed = self.count(Level::Fail);
        match failed {
            0 => Ok(()),
            _ => Err(Failure::new(format!("{failed} of {} checks failed", self.0.len()))),
        }
    }
}
