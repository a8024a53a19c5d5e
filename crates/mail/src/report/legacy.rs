//! Report formats older than RFC 3464.
//!
//! These are the bounces of qmail (<https://cr.yp.to/proto/qsbmf.txt>) and the field X-Failed-Recipients of Exim, which
//! other servers adopted.

use super::delivery::{DeliveryAction, ReportedRecipient};
use super::field_groups::groups;
use super::{MAX_RECIPIENTS, status};
use crate::address::{EmailAddress, parse_address_list};
use crate::wire::fields::{MAX_FIELD_VALUE_BYTES, header_values};

/// Start of every bounce of qmail and its descendants.
const QMAIL: &[u8] = b"Hi. This is ";
/// Start of the line before the copy of the message in a bounce of Exim. The copy says nothing about the reason.
const EXIM_COPY: &str = "------ This is a copy of";

/// Returns the recipients that a message with this text reports as failed; `None` if it is no such report.
pub(super) fn read(raw: &[u8], text: &[u8]) -> Option<Vec<ReportedRecipient>> {
    if let Some(recipients) = of_qmail(text) {
        return Some(recipients);
    }
    let named = header_values(raw, "X-Failed-Recipients");
    let text = String::from_utf8_lossy(text.get(..MAX_FIELD_VALUE_BYTES).unwrap_or(text));
    let reason = text.split(EXIM_COPY).next().unwrap_or_default();
    let status = status::of_reply(reason).unwrap_or_else(|| "5.0.0".to_owned());
    let addresses = named.iter().flat_map(|value| parse_address_list(value, MAX_RECIPIENTS));
    let recipients: Vec<_> = addresses
        .filter_map(|address| Some(failed(address.address.parse().ok()?, status.clone())))
        .take(MAX_RECIPIENTS)
        .collect();
    Some(recipients).filter(|recipients| !recipients.is_empty())
}

/// Reads a paragraph `<bob@example.org>:` with its reason for each recipient, up to one that begins with a dash.
fn of_qmail(text: &[u8]) -> Option<Vec<ReportedRecipient>> {
    let mut paragraphs = groups(text);
    paragraphs.next().filter(|first| first.starts_with(QMAIL))?;
    let recipients = paragraphs.take_while(|paragraph| !paragraph.starts_with(b"-")).filter_map(|paragraph| {
        let paragraph = String::from_utf8_lossy(paragraph);
        let (address, reason) = paragraph.strip_prefix('<')?.split_once(">:")?;
        let status = status::of_reply(reason).unwrap_or_else(|| "5.0.0".to_owned());
        Some(failed(address.parse().ok()?, status))
    });
    Some(recipients.take(MAX_RECIPIENTS).collect::<Vec<_>>()).filter(|recipients| !recipients.is_empty())
}

fn failed(address: EmailAddress, status: String) -> ReportedRecipient {
    ReportedRecipient { addresses: vec![address], action: DeliveryAction::Failed, status }
}
