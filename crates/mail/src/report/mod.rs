//! Reports that come back about a mail: of its delivery (RFC 3464, RFC 6533), and of what its reader thinks of it
//! (RFC 5965).

mod automatic;
mod delivery;
mod feedback;
mod field_groups;
mod legacy;
mod status;

pub use automatic::find_automatic_field;
pub use delivery::{DeliveryAction, ReportedRecipient};
pub use feedback::FeedbackReport;

use crate::parse::tree::{self, ParsedPart};

/// How many octets of one part of a report are read; the rest is cut off.
const MAX_REPORT_PART_BYTES: usize = 1024 * 1024;
/// How many recipients of a report are read.
const MAX_RECIPIENTS: usize = 1000;

/// What a report says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BounceReport {
    /// What became of the mail, recipient by recipient; at most 1,000 of them.
    Delivery(Vec<ReportedRecipient>),
    /// A reader, or their server, says what kind of mail it was.
    Feedback(FeedbackReport),
}

/// Reads a report, whatever program wrote it; `None` when the mail is none.
///
/// The parts of RFC 3464 and RFC 5965 are found however deep they are nested in multiparts and however they are encoded,
/// but not within mails that are attached: those are what is reported. Without them, the older forms count that qmail and
/// Exim write in plain text. The time is linear in the octets given.
#[must_use]
pub fn read_report(raw: &[u8]) -> Option<BounceReport> {
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
        return Some(BounceReport::Delivery(recipients));
    }
    if let Some(part) = of_kind(&["message/feedback-report"]).next() {
        return feedback::read(&decoded(raw, part)).map(BounceReport::Feedback);
    }
    let text = of_kind(&["text/plain"]).next().map(|part| decoded(raw, part)).unwrap_or_default();
    legacy::read(raw, &text).map(BounceReport::Delivery)
}

/// The octets of a part, its transfer encoding undone, as far as they are read.
fn decoded(raw: &[u8], part: &ParsedPart) -> Vec<u8> {
    let mut bytes = part.content.encoding.decode(part.bytes(raw)).into_owned();
    bytes.truncate(MAX_REPORT_PART_BYTES);
    bytes
}
