//! The built-in spam filter: checks that need no other service.
//!
//! Each check is a pure question about the mail with a name, a weight and a sentence; the weights add up, and from
//! [`THRESHOLD`] on a mail is spam. The weights are chosen so that no single habit of honest mail reaches it.

mod gtube;

use async_trait::async_trait;

use crate::model::{SpamReason, SpamReport};
use crate::ports::{SpamFilter, SuspectMail};

/// The score from which on a mail is spam.
pub const THRESHOLD: f64 = 5.0;

/// A check that found something.
struct Found {
    name: &'static str,
    score: f64,
    description: &'static str,
}

/// The checks, in no order that matters.
const CHECKS: &[fn(&SuspectMail<'_>) -> Vec<Found>] = &[gtube::check];

/// Judges by the built-in checks.
#[must_use]
pub fn judge(mail: &SuspectMail<'_>) -> SpamReport {
    let mut found: Vec<Found> = CHECKS.iter().flat_map(|check| check(mail)).collect();
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    let score: f64 = found.iter().map(|found| found.score).sum();
    let reason = |found: Found| SpamReason {
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

/// The built-in checks as a filter.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltIn;

#[async_trait]
impl SpamFilter for BuiltIn {
    async fn judge(&self, mail: SuspectMail<'_>) -> SpamReport {
        judge(&mail)
    }
}
