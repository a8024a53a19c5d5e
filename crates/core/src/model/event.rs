//! Events: records of changes, appended in the transaction of the change (`service.md`, section 6).

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    Actor, CalendarEvent, DatedEventId, Domain, DraftId, EventId, InboxId, Message, MessageId, MessageRelease,
    OrganizationId, PodId, PolicyVerdict, ReplacedFields, SecurityResult, SendingCounts, Thread, ThreadId,
    TraceContext,
};
use crate::rules::trust::Verdict;

macro_rules! event_types {
    (
        emitted { $($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)? }
        never_emitted { $($(#[$other_doc:meta])* $other:ident = $other_name:literal),* $(,)? }
    ) => {
        /// Type of an event (`service.md`, section 6).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventType { $($(#[$doc])* $variant,)* $($(#[$other_doc])* $other),* }

        impl EventType {
            /// All emitted types.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Types of other servers with this protocol that are never emitted here. Subscriptions may name them.
            pub const NEVER_EMITTED: &'static [Self] = &[$(Self::$other),*];

            /// Returns all types that a subscription may name.
            pub fn known() -> impl Iterator<Item = Self> {
                Self::ALL.iter().chain(Self::NEVER_EMITTED).copied()
            }

            /// Returns the name in the API and storage.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* $(Self::$other => $other_name),* }
            }

            /// Parses an event type.
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
        /// Inbound and judged, while messages are monitored.
        MessageSecurityCompleted = "message.security.completed",
        /// Inbound and held until a person releases it.
        MessageSecurityReview = "message.security.review",
        /// A person released a held message.
        MessageSecurityOverride = "message.security.override",
        /// Accepted for delivery.
        MessageSent = "message.sent",
        /// Held by a policy of sending until a person approves it.
        MessageHeld = "message.held",
        /// Approved by a person.
        MessageApproved = "message.approved",
        /// Confirmed delivered.
        MessageDelivered = "message.delivered",
        /// Rejected by the recipient's server.
        MessageBounced = "message.bounced",
        /// Marked as spam by the recipient.
        MessageComplained = "message.complained",
        /// Its content was removed, while its events stay.
        MessageRedacted = "message.redacted",
        /// Refused before sending.
        MessageRejected = "message.rejected",
        /// A custom domain finished verifying.
        DomainVerified = "domain.verified",
        /// A client or an invitation created a calendar event, or changed a single date of it for the first time.
        CalendarEventCreated = "calendar.event.created",
        /// A calendar event or one of its dates was changed or cancelled.
        CalendarEventUpdated = "calendar.event.updated",
        /// A client deleted a calendar event.
        CalendarEventDeleted = "calendar.event.deleted",
        /// The inbox responded to an invitation, or an attendee to an event of the inbox.
        CalendarEventResponded = "calendar.event.responded",
        /// A calendar event or one of its dates begins.
        CalendarEventStarting = "calendar.event.starting",
        /// A calendar event or one of its dates ends.
        CalendarEventEnding = "calendar.event.ending",
        /// Bounces or complaints slow the sending of the organization.
        SendingSlowed = "sending.slowed",
        /// Bounces or complaints hold the sending of the organization.
        SendingHeld = "sending.held",
        /// The organization sends as before.
        SendingResumed = "sending.resumed",
    }
    never_emitted {
        /// Opened by a recipient.
        MessageOpened = "message.opened",
    }
}

impl EventType {
    /// Returns whether events of this type are about a received message.
    #[must_use]
    pub fn is_of_received_mail(self) -> bool {
        self == Self::MessageReceived || self.hiding_label().is_some()
    }

    /// Returns whether events of this type are about a calendar, which is read with the permission to read messages.
    #[must_use]
    pub fn is_of_calendar(self) -> bool {
        self.as_str().starts_with("calendar.")
    }

    /// Returns the hiding label of the messages that this type is about; `None` for all other types.
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

/// Status of one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipientStatus {
    /// The recipient's address.
    pub address: String,
    /// Enhanced status code, or the reply of the server.
    pub status: String,
}

/// Content of an event beyond its type and message. It is stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "body", rename_all = "snake_case")]
pub enum EventBody {
    /// A message was received. It is read with its thread when the event is read, so that deleted content stays
    /// deleted.
    Received {
        /// Verdict of the message; `None` for a message that was never judged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verdict: Option<Verdict>,
    },
    /// A received message was judged, and perhaps held.
    Security {
        /// Result of the check.
        result: SecurityResult,
    },
    /// A held message was released.
    Override {
        /// The release.
        release: MessageRelease,
    },
    /// A message was accepted for delivery.
    Send {
        /// Addresses of the recipients.
        recipients: Vec<String>,
    },
    /// A recipient's server accepted the message.
    Delivery {
        /// Addresses of the recipients.
        recipients: Vec<String>,
    },
    /// A recipient's server refused the message.
    Bounce {
        /// `Permanent` or `Transient`.
        kind: String,
        /// Meaning of the status code.
        sub_type: String,
        /// Refused recipients with their status codes.
        recipients: Vec<RecipientStatus>,
    },
    /// Recipients marked the message as spam.
    Complaint {
        /// Kind of feedback in the report (RFC 5965): `abuse`.
        kind: String,
        /// Details of the complaint.
        sub_type: String,
        /// Addresses of the recipients.
        recipients: Vec<String>,
    },
    /// A policy of sending held the message.
    Hold {
        /// Draft that waits for an approval.
        draft_id: DraftId,
        /// The rule that held it.
        rule: Box<PolicyVerdict>,
        /// Addresses of the recipients.
        recipients: Vec<String>,
        /// Time until which it can be approved.
        #[serde(with = "time::serde::rfc3339")]
        expires_at: OffsetDateTime,
    },
    /// A person approved the message.
    Approve {
        /// Draft that waited for the approval.
        draft_id: DraftId,
        /// The person.
        approved_by: Actor,
    },
    /// The content of the message was removed.
    Redact {
        /// Author of the redaction.
        redacted_by: Actor,
    },
    /// This service refused the message, or a person rejected it.
    Reject {
        /// Reason of the refusal.
        reason: String,
    },
    /// A custom domain finished verification.
    Domain {
        /// State of the domain at that time.
        domain: Box<Domain>,
    },
    /// A calendar event, or one of its dates, changed.
    Calendar {
        /// Id of the event or date.
        calendar_event_id: DatedEventId,
        /// State after the change, or before a deletion; `None` once the message that it came from is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<Box<CalendarEvent>>,
        /// Replaced values of a changed event as a whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        previous: Option<Box<ReplacedFields>>,
    },
    /// The brake on the sending of the organization changed.
    Sending {
        /// The rate and its limit, or the end of the brake.
        reason: String,
        /// Counted messages; `None` if an operator lifted the brake.
        counts: Option<SendingCounts>,
    },
}

/// An event. One about a message names it with its inbox and thread; one about a domain names none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Id, sortable by time.
    pub event_id: EventId,
    /// Type.
    pub event_type: EventType,
    /// The owner.
    pub organization_id: OrganizationId,
    /// Pod of the resource; `None` for a resource of the whole organization.
    pub pod_id: Option<PodId>,
    /// Inbox of the resource.
    pub inbox_id: Option<InboxId>,
    /// Thread of the message.
    pub thread_id: Option<ThreadId>,
    /// The message.
    pub message_id: Option<MessageId>,
    /// Content.
    pub body: EventBody,
    /// Time of the event.
    pub created_at: OffsetDateTime,
    /// Trace of the request that caused it, for the webhook requests about it; `None` without a request in a trace.
    pub traceparent: Option<TraceContext>,
}

impl Event {
    /// Returns the verdict of the received message; `None` for one that was never judged, and for all other events.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        if let EventBody::Received { verdict } = self.body { verdict } else { None }
    }
}

/// An event with its message, if that still exists.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    /// The event.
    pub event: Event,
    /// Message and thread of a received message. `None` after deletion and for other types.
    pub mail: Option<(Message, Thread)>,
}
