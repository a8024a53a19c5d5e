//! Reports that come back about a mail: of its delivery (RFC 3464, RFC 6533), and of what its reader thinks of it
//! (RFC 5965).

mod automatic;
mod delivery;
mod feedback;
mod groups;
mod plain;
mod status;

pub use automatic::automatic_sign;
pub use delivery::{Action, ReportedRecipient};
pub use feedback::Feedback;

use crate::parse::tree::{self, Part};

/// How many octets of one part of a report are read; the rest is cut off.
const MAX_PART: usize = 1024 * 1024;
/// How many recipients of a report are read.
const MAX_RECIPIENTS: usize = 1000;

/// What a report says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// What became of the mail, recipient by recipient; at most 1,000 of them.
    Delivery(Vec<ReportedRecipient>),
    /// A reader, or their server, says what kind of mail it was.
    Feedback(Feedback),
}

/// Reads a report, whatever program wrote it; `None` when the mail is none.
///
/// The parts of RFC 3464 and RFC 5965 are found however deep they are nested in multiparts and however they are encoded,
/// but not within mails that are attached: those are what is reported. Without them, the older forms count that qmail and
/// Exim write in plain text. The time is linear in the octets given.
#[must_use]
pub fn read_report(raw: &[u8]) -> Option<Report> {
    let parts = tree::walk(raw);
    let of_kind = |kinds: &'static [&str]| {
        parts.iter().filter(|part| part.children.is_empty() && kinds.contains(&part.content.media()))
    };
    let mut statuses = of_kind(&["message/delivery-status", "message/global-delivery-status"]).peekable();
    if statuses.peek().is_some() {
        let mut recipients = Vec::new();
        for part in statuses {
            delivery::read(&decoded(raw, part), &mut recipients);
        }
        return Some(Report::Delivery(recipients));
    }
    if let Some(part) = of_kind(&["message/feedback-report"]).next() {
        return feedback::read(&decoded(raw, part)).map(Report::Feedback);
    }
    let text = of_kind(&["text/plain"]).next().map(|part| decoded(raw, part)).unwrap_or_default();
    plain::read(raw, &text).map(Report::Delivery)
}

/// The octets of a part, its transfer encoding undone, as far as they are read.
fn decoded(raw: &[u8], part: &Part) -> Vec<u8> {
    let mut octets = part.content.encoding.decode(part.bytes(raw)).into_owned();
    octets.truncate(MAX_PART);
    octets
}
