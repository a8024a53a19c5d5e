//! Drafts as a model reads them.

use inboxd_core::model::{Draft, DraftItem};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::budget::{MAX_HEADER_CHARS, MAX_ITEM_CHARS, bound};
use super::message::{BodyRange, ShownMessage, attachments_of};
use super::shape::shape_fields;
use crate::views::DraftItemView;

/// Returns a draft without its bodies.
pub(crate) fn summary(item: DraftItem, now: OffsetDateTime) -> Map<String, Value> {
    let mut fields = item_fields(item, now);
    bound(&mut fields, MAX_ITEM_CHARS);
    fields
}

fn item_fields(item: DraftItem, now: OffsetDateTime) -> Map<String, Value> {
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
    let mut fields = item_fields(item, now);
    fields.remove("preview");
    let mut shown = ShownMessage::new(fields, MAX_HEADER_CHARS);
    shown.add_parts(&[("text", text.as_deref()), ("html", html.as_deref())], range);
    shown
}
