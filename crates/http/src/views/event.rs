//! An event, with what it is about.

use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{self, EventBody};
use inboxd_core::ports::WholeEvent;
use inboxd_core::rules::webhooks::truncation::OmittablePart;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;
use super::{DomainView, MessageView, ThreadItemView};

/// Something that happened.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventView {
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
    body: EventBodyView,
    /// What was left out because it is too large: `html`, `text` and so on. The message itself has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    truncated: Vec<&'static str>,
}

/// What an event says: one of these, by its kind.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum EventBodyView {
    /// A mail came in.
    Received {
        /// The message.
        message: Box<MessageView>,
        /// Its thread.
        thread: Box<ThreadItemView>,
    },
    /// A mail came in that was deleted since, or that the key may not see.
    Gone {
        /// What is left of the message.
        message: TraceView,
    },
    /// A mail was accepted for delivery.
    Send {
        /// To whom.
        send: RecipientsView,
    },
    /// The recipients' server took a mail.
    Delivery {
        /// Whose.
        delivery: RecipientsView,
    },
    /// The recipients' server refused a mail.
    Bounce {
        /// Whose, and how.
        bounce: BounceView,
    },
    /// Recipients do not want a mail.
    Complaint {
        /// Who, and how they said so.
        complaint: ComplaintView,
    },
    /// The service itself refused a mail.
    Reject {
        /// Why.
        reject: RejectView,
    },
    /// A domain finished verifying.
    Domain {
        /// The domain as it was then.
        domain: Box<DomainView>,
    },
}

/// The message that an event is about, and when it happened.
#[derive(Serialize, ToSchema)]
#[schema(as = About)]
struct AboutView {
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
#[schema(as = Trace)]
pub(super) struct TraceView {
    #[serde(flatten)]
    about: AboutView,
    /// Always empty: the labels went with the message.
    labels: Vec<String>,
}

/// A message and some of its recipients.
#[derive(Serialize, ToSchema)]
#[schema(as = Recipients)]
pub(super) struct RecipientsView {
    #[serde(flatten)]
    about: AboutView,
    /// Their addresses.
    recipients: Vec<String>,
}

/// A message and those who did not get it.
#[derive(Serialize, ToSchema)]
#[schema(as = Bounce)]
pub(super) struct BounceView {
    #[serde(flatten)]
    about: AboutView,
    /// `Permanent` or `Transient`.
    r#type: String,
    /// What the status means.
    sub_type: String,
    /// Their addresses, each with its status.
    recipients: Vec<RecipientStatusView>,
}

/// A recipient and what became of it.
#[derive(Serialize, ToSchema)]
#[schema(as = RecipientStatus)]
struct RecipientStatusView {
    /// The address.
    address: String,
    /// The status code of its server.
    status: String,
}

/// A message and those who do not want it.
#[derive(Serialize, ToSchema)]
#[schema(as = Complaint)]
pub(super) struct ComplaintView {
    #[serde(flatten)]
    about: AboutView,
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
#[schema(as = Reject)]
pub(super) struct RejectView {
    #[serde(flatten)]
    about: AboutView,
    /// Why.
    reason: String,
}

impl EventView {
    /// Names what was left out of the event.
    pub(crate) fn truncated(self, truncated: &[&'static str]) -> Self {
        Self { truncated: truncated.to_vec(), ..self }
    }
}

impl From<WholeEvent> for EventView {
    fn from(whole: WholeEvent) -> Self {
        let truncated = whole.left_out.into_iter().map(OmittablePart::as_str).collect();
        Self { truncated, ..whole.record.into() }
    }
}

impl From<EventRecord> for EventView {
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
            created_at: format_time(event.created_at),
            body: body(about(&event), event.body, record.mail),
            truncated: Vec::new(),
        }
    }
}

/// Every event about mail names these; only others go without, and they do not show them.
fn about(event: &model::Event) -> AboutView {
    AboutView {
        inbox_id: event.inbox_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        thread_id: event.thread_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        message_id: event.message_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        timestamp: format_time(event.created_at),
    }
}

fn body(about: AboutView, body: EventBody, mail: Option<(model::Message, model::Thread)>) -> EventBodyView {
    match body {
        EventBody::Received => match mail {
            Some((message, thread)) => {
                EventBodyView::Received { message: Box::new(message.into()), thread: Box::new(thread.into()) }
            }
            None => EventBodyView::Gone { message: TraceView { about, labels: Vec::new() } },
        },
        EventBody::Send { recipients } => EventBodyView::Send { send: RecipientsView { about, recipients } },
        EventBody::Delivery { recipients } => {
            EventBodyView::Delivery { delivery: RecipientsView { about, recipients } }
        }
        EventBody::Bounce { kind, sub_type, recipients } => {
            let recipients = recipients
                .into_iter()
                .map(|model::RecipientStatus { address, status }| RecipientStatusView { address, status })
                .collect();
            EventBodyView::Bounce { bounce: BounceView { about, r#type: kind, sub_type, recipients } }
        }
        EventBody::Complaint { kind, sub_type, recipients } => {
            EventBodyView::Complaint { complaint: ComplaintView { about, r#type: kind, sub_type, recipients } }
        }
        EventBody::Reject { reason } => EventBodyView::Reject { reject: RejectView { about, reason } },
        EventBody::Domain { domain } => EventBodyView::Domain { domain: Box::new((*domain).into()) },
    }
}
