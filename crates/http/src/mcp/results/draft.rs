//! Drafts as a model reads them.

use inboxd_core::model::{Draft, DraftItem};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::budget::MAX_BODY_CHARS;
use super::message::{BodyRange, ShownMessage, add_part, attachments_of};
use super::shape::shape_fields;
use crate::views::DraftItemView;

/// Returns a draft without its bodies.
pub(crate) fn summary(item: DraftItem, now: OffsetDateTime) -> Map<String, Value> {
    let attachments = attachments_of(&item.attachments);
    let mut fields = shape_fields(&DraftItemView::new(item, now));
    fields.remove("references");
    if let Some(listed) = fields.get_mut("attachments") {
        *listed = attachments;
    }
    fields
}

/// Returns a draft with the part of its bodies that was asked for.
pub(crate) fn whole(draft: Draft, range: BodyRange, now: OffsetDateTime) -> ShownMessage {
    let Draft { item, text, html } = draft;
    let mut shown = ShownMessage { fields: summary(item, now), ..ShownMessage::default() };
    shown.fields.remove("preview");
    let bodies = [("text", text), ("html", html)];
    let count = bodies.iter().filter(|(_, body)| body.is_some()).count().max(1);
    let limit = range.max_chars.min(MAX_BODY_CHARS / count);
    for (name, body) in bodies {
        if let Some(body) = body {
            add_part(&mut shown, name, &body, range.offset, limit);
        }
    }
    shown
}
