//! Reports from before RFC 3464: the bounces of qmail (<https://cr.yp.to/proto/qsbmf.txt>), and the field
//! X-Failed-Recipients, which Exim writes and others have learned from it.

use super::delivery::{DeliveryAction, ReportedRecipient};
use super::field_groups::groups;
use super::{MAX_RECIPIENTS, status};
use crate::address::{EmailAddress, parse_address_list};
use crate::wire::fields::{MAX_FIELD_VALUE_BYTES, header_values};

/// What every bounce of qmail and its kin begins with.
const QMAIL: &[u8] = b"Hi. This is ";

/// The recipients that a mail with this text reports as failed; `None` when it is no such report.
pub(super) fn read(raw: &[u8], text: &[u8]) -> Option<Vec<ReportedRecipient>> {
    if let Some(recipients) = of_qmail(text) {
        return Some(recipients);
    }
    let named = header_values(raw, "X-Failed-Recipients");
    let text = String::from_utf8_lossy(text.get(..MAX_FIELD_VALUE_BYTES).unwrap_or(text));
    let status = status::enhanced(&text).filter(|status| !status.starts_with('2')).unwrap_or("5.0.0");
    let addresses = named.iter().flat_map(|value| parse_address_list(value, MAX_RECIPIENTS));
    let recipients: Vec<_> = addresses
        .filter_map(|address| Some(failed(address.address.parse().ok()?, status.to_owned())))
        .take(MAX_RECIPIENTS)
        .collect();
    Some(recipients).filter(|recipients| !recipients.is_empty())
}

/// A paragraph `<bob@example.org>:` and its reason for each recipient, up to one that begins with a dash.
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
