//! Events as a model reads them: mail as a summary, because its content has tools of its own.

use inboxd_core::ports::WholeEvent;
use serde_json::{Map, Value};

use super::budget::{MAX_ITEM_CHARS, bound};
use super::message;
use super::shape::shape_fields;
use crate::views::EventView;

/// Returns an event. A received message shows the verdict about its sender and no body.
pub(crate) fn whole(mut whole: WholeEvent) -> Map<String, Value> {
    let mail = whole.record.mail.take();
    // Without the mail the view holds the ids of the message alone.
    let mut fields = shape_fields(&EventView::from(whole));
    fields.remove("type");
    fields.remove("organizationId");
    if let Some((message, _)) = mail {
        let mut received = message::item_fields(&message.item);
        message::add_findings(&mut received, &message.body);
        bound(&mut received, MAX_ITEM_CHARS);
        fields.insert("message".to_owned(), Value::Object(received));
    }
    bound(&mut fields, MAX_ITEM_CHARS + 1_000);
    fields
}
