//! `inboxd doctor`: checks of all requirements of the service, with remedies (`wire.md`, section 7).
//!
//! Each check prints one line as soon as it ends. Nothing changes: no migration runs, no port stays bound, and
//! temporary folders are deleted.

mod clock;
mod database;
mod dns;
mod finding;
mod oauth;
mod ports;
mod postmaster;
mod records;
mod relay;
mod reverse;
mod scanner;
mod state;

use std::io::Write as _;

use finding::{Finding, Level};

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
        findings.tell(&finding);
    }
    findings.tell(&clock::examine(database.ahead));
    for finding in ports::examine(config).await {
        findings.tell(&finding);
    }
    for finding in oauth::examine(config).await {
        findings.tell(&finding);
    }
    if let Some(finding) = relay::examine(config).await {
        findings.tell(&finding);
    }
    if let Some(finding) = scanner::examine(config).await {
        findings.tell(&finding);
    }
    if let Some(finding) = postmaster::examine(config) {
        findings.tell(&finding);
    }
    for finding in dns::examine(config, &database.keys).await {
        findings.tell(&finding);
    }
    for finding in reverse::examine(config).await {
        findings.tell(&finding);
    }
    findings.outcome()
}

/// Severities of the printed results.
#[derive(Default)]
struct Findings(Vec<Level>);

impl Findings {
    fn tell(&mut self, finding: &Finding) {
        // A closed output is no error: the exit status reports the result as well.
        let _ = writeln!(std::io::stdout(), "{finding}");
        self.0.push(finding.level);
    }

    fn outcome(self) -> Result<(), Failure> {
        let failed = self.0.iter().filter(|level| **level == Level::Fail).count();
        match failed {
            0 => Ok(()),
            _ => Err(Failure::new(format!("{failed} of {} checks failed", self.0.len()))),
        }
    }
}
