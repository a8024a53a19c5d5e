//! `inboxd doctor`: looks at everything that serving needs, and says how to mend what is wrong (`wire.md`, section 7).
//!
//! A line for each check, as soon as it is known. Nothing is changed: no migration, no port held, and a folder that was
//! made to try something is gone again.

mod clock;
mod database;
mod dns;
mod finding;
mod ports;
mod postmaster;
mod records;
mod relay;
mod reverse;
mod state;

use std::io::Write as _;

use finding::{Finding, Level};

use crate::config::Config;
use crate::failure::Failure;

/// Checks everything and prints what it finds.
///
/// # Errors
/// When a check failed, so that a script can tell.
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
    if let Some(finding) = relay::examine(config).await {
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

/// What was found so far.
#[derive(Default)]
struct Findings(Vec<Level>);

impl Findings {
    fn tell(&mut self, finding: &Finding) {
        // Nobody has to listen: the exit status tells as well.
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
