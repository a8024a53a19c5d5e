//! Body of `message/delivery-status` (RFC 3464, section 2; RFC 6533, section 3).

use super::field_groups::{address, groups};
use super::{MAX_RECIPIENTS, status};
use crate::address::EmailAddress;
use crate::wire::fields::fields;

/// Action of the reporting server for a recipient (RFC 3464, section 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryAction {
    /// Delivery failed permanently.
    Failed,
    /// Delivery continues.
    Delayed,
    /// The mailbox received the message.
    Delivered,
    /// A server that sends no reports accepted the message.
    Relayed,
    /// The message went to the members of a list.
    Expanded,
}

/// Report about one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRecipient {
    /// Address as the sender knows it, then as the reporting server does; empty if neither is readable.
    pub addresses: Vec<EmailAddress>,
    /// Action of the server.
    pub action: DeliveryAction,
    /// Enhanced status code (RFC 3463). Without one, that of the server reply, or the general one of the action.
    pub status: String,
}

/// Reads the body of one part. The empty line between groups is optional: a repeated address field starts the next
/// recipient.
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

/// Raw fields of one recipient.
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

    /// Combines the fields; returns `None` if they concern no recipient.
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

/// Returns the action by name, or by the class of the status for an unknown one.
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
