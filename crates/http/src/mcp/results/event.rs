//! Events as a model reads them: mail as a summary, because its content has tools of its own.

use inboxd_core::model::Message;
use inboxd_core::ports::WholeEvent;
use serde_json::{Map, Value};

use super::message;
use super::shape::shape_fields;
use crate::views::EventView;

/// Returns an event. A received message shows its trust facts and no body.
pub(crate) fn whole(mut whole: WholeEvent) -> Map<String, Value> {
    let mail = whole.record.mail.take();
    // Without the mail the view holds the ids of the message alone.
    let mut fields = shape_fields(&EventView::from(whole));
    fields.remove("type");
    fields.remove("organizationId");
    if let Some((message, _)) = mail {
        fields.insert("message".to_owned(), Value::Object(received(&message)));
    }
    fields
}

fn received(received: &Message) -> Map<String, Value> {
    let mut fields = message::summary(&received.item);
    message::add_trust(&mut fields, received);
    fields
}
