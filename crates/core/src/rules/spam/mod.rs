//! Built-in spam filter: checks that need no other service.
//!
//! ```text
//! gtube.rs        test line that every filter detects
//! authentication.rs authentication results
//! header.rs       header and envelope
//! wording.rs      phrases in the text
//! links.rs        targets of links
//! attachments.rs  attached files
//! signal.rs       signal of a check
//! ```
//!
//! Each check is a pure function of the message. A signal has a name, a weight and a description. The weights add up,
//! and a message is spam from [`THRESHOLD`] on. No single habit of legitimate mail reaches it.

mod attachments;
mod authentication;
mod gtube;
mod header;
mod links;
mod signal;
mod wording;

use async_trait::async_trait;

use self::signal::SpamSignal;
use crate::model::{SpamReason, SpamReport};
use crate::ports::{SpamFilter, SuspectMail};

/// Score from which a message is spam.
pub const THRESHOLD: f64 = 5.0;

type Check = fn(&SuspectMail<'_>) -> Vec<SpamSignal>;

const CHECKS: &[Check] =
    &[gtube::check, authentication::check, header::check, wording::check, links::check, attachments::check];

/// Evaluates a message with the built-in checks.
#[must_use]
pub fn evaluate(mail: &SuspectMail<'_>) -> SpamReport {
    let mut found: Vec<SpamSignal> = CHECKS.iter().flat_map(|check| check(mail)).collect();
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    // Rounds sums of tenths to tenths.
    let score = (found.iter().map(|found| found.score).sum::<f64>() * 10.0).round() / 10.0;
    let reason = |found: SpamSignal| SpamReason {
        name: found.name.to_owned(),
        score: found.score,
        description: Some(found.description.to_owned()),
    };
    SpamReport {
        filter: "built-in".to_owned(),
        is_spam: score >= THRESHOLD,
        score,
        threshold: THRESHOLD,
        reasons: found.into_iter().map(reason).collect(),
    }
}

/// Spam filter without an external service: the built-in checks alone decide.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltIn;

#[async_trait]
impl SpamFilter for BuiltIn {
    async fn judge(&self, _mail: SuspectMail<'_>) -> Option<SpamReport> {
        None
    }
}
