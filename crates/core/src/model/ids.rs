//! Typed ids; bare strings and UUIDs never represent one.

use std::fmt;
use std::str::FromStr;

use inboxd_mail::EmailAddress;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// Error for a text that is no id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an id of this kind: it is `{0}` and 32 hex digits")]
pub struct IdError(pub &'static str);

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Prefix of the public form.
            pub const PREFIX: &'static str = $prefix;
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0.simple())
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix($prefix)
                    .filter(|hex| hex.len() == 32)
                    .and_then(|hex| Uuid::try_parse(hex).ok())
                    .map(Self)
                    .ok_or(IdError($prefix))
            }
        }
    };
}

uuid_id!(
    /// An organization: the tenant that owns all other resources.
    OrganizationId, "org_"
);
uuid_id!(
    /// A pod: a group of inboxes.
    PodId, "pod_"
);
uuid_id!(
    /// A thread of one inbox.
    ThreadId, "thr_"
);
uuid_id!(
    /// An event; sortable by its creation time.
    EventId, "evt_"
);
uuid_id!(
    /// The public id of an API key; never the key itself.
    ApiKeyId, "key_"
);
uuid_id!(
    /// An attachment of a message or a draft.
    AttachmentId, "att_"
);
uuid_id!(
    /// A first read; sortable by its time.
    FirstReadId, "frd_"
);
uuid_id!(
    /// Refusals of mail at SMTP.
    SmtpRefusalId, "rfs_"
);
uuid_id!(
    /// A delivery attempt; sortable by its time.
    DeliveryAttemptId, "dla_"
);
uuid_id!(
    /// A draft.
    DraftId, "drf_"
);
uuid_id!(
    /// A file of an inbox.
    FileId, "fil_"
);
uuid_id!(
    /// An event of a calendar.
    CalendarEventId, "cev_"
);
uuid_id!(
    /// A custom domain.
    DomainId, "dom_"
);
uuid_id!(
    /// A message in the outgoing queue.
    OutgoingId, "out_"
);
uuid_id!(
    /// A member of an organization.
    MemberId, "mem_"
);

uuid_id!(
    /// A connection: the access of an OAuth client in the name of a member.
    ConnectionId, "con_"
);

uuid_id!(
    /// A note on a thread.
    NoteId, "note_"
);

uuid_id!(
    /// A webhook.
    WebhookId, "whk_"
);
uuid_id!(
    /// An entry of the audit log; sortable by its creation time.
    AuditEntryId, "aud_"
);
uuid_id!(
    /// Feedback on the verdict about a message.
    FeedbackId, "fbk_"
);
uuid_id!(
    /// An attempt to deliver an event to a webhook.
    AttemptId, "atm_"
);

impl EventId {
    /// Returns the id that sorts before all ids created at or after a time, and after all older ones.
    #[must_use]
    pub fn first_at(time: OffsetDateTime) -> Self {
        let milliseconds = u128::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
        Self(Uuid::from_u128(milliseconds << 80))
    }

    /// Returns the creation time in whole milliseconds; the start of 1970 for an id without a time.
    #[must_use]
    pub fn made_at(self) -> OffsetDateTime {
        let (seconds, nanoseconds) = self.0.get_timestamp().map(|at| at.to_unix()).unwrap_or_default();
        let made = i64::try_from(seconds).ok().and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
        made.and_then(|made| made.replace_nanosecond(nanoseconds).ok()).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

/// Id of an inbox: its address in lower case, without a tag.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InboxId(String);

impl InboxId {
    /// Returns the inbox id of an address in lower case. A `+tag` stays, because ids are exact.
    #[must_use]
    pub fn of(address: &EmailAddress) -> Self {
        Self(address.normalized())
    }

    /// Wraps a stored inbox id.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the local part.
    #[must_use]
    pub fn username(&self) -> &str {
        self.0.rsplit_once('@').map_or(self.0.as_str(), |(username, _)| username)
    }

    /// Returns the domain.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Display for InboxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A Message-ID in its angle brackets (RFC 5322, section 3.6.4), unique within one inbox.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(String);

impl MessageId {
    /// Parses a message id from a caller, with or without angle brackets.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        inboxd_mail::normalize_message_id(text).map(Self)
    }

    /// Wraps a message id from storage or a parsed message.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Creates a message id under a domain; its left part has only `[A-Za-z0-9._-]`.
    #[must_use]
    pub fn minted(unique: Uuid, domain: &str) -> Self {
        Self(format!("<{}@{domain}>", unique.simple()))
    }

    /// Returns the id with its angle brackets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
