//! Contacts.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;
use crate::body::ContactDecisionName;

/// Correspondent of an inbox.
#[derive(Serialize, ToSchema)]
#[schema(as = Contact)]
pub(crate) struct ContactView {
    /// Id of the inbox.
    inbox_id: String,
    /// Address in lower case.
    #[schema(example = "anna@example.org")]
    address: String,
    /// Display name of the latest received message that had one. The sender chooses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
    /// Decision of a person; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<ContactDecisionName>)]
    decision: Option<&'static str>,
    /// Number of received messages.
    received_count: u64,
    /// Number of received messages whose sender domain was authenticated (DMARC).
    authenticated_count: u64,
    /// Number of messages sent to the address.
    sent_count: u64,
    /// Time of the latest received message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    received_at: Option<String>,
    /// Time of the latest sent message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    sent_at: Option<String>,
    /// Time of the first message in either direction.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the latest decision, or of creation.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Contact> for ContactView {
    fn from(contact: model::Contact) -> Self {
        Self {
            inbox_id: contact.inbox_id.to_string(),
            address: contact.address,
            name: contact.name,
            decision: contact.decision.map(model::ContactDecision::as_str),
            received_count: contact.received_count,
            authenticated_count: contact.authenticated_count,
            sent_count: contact.sent_count,
            received_at: contact.received_at.map(format_time),
            sent_at: contact.sent_at.map(format_time),
            created_at: format_time(contact.created_at),
            updated_at: format_time(contact.updated_at),
        }
    }
}
