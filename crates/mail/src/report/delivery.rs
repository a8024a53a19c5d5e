//! The body of `message/delivery-status` (RFC 3464 section 2, RFC 6533 section 3).

use super::field_groups::{address, groups};
use super::{MAX_RECIPIENTS, status};
use crate::address::EmailAddress;
use crate::wire::fields::fields;

/// What the reporting server did about a recipient (RFC 3464 section 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryAction {
    /// It gave up.
    Failed,
    /// It goes on trying.
    Delayed,
    /// The mail is in the mailbox.
    Delivered,
    /// It was handed to a server that does not report.
    Relayed,
    /// It was sent on to the members of a list.
    Expanded,
}

/// What a report says of one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRecipient {
    /// Its address: as the sender knows it first, then as the reporting server does. Empty when neither can be read.
    pub addresses: Vec<EmailAddress>,
    /// What was done.
    pub action: DeliveryAction,
    /// The enhanced status code (RFC 3463); where the report has none, that of the server's reply, or the most general
    /// one of its action.
    pub status: String,
}

/// Reads the body of one part. The groups need not be apart as they should: whatever begins again is another recipient.
pub(super) fn read(body: &[u8], recipients: &mut Vec<ReportedRecipient>) {
    for group in groups(body) {
        let mut current = RecipientFields::default();
        for field in fields(group) {
            if recipients.len() >= MAX_RECIPIENTS {
                return;
            }
            let Some(slot) = current.slot(field.name) else { continue };
            let begins_again = slot.is_some() && (field.is("Original-Recipient") || field.is("Final-Recipient"));
            if begins_again {
                recipients.extend(std::mem::take(&mut current).recipient());
            }
            if let Some(slot) = current.slot(field.name) {
                slot.get_or_insert_with(|| field.text());
            }
        }
        recipients.extend(current.recipient());
    }
    recipients.truncate(MAX_RECIPIENTS);
}

/// The fields of one recipient, as they were written.
#[derive(Debug, Default)]
struct RecipientFields {
    original: Option<String>,
    last: Option<String>,
    action: Option<String>,
    status: Option<String>,
    diagnostic: Option<String>,
}

impl RecipientFields {
    fn slot(&mut self, name: &[u8]) -> Option<&mut Option<String>> {
        match name.to_ascii_lowercase().as_slice() {
            b"original-recipient" => Some(&mut self.original),
            b"final-recipient" => Some(&mut self.last),
            b"action" => Some(&mut self.action),
            b"status" => Some(&mut self.status),
            b"diagnostic-code" => Some(&mut self.diagnostic),
            _ => None,
        }
    }

    /// What they say together; nothing where no recipient is spoken of.
    fn recipient(self) -> Option<ReportedRecipient> {
        let named = self.original.is_some() || self.last.is_some();
        if !named && self.action.is_none() {
            return None;
        }
        let status = status::choose(self.status.as_deref(), self.diagnostic.as_deref());
        let action = action(self.action.as_deref().unwrap_or_default(), status.as_deref())?;
        let mut addresses: Vec<EmailAddress> =
            [self.original, self.last].into_iter().flatten().filter_map(|value| address(&value)).collect();
        addresses.dedup();
        let status = status.unwrap_or_else(|| general(action).to_owned());
        Some(ReportedRecipient { addresses, action, status })
    }
}

/// The action by its name, and by the class of its status where it has none that is known.
fn action(value: &str, status: Option<&str>) -> Option<DeliveryAction> {
    let word = value.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "failed" | "failure" => Some(DeliveryAction::Failed),
        "delayed" => Some(DeliveryAction::Delayed),
        "delivered" => Some(DeliveryAction::Delivered),
        "relayed" => Some(DeliveryAction::Relayed),
        "expanded" => Some(DeliveryAction::Expanded),
        _ => match status?.get(..1)? {
            "5" => Some(DeliveryAction::Failed),
            "4" => Some(DeliveryAction::Delayed),
            _ => Some(DeliveryAction::Delivered),
        },
    }
}

fn general(action: DeliveryAction) -> &'static str {
    match action {
        DeliveryAction::Failed => "5.0.0",
        DeliveryAction::Delayed => "4.0.0",
        DeliveryAction::Delivered | DeliveryAction::Relayed | DeliveryAction::Expanded => "2.0.0",
    }
}
