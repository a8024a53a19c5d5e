//! The built-in spam filter: checks that need no other service.
//!
//! ```text
//! gtube.rs        the test line that every filter knows
//! vouching.rs     who vouches for the mail
//! header.rs       what its header claims
//! wording.rs      what it says
//! links.rs        where its links lead
//! attachments.rs  what it carries
//! ```
//!
//! Each check is a pure question about the mail; what it finds has a name, a weight and a sentence. The weights add up,
//! and from [`THRESHOLD`] on a mail is spam. They are chosen so that no single habit of honest mail reaches it.

mod attachments;
mod gtube;
mod header;
mod links;
mod vouching;
mod wording;

use async_trait::async_trait;

use crate::model::{SpamReason, SpamReport};
use crate::ports::{SpamFilter, SuspectMail};

/// The score from which on a mail is spam.
pub const THRESHOLD: f64 = 5.0;

/// Something that a check found.
struct Found {
    name: &'static str,
    score: f64,
    description: &'static str,
}

impl Found {
    /// What is found if it is so.
    fn when(holds: bool, name: &'static str, score: f64, description: &'static str) -> Option<Self> {
        holds.then_some(Self { name, score, description })
    }
}

type Check = fn(&SuspectMail<'_>) -> Vec<Found>;

const CHECKS: &[Check] =
    &[gtube::check, vouching::check, header::check, wording::check, links::check, attachments::check];

/// Judges by the built-in checks.
#[must_use]
pub fn judge(mail: &SuspectMail<'_>) -> SpamReport {
    let mut found: Vec<Found> = CHECKS.iter().flat_map(|check| check(mail)).collect();
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    // Sums of tenths are shown as such.
    let score = (found.iter().map(|found| found.score).sum::<f64>() * 10.0).round() / 10.0;
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

/// The filter that leaves every mail to the built-in checks.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltIn;

#[async_trait]
impl SpamFilter for BuiltIn {
    async fn judge(&self, _mail: SuspectMail<'_>) -> Option<SpamReport> {
        None
    }
}

/// The beginning of a text, as far as the checks read: spam says at its beginning what it wants.
fn beginning(text: &str) -> &str {
    const MOST_OCTETS: usize = 128 * 1024;
    let mut end = text.len().min(MOST_OCTETS);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
