//! An event, with what it is about.

use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{self, EventBody};
use inboxd_core::ports::WholeEvent;
use inboxd_core::rules::webhooks::truncation::OmittablePart;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::shown;
use super::{Domain, Message, ThreadItem};

/// Something that happened.
#[derive(Serialize, ToSchema)]
pub(crate) struct Event {
    /// Always `event`.
    r#type: &'static str,
    /// Its id, sortable by time.
    event_id: String,
    /// Its kind.
    #[schema(example = "message.received")]
    event_type: &'static str,
    /// The organization.
    organization_id: String,
    /// The pod of what it is about; absent for what belongs to the whole organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_id: Option<String>,
    /// The inbox; absent for what is not about mail, as the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    inbox_id: Option<String>,
    /// The thread of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<String>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    /// When it happened.
    #[schema(format = DateTime)]
    created_at: String,
    #[serde(flatten)]
    body: Body,
    /// What was left out because it is too large: `html`, `text` and so on. The message itself has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    truncated: Vec<&'static str>,
}

/// What an event says: one of these, by its kind.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Body {
    /// A mail came in.
    Received {
        /// The message.
        message: Box<Message>,
        /// Its thread.
        thread: Box<ThreadItem>,
    },
    /// A mail came in that was deleted since, or that the key may not see.
    Gone {
        /// What is left of the message.
        message: Trace,
    },
    /// A mail was accepted for delivery.
    Send {
        /// To whom.
        send: Recipients,
    },
    /// The recipients' server took a mail.
    Delivery {
        /// Whose.
        delivery: Recipients,
    },
    /// The recipients' server refused a mail.
    Bounce {
        /// Whose, and how.
        bounce: Bounce,
    },
    /// Recipients do not want a mail.
    Complaint {
        /// Who, and how they said so.
        complaint: Complaint,
    },
    /// The service itself refused a mail.
    Reject {
        /// Why.
        reject: Reject,
    },
    /// A domain finished verifying.
    Domain {
        /// The domain as it was then.
        domain: Box<Domain>,
    },
}

/// The message that an event is about, and when it happened.
#[derive(Serialize, ToSchema)]
struct About {
    /// The inbox.
    inbox_id: String,
    /// The thread.
    thread_id: String,
    /// The message.
    message_id: String,
    /// When it happened.
    #[schema(format = DateTime)]
    timestamp: String,
}

/// The ids of a message that is gone.
#[derive(Serialize, ToSchema)]
pub(super) struct Trace {
    #[serde(flatten)]
    about: About,
    /// Always empty: the labels went with the message.
    labels: Vec<String>,
}

/// A message and some of its recipients.
#[derive(Serialize, ToSchema)]
pub(super) struct Recipients {
    #[serde(flatten)]
    about: About,
    /// Their addresses.
    recipients: Vec<String>,
}

/// A message and those who did not get it.
#[derive(Serialize, ToSchema)]
pub(super) struct Bounce {
    #[serde(flatten)]
    about: About,
    /// `Permanent` or `Transient`.
    r#type: String,
    /// What the status means.
    sub_type: String,
    /// Their addresses, each with its status.
    recipients: Vec<RecipientStatus>,
}

/// A recipient and what became of it.
#[derive(Serialize, ToSchema)]
struct RecipientStatus {
    /// The address.
    address: String,
    /// The status code of its server.
    status: String,
}

/// A message and those who do not want it.
#[derive(Serialize, ToSchema)]
pub(super) struct Complaint {
    #[serde(flatten)]
    about: About,
    /// The kind of feedback that their server reported (RFC 5965): `abuse`, `fraud`, `virus`, `opt-out`, `other` …
    #[schema(example = "abuse")]
    r#type: String,
    /// What is known beyond that.
    #[schema(example = "General")]
    sub_type: String,
    /// Their addresses.
    recipients: Vec<String>,
}

/// A message and why it was refused.
#[derive(Serialize, ToSchema)]
pub(super) struct Reject {
    #[serde(flatten)]
    about: About,
    /// Why.
    reason: String,
}

impl Event {
    /// Names what was left out of the event.
    pub(crate) fn truncated(self, truncated: &[&'static str]) -> Self {
        Self { truncated: truncated.to_vec(), ..self }
    }
}

impl From<WholeEvent> for Event {
    fn from(whole: WholeEvent) -> Self {
        let truncated = whole.left_out.into_iter().map(OmittablePart::as_str).collect();
        Self { truncated, ..whole.record.into() }
    }
}

impl From<EventRecord> for Event {
    fn from(record: EventRecord) -> Self {
        let event = record.event;
        Self {
            r#type: "event",
            event_id: event.event_id.to_string(),
            event_type: event.event_type.as_str(),
            organization_id: event.organization_id.to_string(),
            pod_id: event.pod_id.as_ref().map(ToString::to_string),
            inbox_id: event.inbox_id.as_ref().map(ToString::to_string),
            thread_id: event.thread_id.as_ref().map(ToString::to_string),
            message_id: event.message_id.as_ref().map(ToString::to_string),
            created_at: shown(event.created_at),
            body: body(about(&event), event.body, record.mail),
            truncated: Vec::new(),
        }
    }
}

/// Every event about mail names these; only others go without, and they do not show them.
fn about(event: &model::Event) -> About {
    About {
        inbox_id: event.inbox_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        thread_id: event.thread_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        message_id: event.message_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        timestamp: shown(event.created_at),
    }
}

fn body(about: About, body: EventBody, mail: Option<(model::Message, model::Thread)>) -> Body {
    match body {
        EventBody::Received => match mail {
            Some((message, thread)) => {
                Body::Received { message: Box::new(message.into()), thread: Box::new(thread.into()) }
            }
            None => Body::Gone { message: Trace { about, labels: Vec::new() } },
        },
        EventBody::Send { recipients } => Body::Send { send: Recipients { about, recipients } },
        EventBody::Delivery { recipients } => Body::Delivery { delivery: Recipients { about, recipients } },
        EventBody::Bounce { kind, sub_type, recipients } => {
            let recipients = recipients
                .into_iter()
                .map(|model::RecipientStatus { address, status }| RecipientStatus { address, status })
                .collect();
            Body::Bounce { bounce: Bounce { about, r#type: kind, sub_type, recipients } }
        }
        EventBody::Complaint { kind, sub_type, recipients } => {
            Body::Complaint { complaint: Complaint { about, r#type: kind, sub_type, recipients } }
        }
        EventBody::Reject { reason } => Body::Reject { reject: Reject { about, reason } },
        EventBody::Domain { domain } => Body::Domain { domain: Box::new((*domain).into()) },
    }
}
