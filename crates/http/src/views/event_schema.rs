//! What an event says, as the OpenAPI document describes it: one schema a kind, told apart by `event_type`.

use inboxd_core::model::EventType;
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::event::{BounceView, ComplaintView, EventBodyView, RecipientsView, RejectView, TraceView};
use super::{DomainView, MessageView, ThreadItemView};

/// The kinds that tell of a mail that came in.
const RECEIVED: [EventType; 4] = [
    EventType::MessageReceived,
    EventType::MessageReceivedSpam,
    EventType::MessageReceivedBlocked,
    EventType::MessageReceivedUnauthenticated,
];

impl PartialSchema for EventBodyView {
    fn schema() -> RefOr<Schema> {
        let message = AnyOfBuilder::new()
            .item(reference::<MessageView>())
            .item(reference::<TraceView>())
            .description(Some("The message, or what is left of one that was deleted or that the key may not see."));
        let received = kinds(&RECEIVED)
            .property("message", message)
            .required("message")
            .property("thread", reference::<ThreadItemView>())
            .description(Some("A mail came in. The thread is there when the whole message is."));
        OneOfBuilder::new()
            .item(received)
            .item(one::<RecipientsView>(EventType::MessageSent, "send", "A mail was accepted for delivery."))
            .item(one::<RecipientsView>(EventType::MessageDelivered, "delivery", "The recipients' server took a mail."))
            .item(one::<BounceView>(EventType::MessageBounced, "bounce", "The recipients' server refused a mail."))
            .item(one::<ComplaintView>(EventType::MessageComplained, "complaint", "Recipients do not want a mail."))
            .item(one::<RejectView>(EventType::MessageRejected, "reject", "The service itself refused a mail."))
            .item(one::<DomainView>(EventType::DomainVerified, "domain", "A domain finished verifying, and was so."))
            .description(Some("What an event says: one of these, by its kind."))
            .into()
    }
}

impl ToSchema for EventBodyView {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add::<MessageView>(schemas);
        add::<ThreadItemView>(schemas);
        add::<TraceView>(schemas);
        add::<RecipientsView>(schemas);
        add::<BounceView>(schemas);
        add::<ComplaintView>(schemas);
        add::<RejectView>(schemas);
        add::<DomainView>(schemas);
    }
}

/// The schema of one kind, whose object has a name of its own.
fn one<T: ToSchema>(kind: EventType, object: &str, what: &str) -> Object {
    kinds(&[kind]).property(object, reference::<T>()).required(object).description(Some(what)).build()
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
