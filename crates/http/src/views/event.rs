//! Events with their bodies.

use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{self, EventBody, OrganizationId};
use inboxd_core::ports::WholeEvent;
use inboxd_core::rules::webhooks::truncation::OmittablePart;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::agent_armor::{AgentArmorView, CheckedMessageView, OverriddenMessageView};
use super::calendar_notice::{CalendarTraceView, ReplacedFieldsView};
use super::policy::PolicyRuleView;
use super::time::format_time;
use super::{CalendarEventView, DomainView, MessageView, SendingView, ThreadItemView};

/// Immutable record of a change.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventView {
    /// Always `event`.
    r#type: &'static str,
    /// Id of the event; ids sort by time.
    event_id: String,
    /// Type of the event.
    #[schema(example = "message.received")]
    event_type: &'static str,
    /// Id of the organization.
    organization_id: String,
    /// Id of the pod; absent if the event concerns the whole organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_id: Option<String>,
    /// Id of the inbox; absent if the event concerns no inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    inbox_id: Option<String>,
    /// Id of the thread of the message; absent if the event concerns no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<String>,
    /// Id of the message; of a calendar event, that of its last invitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    /// Time of the event.
    #[schema(format = DateTime)]
    created_at: String,
    #[serde(flatten)]
    body: EventBodyView,
    /// Fields omitted because of their size, such as `html` and `text`. The message resource has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    truncated: Vec<&'static str>,
}

/// Body of an event; `event_type` selects one of these.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum EventBodyView {
    /// A message was received.
    Received {
        /// Message with its bodies.
        message: Box<MessageView>,
        /// Thread of the message.
        thread: Box<ThreadItemView>,
    },
    /// A message was received that is deleted now or that the key may not read.
    Gone {
        /// Ids of the message.
        message: TraceView,
    },
    /// A received message was judged, and perhaps held.
    Checked {
        /// Ids of the message with the result.
        message: Box<CheckedMessageView>,
    },
    /// A held message was released.
    Overridden {
        /// Ids of the message with the release.
        message: Box<OverriddenMessageView>,
    },
    /// A message was accepted for delivery.
    Send {
        /// Recipients of the message.
        send: RecipientsView,
    },
    /// The server of the recipients accepted a message.
    Delivery {
        /// Recipients that the message was delivered to.
        delivery: RecipientsView,
    },
    /// The server of the recipients refused a message.
    Bounce {
        /// Refused recipients with their status.
        bounce: BounceView,
    },
    /// Recipients complained about a message.
    Complaint {
        /// Recipients with the kind of their complaint.
        complaint: ComplaintView,
    },
    /// A policy held a message.
    Hold {
        /// Held message, and the draft that waits.
        hold: HoldView,
    },
    /// A person approved a held message.
    Approve {
        /// Approved message, and the person.
        approve: ApproveView,
    },
    /// The content of a message was removed.
    Redact {
        /// Redacted message, and the actor.
        redact: RedactView,
    },
    /// This service refused a message, or a person rejected it.
    Reject {
        /// Reason of the refusal.
        reject: RejectView,
    },
    /// A calendar event changed.
    Calendar {
        /// The event or date after the change.
        calendar_event: Box<CalendarEventView>,
        /// Replaced values.
        #[serde(skip_serializing_if = "Option::is_none")]
        previous: Option<Box<ReplacedFieldsView>>,
    },
    /// A calendar event changed that came from a message which is gone.
    CalendarGone {
        /// Id of the event or date.
        calendar_event: CalendarTraceView,
    },
    /// The brake on sending changed.
    Sending {
        /// Reason and counts.
        sending: SendingView,
    },
    /// A domain was verified.
    Domain {
        /// Domain at the time of the event.
        domain: Box<DomainView>,
    },
}

/// Message of an event and time of the event.
#[derive(Serialize, ToSchema)]
#[schema(as = About)]
struct AboutView {
    /// Id of the inbox of the message.
    inbox_id: String,
    /// Id of the thread of the message.
    thread_id: String,
    /// Id of the message.
    message_id: String,
    /// Time of the event.
    #[schema(format = DateTime)]
    timestamp: String,
}

/// Ids of a message that is deleted or that the key may not read.
#[derive(Serialize, ToSchema)]
#[schema(as = Trace)]
pub(super) struct TraceView {
    #[serde(flatten)]
    about: AboutView,
    /// Always empty.
    labels: Vec<String>,
}

/// Message with some of its recipients.
#[derive(Serialize, ToSchema)]
#[schema(as = Recipients)]
pub(super) struct RecipientsView {
    #[serde(flatten)]
    about: AboutView,
    /// Addresses of the recipients.
    recipients: Vec<String>,
}

/// Message with the recipients that did not receive it.
#[derive(Serialize, ToSchema)]
#[schema(as = Bounce)]
pub(super) struct BounceView {
    #[serde(flatten)]
    about: AboutView,
    /// `Permanent` or `Transient`.
    r#type: String,
    /// Meaning of the status.
    sub_type: String,
    /// Addresses of the recipients, each with its status.
    recipients: Vec<RecipientStatusView>,
}

