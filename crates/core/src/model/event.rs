//! What happened, appended in the transaction in which it happened (`service.md`, section 6).

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{Domain, EventId, InboxId, Message, MessageId, OrganizationId, PodId, Thread, ThreadId};

macro_rules! event_types {
    (
        emitted { $($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)? }
        never_emitted { $($(#[$other_doc:meta])* $other:ident = $other_name:literal),* $(,)? }
    ) => {
        /// The kinds of event (`service.md`, section 6).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventType { $($(#[$doc])* $variant,)* $($(#[$other_doc])* $other),* }

        impl EventType {
            /// Every kind that is emitted.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Kinds of other servers of this wire that are never emitted here. Subscriptions may name them.
            pub const NEVER_EMITTED: &'static [Self] = &[$(Self::$other),*];

            /// Returns every kind that a subscription may name.
            pub fn known() -> impl Iterator<Item = Self> {
                Self::ALL.iter().chain(Self::NEVER_EMITTED).copied()
            }

            /// The name on the wire and in storage.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* $(Self::$other => $other_name),* }
            }

            /// The kind of a name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* $($other_name => Some(Self::$other),)* _ => None }
            }
        }
    };
}

event_types! {
    emitted {
        /// Inbound mail stored.
        MessageReceived = "message.received",
        /// Inbound and classified spam.
        MessageReceivedSpam = "message.received.spam",
        /// Inbound and the sender is on a receive list.
        MessageReceivedBlocked = "message.received.blocked",
        /// Inbound and failed authentication.
        MessageReceivedUnauthenticated = "message.received.unauthenticated",
        /// Accepted for delivery.
        MessageSent = "message.sent",
        /// Confirmed delivered.
        MessageDelivered = "message.delivered",
        /// Rejected by the recipient's server.
        MessageBounced = "message.bounced",
        /// Marked as spam by the recipient.
        MessageComplained = "message.complained",
        /// Refused before sending.
        MessageRejected = "message.rejected",
        /// A custom domain finished verifying.
        DomainVerified = "domain.verified",
    }
    never_emitted {
        /// Opened by a recipient.
        MessageOpened = "message.opened",
        /// Security check completed.
        MessageSecurityCompleted = "message.security.completed",
        /// Security review wanted.
        MessageSecurityReview = "message.security.review",
        /// Security verdict overridden.
        MessageSecurityOverride = "message.security.override",
        /// Calendar event created.
        CalendarEventCreated = "calendar.event.created",
        /// Calendar event updated.
        CalendarEventUpdated = "calendar.event.updated",
        /// Calendar event deleted.
        CalendarEventDeleted = "calendar.event.deleted",
        /// Calendar event responded to.
        CalendarEventResponded = "calendar.event.responded",
        /// Calendar event starting.
        CalendarEventStarting = "calendar.event.starting",
        /// Calendar event ending.
        CalendarEventEnding = "calendar.event.ending",
    }
}

impl EventType {
    /// The hiding label of the mail that this kind tells of; `None` for every other kind.
    #[must_use]
    pub fn hiding_label(self) -> Option<&'static str> {
        match self {
            Self::MessageReceivedSpam => Some("spam"),
            Self::MessageReceivedBlocked => Some("blocked"),
            Self::MessageReceivedUnauthenticated => Some("unauthenticated"),
            _ => None,
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What became of one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipientStatus {
    /// The recipient's address.
    pub address: String,
    /// The enhanced status code, or the reply of its server.
    pub status: String,
}

/// What an event says beyond its kind and the message it is about. Storage keeps it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "body", rename_all = "snake_case")]
pub enum EventBody {
    /// A mail came in. The message and its thread are read when the event is, so that what was deleted stays deleted.
    Received,
    /// A mail was accepted for delivery to these.
    Send {
        /// The recipients' addresses.
        recipients: Vec<String>,
    },
    /// The recipients' server took the mail.
    Delivery {
        /// The recipients' addresses.
        recipients: Vec<String>,
    },
    /// The recipients' server refused the mail.
    Bounce {
        /// `Permanent` or `Transient`.
        kind: String,
        /// What the server's status code means.
        sub_type: String,
        /// Whom it refused, and how.
        recipients: Vec<RecipientStatus>,
    },
    /// Recipients do not want the mail.
    Complaint {
        /// The kind of feedback that their server reports (RFC 5965): `abuse`.
        kind: String,
        /// What is known beyond that.
        sub_type: String,
        /// The recipients' addresses.
        recipients: Vec<String>,
    },
    /// The mail was refused by the service itself.
    Reject {
        /// Why.
        reason: String,
    },
    /// A custom domain finished verifying.
    Domain {
        /// The domain as it was then.
        domain: Box<Domain>,
    },
}

/// An event. One about a message names it, with its inbox and thread; one about a domain does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its id, sortable by time.
    pub event_id: EventId,
    /// Its kind.
    pub event_type: EventType,
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod of what it is about; `None` for what belongs to the whole organization.
    pub pod_id: Option<PodId>,
    /// The inbox.
    pub inbox_id: Option<InboxId>,
    /// The thread of the message.
    pub thread_id: Option<ThreadId>,
    /// The message.
    pub message_id: Option<MessageId>,
    /// What else it says.
    pub body: EventBody,
    /// When it happened.
    pub created_at: OffsetDateTime,
}

/// An event as a reader sees it: with the message it is about, as far as that still exists.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    /// The event.
    pub event: Event,
    /// For received mail: the message, and its thread. `None` when it was deleted since, and for other kinds.
    pub mail: Option<(Message, Thread)>,
}
