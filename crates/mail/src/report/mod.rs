//! Bounce reports: delivery status (RFC 3464, RFC 6533) and feedback (RFC 5965).

mod aggregate;
mod automatic;
mod delivery;
mod feedback;
mod field_groups;
mod legacy;
mod status;

pub use aggregate::{AggregateReport, AggregateReports, DmarcRow, ReportRows, TlsRow, read_aggregate_reports};
pub(crate) use automatic::field_words;
pub use automatic::find_automatic_field;
pub use delivery::{DeliveryAction, ReportedRecipient};
pub use feedback::FeedbackReport;
pub use status::refusal_status;

use crate::parse::tree::{self, ParsedPart};

/// Maximum number of bytes read of a report part.
const MAX_REPORT_PART_BYTES: usize = 1024 * 1024;
/// Maximum number of recipients read of a report.
const MAX_RECIPIENTS: usize = 1000;

/// A parsed bounce report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BounceReport {
    /// Delivery status by recipient, at most 1,000.
    Delivery(Vec<ReportedRecipient>),
    /// Feedback of a reader or of its server.
    Feedback(FeedbackReport),
}

/// Parses a bounce report; `None` if the message is none.
///
/// The parts of RFC 3464 and RFC 5965 may have any encoding and depth in multiparts. Attached messages are not
/// searched, because they are the reported ones. Without such parts, the older text formats of qmail and Exim count.
/// The time is linear in the length.
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

/// Decodes the readable bytes of a part.
fn decoded(raw: &[u8], part: &ParsedPart) -> Vec<u8> {
    let mut bytes = part.content.encoding.decode(part.bytes(raw)).into_owned();
    bytes.truncate(MAX_REPORT_PART_BYTES);
    bytes
}
