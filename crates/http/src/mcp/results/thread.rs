//! Threads as a model reads them: the newest messages within one budget.

use inboxd_core::model::{Draft, Message, Note, Thread};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::budget::{
    DEFAULT_BODY_CHARS, MAX_ITEM_CHARS, MAX_RESULT_CHARS, RESERVED_CHARS, Truncation, bound, fields_length, json_length,
};
use super::draft;
use super::message::{BodyRange, ShownMessage, attachments_of, body_length, header, lift_checks};
use super::shape::shape_fields;
use crate::views::{NoteView, ThreadItemView};

/// Length of a body beyond the budget: enough to know its topic.
const MIN_BODY_CHARS: usize = 300;
/// Length of the names of the body fields.
const BODY_NAMES_CHARS: usize = 80;
/// Length that notes and drafts may take from the messages.
const BESIDE_CHARS: usize = 4_000;

/// A thread in a result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShownThread {
    /// The fields.
    pub(crate) fields: Map<String, Value>,
    /// Number of shown messages, the newest ones.
    pub(crate) shown: usize,
    /// The cut fields, each with the path of its message.
    pub(crate) cuts: Vec<Truncation>,
    /// The newest message with a cut body, and the offset of its rest.
    pub(crate) first_cut: Option<(String, usize)>,
    /// Number of shown notes, the oldest ones, if there are more.
    pub(crate) notes: Option<usize>,
}

/// Returns a thread without its messages, with the verdict about its newest received message.
pub(crate) fn summary(thread: Thread) -> Map<String, Value> {
    let attachments = attachments_of(&thread.attachments);
    let mut fields = shape_fields(&ThreadItemView::from(thread));
    if let Some(listed) = fields.get_mut("attachments") {
        *listed = attachments;
    }
    lift_checks(&mut fields);
    bound(&mut fields, MAX_ITEM_CHARS);
    fields
}

/// Returns a thread with the newest messages that fit, oldest of them first, with its notes and drafts.
pub(crate) fn with_messages(
    thread: Thread,
    messages: &[Message],
    notes: Vec<Note>,
    drafts: Vec<Draft>,
    now: OffsetDateTime,
) -> ShownThread {
    let mut fields = summary(thread);
    fields.remove("preview");
    let notes: Vec<Value> = notes.into_iter().map(note).collect();
    let drafts: Vec<Value> = drafts.into_iter().map(|draft| Value::Object(draft::summary(draft.item, now))).collect();
    let room = MAX_RESULT_CHARS.saturating_sub(RESERVED_CHARS + fields_length(&fields));
    let beside: usize = notes.iter().chain(&drafts).map(json_length).sum();
    let shown = newest_messages(messages, room.saturating_sub(beside.min(BESIDE_CHARS)));
    let mut cuts = Vec::new();
    let mut first_cut = None;
    for (place, message) in shown.iter().enumerate() {
        let path = |cut: &Truncation| Truncation { field: format!("messages[{place}].{}", cut.field), ..cut.clone() };
        cuts.extend(message.cuts.iter().map(path));
        let id = message.fields.get("messageId").and_then(Value::as_str).map(ToOwned::to_owned);
        first_cut = message.rest.and_then(|rest| Some((id?, rest))).or(first_cut);
    }
    let count = shown.len();
    let messages: Vec<Value> = shown.into_iter().map(|message| Value::Object(message.fields)).collect();
    let mut left = room.saturating_sub(messages.iter().map(json_length).sum());
    fields.insert("messages".to_owned(), Value::Array(messages));
    let all_notes = notes.len();
    let shown_notes = insert_fitting(&mut fields, "notes", notes, &mut left, &mut cuts);
    insert_fitting(&mut fields, "drafts", drafts, &mut left, &mut cuts);
    let notes = (shown_notes < all_notes).then_some(shown_notes);
    ShownThread { fields, shown: count, cuts, first_cut, notes }
}

/// Returns a thread with its notes from one on, and without messages. The first of them is whole.
pub(crate) fn with_notes(thread: Thread, notes: Vec<Note>, skipped: usize) -> ShownThread {
    let mut fields = summary(thread);
    fields.remove("preview");
    let notes: Vec<Value> = notes.into_iter().skip(skipped).map(note).collect();
    let first = notes.first().map_or(0, json_length);
    let mut left = MAX_RESULT_CHARS.saturating_sub(RESERVED_CHARS + fields_length(&fields)).max(first);
    let (total, mut cuts) = (notes.len(), Vec::new());
    let shown = insert_fitting(&mut fields, "notes", notes, &mut left, &mut cuts);
    for absent in ["messages", "drafts"] {
        fields.insert(absent.to_owned(), Value::Array(Vec::new()));
    }
    let notes = (shown < total).then_some(skipped + shown);
    ShownThread { fields, shown: 0, cuts, first_cut: None, notes }
}

fn note(note: Note) -> Value {
    Value::Object(shape_fields(&NoteView::from(note)))
}

/// Inserts the first values that fit, and returns their number.
fn insert_fitting(
    fields: &mut Map<String, Value>,
    name: &str,
    mut values: Vec<Value>,
    left: &mut usize,
    cuts: &mut Vec<Truncation>,
) -> usize {
    let total = values.len();
    let fits = |value: &&Value| {
        let length = json_length(value);
        let has_room = length <= *left;
        *left = left.saturating_sub(length);
        has_room
    };
    let returned = values.iter().take_while(fits).count();
    values.truncate(returned);
    if returned < total {
        cuts.push(Truncation { field: name.to_owned(), returned, total });
    }
    fields.insert(name.to_owned(), Value::Array(values));
    returned
}

/// Shows the newest messages that fit, oldest of them first. Each has the beginning of its body, and the newest take
/// what is left first.
fn newest_messages(messages: &[Message], room: usize) -> Vec<ShownMessage> {
    let mut left = room;
    let mut newest_first = Vec::new();
    for message in messages.iter().rev() {
        let shown = ShownMessage::new(header(message), MAX_ITEM_CHARS);
        let length = fields_length(&shown.fields) + BODY_NAMES_CHARS + MIN_BODY_CHARS;
        if length > left && !newest_first.is_empty() {
            break;
        }
        left = left.saturating_sub(length);
        newest_first.push((message, shown));
    }
    let with_body = |(message, mut shown): (&Message, ShownMessage)| {
        let max_chars = (MIN_BODY_CHARS + left).min(DEFAULT_BODY_CHARS);
        shown.add_bodies(message, BodyRange { max_chars, ..BodyRange::default() });
        left = (left + MIN_BODY_CHARS).saturating_sub(body_length(&shown.fields));
        shown
    };
    let mut shown: Vec<ShownMessage> = newest_first.into_iter().map(with_body).collect();
    shown.reverse();
    shown
}
