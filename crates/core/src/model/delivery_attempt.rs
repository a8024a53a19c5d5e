//! Log of delivery attempts: which server replied what.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::outgoing::SentMessage;
use super::string_enum::string_enum;
use super::{DeliveryAttemptId, DeliveryOutcome, OrganizationId};

string_enum! {
    /// TLS of a session with the server of a recipient.
    SessionTls {
        /// Plain text.
        None = "none",
        /// TLS with any certificate.
        Encrypted = "encrypted",
        /// TLS with a certificate of a public authority for the server.
        Verified = "verified",
        /// TLS authenticated by TLSA records (DANE).
        Dane = "dane",
    }
}

impl SessionTls {
    /// Returns the words for a sentence, after the name of the server.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::None => "without TLS",
            Self::Encrypted => "with TLS",
            Self::Verified => "with verified TLS",
            Self::Dane => "with TLS authenticated by DANE",
        }
    }
}

/// Session with the server of a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSession {
    /// Name of the server, with its address where known.
    pub server: String,
    /// TLS of the session; `None` when it did not get that far.
    pub tls: Option<SessionTls>,
    /// Reply of a server that accepted the message.
    pub reply: Option<String>,
}

/// Outcome of one attempt for one recipient, with the session that it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// The outcome.
    pub outcome: DeliveryOutcome,
    /// The session; `None` when no server was asked, and for local delivery.
    pub session: Option<ServerSession>,
}

impl From<DeliveryOutcome> for DeliveryReport {
    fn from(outcome: DeliveryOutcome) -> Self {
        Self { outcome, session: None }
    }
}

string_enum! {
    /// Kind of an outcome.
    DeliveryResult {
        /// The server accepted the message.
        Delivered = "delivered",
        /// The server refused the message for good.
        Refused = "refused",
        /// The attempt failed for now.
        Deferred = "deferred",
    }
}

/// Recipients of an attempt with the same outcome. It is stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipientResult {
    /// Addresses of the recipients.
    pub recipients: Vec<String>,
    /// Kind of the outcome.
    pub result: DeliveryResult,
    /// Enhanced status code of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Reply of the server, or the reason without one, on one line of bounded length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Name of the server, with its address where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether the session used TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_encrypted: Option<bool>,
    /// TLS of the session; `None` in attempts of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<SessionTls>,
}

/// Recorded attempt to deliver a message of an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Id, sortable by time.
    pub attempt_id: DeliveryAttemptId,
    /// The message.
    pub message: SentMessage,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Results of all recipients.
    pub results: Vec<RecipientResult>,
    /// Time of the next attempt; `None` after the last one.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// Time of the record.
    pub attempted_at: OffsetDateTime,
}