/// Recipient with its delivery status.
#[derive(Serialize, ToSchema)]
#[schema(as = RecipientStatus)]
struct RecipientStatusView {
    /// Address of the recipient.
    address: String,
    /// Status code returned by the server of the recipient.
    status: String,
}

/// Message with the recipients that complained about it.
#[derive(Serialize, ToSchema)]
#[schema(as = Complaint)]
pub(super) struct ComplaintView {
    #[serde(flatten)]
    about: AboutView,
    /// Feedback type reported by the server of the recipients (RFC 5965): `abuse`, `fraud`, `virus`, `opt-out`, `other`,
    /// and others.
    #[schema(example = "abuse")]
    r#type: String,
    /// Details of the feedback type.
    #[schema(example = "General")]
    sub_type: String,
    /// Addresses of the recipients.
    recipients: Vec<String>,
}

/// Message that a policy held.
#[derive(Serialize, ToSchema)]
#[schema(as = Hold)]
pub(super) struct HoldView {
    #[serde(flatten)]
    about: AboutView,
    /// Draft that waits for an approval.
    draft_id: String,
    /// Rule that held the message.
    rule: PolicyRuleView,
    /// Addresses of the recipients.
    recipients: Vec<String>,
    /// Time until which it can be approved.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Message that a person approved.
#[derive(Serialize, ToSchema)]
#[schema(as = Approve)]
pub(super) struct ApproveView {
    #[serde(flatten)]
    about: AboutView,
    /// Draft that waited for the approval.
    draft_id: String,
    /// The person.
    approved_by: ActorView,
}

/// Message whose content was removed.
#[derive(Serialize, ToSchema)]
#[schema(as = Redact)]
pub(super) struct RedactView {
    #[serde(flatten)]
    about: AboutView,
    /// Actor that redacted it.
    redacted_by: ActorView,
}

/// Message with the reason of its refusal.
#[derive(Serialize, ToSchema)]
#[schema(as = Reject)]
pub(super) struct RejectView {
    #[serde(flatten)]
    about: AboutView,
    /// Reason of the refusal.
    reason: String,
}

impl EventView {
    /// Returns the event with the names of its omitted fields.
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
            body: body(about(&event), event.organization_id, event.body, record.mail),
            truncated: Vec::new(),
        }
    }
}

/// Returns the ids of an event about a message. Other events lack these ids and do not serialize them.
fn about(event: &model::Event) -> AboutView {
    AboutView {
        inbox_id: event.inbox_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        thread_id: event.thread_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        message_id: event.message_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        timestamp: format_time(event.created_at),
    }
}

fn body(
    about: AboutView,
    organization_id: OrganizationId,
    body: EventBody,
    mail: Option<(model::Message, model::Thread)>,
) -> EventBodyView {
    match body {
        EventBody::Security { result } => EventBodyView::Checked {
            message: Box::new(CheckedMessageView {
                organization_id: organization_id.to_string(),
                inbox_id: about.inbox_id,
                message_id: about.message_id,
                agent_armor: AgentArmorView::new(result, None),
            }),
        },
        EventBody::Override { release } => EventBodyView::Overridden {
            message: Box::new(OverriddenMessageView {
                organization_id: organization_id.to_string(),
                inbox_id: about.inbox_id,
                message_id: about.message_id,
                manual_override: release.into(),
            }),
        },
        EventBody::Received { .. } => match mail {
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
        EventBody::Hold { draft_id, rule, recipients, expires_at } => EventBodyView::Hold {
            hold: HoldView {
                about,
                draft_id: draft_id.to_string(),
                rule: PolicyRuleView::from(&*rule),
                recipients,
                expires_at: format_time(expires_at),
            },
        },
        EventBody::Approve { draft_id, approved_by } => EventBodyView::Approve {
            approve: ApproveView { about, draft_id: draft_id.to_string(), approved_by: approved_by.into() },
        },
        EventBody::Redact { redacted_by } => {
            EventBodyView::Redact { redact: RedactView { about, redacted_by: redacted_by.into() } }
        }
        EventBody::Reject { reason } => EventBodyView::Reject { reject: RejectView { about, reason } },
        EventBody::Calendar { event: Some(event), previous, .. } => EventBodyView::Calendar {
            calendar_event: Box::new(CalendarEventView::of_feed(*event)),
            previous: previous.map(|previous| Box::new((*previous).into())),
        },
        EventBody::Calendar { calendar_event_id, event: None, .. } => EventBodyView::CalendarGone {
            calendar_event: CalendarTraceView { event_id: calendar_event_id.to_string() },
        },
        EventBody::Sending { reason, counts } => EventBodyView::Sending { sending: SendingView::new(reason, counts) },
        EventBody::Domain { domain } => EventBodyView::Domain { domain: Box::new((*domain).into()) },
    }
}
