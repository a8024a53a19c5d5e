//! Redaction of a message: what it takes away, and what stays.

use time::OffsetDateTime;

use crate::model::MessageItem;
use crate::rules::trust::{Judgement, Reason};
use crate::{Error, RedactionRefusal};

/// Header fields that stay. They identify the message; replies refer to them.
const KEPT_FIELDS: [&str; 2] = ["Message-ID", "Date"];

/// Returns a message without its content. Ids, addresses, labels, times and the verdict stay.
#[must_use]
pub fn redacted(message: MessageItem, now: OffsetDateTime) -> MessageItem {
    MessageItem {
        subject: None,
        preview: None,
        attachments: Vec::new(),
        size: 0,
        trust: message.trust.map(without_content),
        redacted_at: Some(now),
        updated_at: now,
        ..message
    }
}

/// Returns the header fields that stay.
#[must_use]
pub fn kept_fields(fields: Vec<(String, String)>) -> Vec<(String, String)> {
    let is_kept = |(name, _): &(String, String)| KEPT_FIELDS.iter().any(|kept| name.eq_ignore_ascii_case(kept));
    fields.into_iter().filter(is_kept).collect()
}

/// Refuses to read the content of a redacted message.
///
/// # Errors
/// [`RedactionRefusal::Redacted`].
pub fn require_content(message: &MessageItem) -> Result<(), Error> {
    match message.redacted_at {
        Some(_) => Err(RedactionRefusal::Redacted(message.message_id.clone()).into()),
        None => Ok(()),
    }
}

fn without_content(judgement: Judgement) -> Judgement {
    let reasons = judgement.reasons.into_iter().map(without_words).collect();
    Judgement { reasons, ..judgement }
}

/// Returns a reason without words and places of the content. Those about addresses stay as the addresses do.
fn without_words(reason: Reason) -> Reason {
    match reason {
        Reason::MisleadingLink { .. } => {
            Reason::MisleadingLink { shown_host: String::new(), target_host: String::new() }
        }
        Reason::MachineInstruction { kind, field, is_hidden, .. } => {
            Reason::MachineInstruction { kind, field, start: 0, end: 0, is_hidden }
        }
        Reason::RiskyAttachment { risk, .. } => Reason::RiskyAttachment { filename: None, risk },
        Reason::AuthenticatedDomain { .. }
        | Reason::UnauthenticatedDomain { .. }
        | Reason::LostAuthentication { .. }
        | Reason::TrustedContact
        | Reason::BlockedContact
        | Reason::UnprovedListing
        | Reason::OrganizationMember
        | Reason::KnownCorrespondent { .. }
        | Reason::ImitatedName { .. }
        | Reason::LookalikeDomain { .. }
        | Reason::ReplyToElsewhere { .. }
        | Reason::HiddenText { .. }
        | Reason::MassMail { .. }
        | Reason::ScannerFinding { .. } => reason,
    }
}
