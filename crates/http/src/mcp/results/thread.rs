//! Threads as a model reads them: the newest messages within one budget.

use inboxd_core::app::threads::ThreadPage;
use inboxd_core::model::{Draft, Message, Thread};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::budget::{DEFAULT_BODY_CHARS, MAX_THREAD_CHARS, Truncation};
use super::message::{BodyRange, ShownMessage, attachments_of, body_length, whole};
use super::shape::{shape, shape_fields};
use crate::views::{DraftItemView, NoteView, ThreadItemView};

/// Length of a body beyond the budget: enough to know its topic.
const MIN_BODY_CHARS: usize = 300;

/// A thread in a result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShownThread {
    /// The fields.
    pub(crate) fields: Map<String, Value>,
    /// The cut bodies, each with the path of its message.
    pub(crate) cuts: Vec<Truncation>,
    /// The newest message with a cut body, and the offset of its rest.
    pub(crate) first_cut: Option<(String, usize)>,
}

/// Returns a thread without its messages.
pub(crate) fn summary(thread: Thread) -> Map<String, Value> {
    let attachments = attachments_of(&thread.attachments);
    let mut fields = shape_fields(&ThreadItemView::from(thread));
    if let Some(listed) = fields.get_mut("attachments") {
        *listed = attachments;
    }
    fields
}

/// Returns a thread with its messages, oldest first, with its notes and drafts.
///
/// `first_contacts` says of each message whether it is the first of its sender.
pub(crate) fn with_messages(page: ThreadPage, first_contacts: &[Option<bool>], now: OffsetDateTime) -> ShownThread {
    let ThreadPage { thread, messages, notes, drafts } = page;
    let mut fields = summary(thread);
    fields.remove("preview");
    let mut shown = share_budget(&messages.items);
    for (message, is_first) in shown.iter_mut().zip(first_contacts) {
        message.fields.extend(is_first.map(|is_first| ("firstContact".to_owned(), Value::Bool(is_first))));
    }
    let mut cuts = Vec::new();
    let mut first_cut = None;
    for (place, message) in shown.iter().enumerate() {
        let path = |cut: &Truncation| Truncation { field: format!("messages[{place}].{}", cut.field), ..cut.clone() };
        cuts.extend(message.cuts.iter().map(path));
        let id = message.fields.get("messageId").and_then(Value::as_str).map(ToOwned::to_owned);
        first_cut = message.rest.and_then(|rest| Some((id?, rest))).or(first_cut);
    }
    fields.insert("messages".to_owned(), shown.into_iter().map(|message| Value::Object(message.fields)).collect());
    let notes: Vec<NoteView> = notes.into_iter().map(NoteView::from).collect();
    fields.insert("notes".to_owned(), shape(&notes));
    let item = |draft: Draft| Value::Object(shape_fields(&DraftItemView::new(draft.item, now)));
    fields.insert("drafts".to_owned(), drafts.into_iter().map(item).collect());
    ShownThread { fields, cuts, first_cut }
}

/// Shows messages, oldest first. The newest take from the budget first.
fn share_budget(messages: &[Message]) -> Vec<ShownMessage> {
    let mut left = MAX_THREAD_CHARS;
    let mut newest_first: Vec<ShownMessage> = Vec::with_capacity(messages.len());
    for message in messages.iter().rev() {
        let range = BodyRange { max_chars: left.clamp(MIN_BODY_CHARS, DEFAULT_BODY_CHARS), ..BodyRange::default() };
        let shown = whole(message, range);
        left = left.saturating_sub(body_length(&shown.fields));
        newest_first.push(shown);
    }
    newest_first.reverse();
    newest_first
}
