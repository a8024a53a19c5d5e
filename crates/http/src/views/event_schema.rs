//! OpenAPI schema of event bodies: one schema per type, selected by `event_type`.

use inboxd_core::model::EventType;
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::agent_armor::{CheckedMessageView, OverriddenMessageView};
use super::calendar_notice::{CalendarTraceView, ReplacedFieldsView};
use super::event::{
    ApproveView, BounceView, ComplaintView, EventBodyView, HoldView, RecipientsView, RedactView, RejectView, TraceView,
};
use super::{CalendarEventView, DomainView, MessageView, SendingView, ThreadItemView};

/// Event types of received messages.
const RECEIVED: [EventType; 4] = [
    EventType::MessageReceived,
    EventType::MessageReceivedSpam,
    EventType::MessageReceivedBlocked,
    EventType::MessageReceivedUnauthenticated,
];

/// Event types of calendars.
const CALENDAR: [EventType; 6] = [
    EventType::CalendarEventCreated,
    EventType::CalendarEventUpdated,
    EventType::CalendarEventDeleted,
    EventType::CalendarEventResponded,
    EventType::CalendarEventStarting,
    EventType::CalendarEventEnding,
];

/// Event types of the brake on sending.
const BRAKE: [EventType; 3] = [EventType::SendingSlowed, EventType::SendingHeld, EventType::SendingResumed];

impl PartialSchema for EventBodyView {
    fn schema() -> RefOr<Schema> {
        let message = AnyOfBuilder::new()
            .item(reference::<MessageView>())
            .item(reference::<TraceView>())
            .description(Some("The message, or its ids if it is deleted or the key may not read it."));
        let received = kinds(&RECEIVED)
            .property("message", message)
            .required("message")
            .property("thread", reference::<ThreadItemView>())
            .description(Some("A message was received. `thread` is present if the whole message is."));
        let checked = kinds(&[EventType::MessageSecurityCompleted, EventType::MessageSecurityReview])
            .property("message", reference::<CheckedMessageView>())
            .required("message")
            .description(Some("A received message was judged, and with `message.security.review` it is held."));
        let calendar_event = AnyOfBuilder::new()
            .item(reference::<CalendarEventView>())
            .item(reference::<CalendarTraceView>())
            .description(Some("The event or date, after a change, or its id if the message it came from is gone."));
        let calendar = kinds(&CALENDAR)
            .property("calendar_event", calendar_event)
            .required("calendar_event")
            .property("previous", reference::<ReplacedFieldsView>())
            .description(Some(
                "A calendar event changed, starts or ends. `previous` is in `calendar.event.updated` of whole events.",
            ));
        OneOfBuilder::new()
            .item(received)
            .item(checked)
            .item(one::<OverriddenMessageView>(
                EventType::MessageSecurityOverride,
                "message",
                "A held message was released.",
            ))
            .item(one::<RecipientsView>(EventType::MessageSent, "send", "A message was accepted for delivery."))
            .item(one::<RecipientsView>(
                EventType::MessageDelivered,
                "delivery",
                "The server of the recipients accepted a message.",
            ))
            .item(one::<BounceView>(
                EventType::MessageBounced,
                "bounce",
                "The server of the recipients refused a message.",
            ))
            .item(one::<ComplaintView>(
                EventType::MessageComplained,
                "complaint",
                "Recipients complained about a message.",
            ))
            .item(one::<HoldView>(EventType::MessageHeld, "hold", "A policy held a message."))
            .item(one::<ApproveView>(EventType::MessageApproved, "approve", "A person approved a held message."))
            .item(one::<RedactView>(EventType::MessageRedacted, "redact", "The content of a message was removed."))
            .item(one::<RejectView>(EventType::MessageRejected, "reject", "This service refused a message."))
            .item(one::<DomainView>(EventType::DomainVerified, "domain", "A domain was verified."))
            .item(calendar)
            .item(one_of::<SendingView>(&BRAKE, "sending", "The brake on the sending of the organization changed."))
            .description(Some("Body of an event; `event_type` selects one of these."))
            .into()
    }
}

impl ToSchema for EventBodyView {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add::<MessageView>(schemas);
        add::<ThreadItemView>(schemas);
        add::<TraceView>(schemas);
        add::<CheckedMessageView>(schemas);
        add::<OverriddenMessageView>(schemas);
        add::<RecipientsView>(schemas);
        add::<BounceView>(schemas);
        add::<ComplaintView>(schemas);
        add::<HoldView>(schemas);
        add::<ApproveView>(schemas);
        add::<RedactView>(schemas);
        add::<RejectView>(schemas);
        add::<DomainView>(schemas);
        add::<CalendarEventView>(schemas);
        add::<CalendarTraceView>(schemas);
        add::<ReplacedFieldsView>(schemas);
        add::<SendingView>(schemas);
    }
}

/// Returns the schema of one event type whose body is the property `object`.
fn one<T: ToSchema>(kind: EventType, object: &str, what: &str) -> Object {
    one_of::<T>(&[kind], object, what)
}

/// Returns the schema of event types whose body is the property `object`.
fn one_of<T: ToSchema>(types: &[EventType], object: &str, what: &str) -> Object {
    kinds(types).property(object, reference::<T>()).required(object).description(Some(what)).build()
}

fn kinds(kinds: &[EventType]) -> ObjectBuilder {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    let event_type = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
    ObjectBuilder::new().property("event_type", event_type).required("event_type")
}

fn reference<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}
