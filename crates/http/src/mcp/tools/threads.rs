//! Tools of threads and their notes.

use futures_util::FutureExt;
use inboxd_core::Resource;
use inboxd_core::app::threads::notes::{self, NewNote};
use inboxd_core::app::threads::{self, ThreadChange, ThreadFilter};
use inboxd_core::model::permissions::{MessageDelete, MessageRead, MessageUpdate};
use inboxd_core::model::{Cursor, Direction, ThreadId};
use inboxd_core::ports::ThreadMatch;
use inboxd_core::rules::authorization::AuthorizedCaller;
use serde_json::json;

use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::body::{LabelNames, Nullable, StringList, request};
use crate::endpoints;
use crate::endpoints::threads::update::assignment;
use crate::error::ApiError;
use crate::mcp::arguments::require_valid;
use crate::mcp::call::{ToolContext, parse_id};
use crate::mcp::results::budget::Truncation;
use crate::mcp::results::thread::{ShownThread, summary, with_messages, with_notes};
use crate::mcp::results::{Output, shape_fields, with_highlights};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::NoteView;

/// Maximum number of notes to skip; a thread has at most 200.
const MAX_NOTES: u64 = 1_000;

query_arguments! {
    /// Filters of threads.
    ThreadsListed [inbox_id] {
        inbox_id: String,
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
        labels: Option<Vec<String>>,
        /// RFC 3339 time.
        before: Option<String>,
        after: Option<String>,
        /// Oldest first.
        ascending: Option<bool>,
        include_spam: Option<bool>,
        include_blocked: Option<bool>,
        include_unauthenticated: Option<bool>,
        include_trash: Option<bool>,
        /// Substrings, all of which must match.
        senders: Option<Vec<String>>,
        recipients: Option<Vec<String>>,
        subject: Option<Vec<String>>,
        /// Assignee: me, none, or the id of a member or key.
        assignee: Option<String>,
    }
}

query_arguments! {
    /// A search of threads.
    ThreadsSearched [inbox_id, q] {
        inbox_id: String,
        /// Substring of sender, recipients, subject, text or attachments.
        q: String,
        /// substring (default) or words, as in `search_messages`.
        r#match: Option<String>,
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
        labels: Option<Vec<String>>,
        before: Option<String>,
        after: Option<String>,
        ascending: Option<bool>,
        include_spam: Option<bool>,
        include_blocked: Option<bool>,
        include_unauthenticated: Option<bool>,
        include_trash: Option<bool>,
    }
}

query_arguments! {
    /// A thread with a page of its messages.
    ThreadToRead [inbox_id, thread_id] {
        inbox_id: String,
        thread_id: String,
        /// Messages to return, the newest first.
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        /// Leads to older messages.
        page_token: Option<String>,
        /// Shows notes instead of messages, without this many.
        notes_offset: Option<u32>,
    }
}

request! {
    /// A thread.
    pub(crate) struct NamedThread {
        inbox_id: String,
        thread_id: String,
    }
}

request! {
    /// Changes of a thread.
    pub(crate) struct ThreadToUpdate {
        inbox_id: String,
        thread_id: String,
        /// Labels to add to each message, such as trash.
        #[schema(value_type = Option<Vec<String>>)]
        add_labels: Option<StringList>,
        #[schema(value_type = Option<Vec<String>>)]
        remove_labels: Option<StringList>,
        /// Assignee: me, the id of a member or key, or null for none.
        #[schema(value_type = Option<String>)]
        assignee_id: Nullable<String>,
    }
}

request! {
    /// A note.
    pub(crate) struct NoteToCreate {
        inbox_id: String,
        thread_id: String,
        /// At most 10,000 characters.
        text: String,
        /// Idempotency key: a repeat returns the same note.
        client_id: Option<String>,
    }
}

request! {
    /// A note.
    #[expect(clippy::struct_field_names, reason = "these are the names of the arguments")]
    pub(crate) struct NamedNote {
        inbox_id: String,
        thread_id: String,
        note_id: String,
    }
}

pub(super) async fn list_threads(call: ToolCall<QueryArguments<ThreadsListed>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, _) = call.authorize_inbox::<MessageRead>(arguments.text("inbox_id"))?;
    let (filter, paging) = arguments.read_list(&call.context, endpoints::threads::list::filter)?;
    let list = ListedField { tool: "list_threads", field: "threads", arguments };
    let read = |page| threads::list(call.app(), &caller, ThreadFilter { page, ..filter.clone() }).boxed();
    Ok(read_page(list, &paging, Output::of_mail, read, summary).await?.into())
}

pub(super) async fn search_threads(call: ToolCall<QueryArguments<ThreadsSearched>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, _) = call.authorize_inbox::<MessageRead>(arguments.text("inbox_id"))?;
    let (filter, paging) = arguments.read_list(&call.context, endpoints::threads::search::filter)?;
    let list = ListedField { tool: "search_threads", field: "threads", arguments };
    let read = |page| threads::search(call.app(), &caller, ThreadFilter { page, ..filter.clone() }).boxed();
    let show = |found: ThreadMatch| with_highlights(summary(found.thread), found.highlights);
    Ok(read_page(list, &paging, Output::of_mail, read, show).await?.into())
}

pub(super) async fn get_thread(call: ToolCall<QueryArguments<ThreadToRead>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(arguments.text("inbox_id"))?;
    let mut query = arguments.reader();
    let notes_offset = query.number("notes_offset", 0..=MAX_NOTES);
    query.finish()?;
    let paging = call.paging(arguments.limit, arguments.page_token(), Direction::Descending)?;
    let thread_id: ThreadId = parse_id(arguments.text("thread_id"), Resource::Thread)?;
    let (limit, after) = (paging.request.limit, paging.request.after.as_ref());
    let inbox_id = inbox_id.to_string();
    let notes_from =
        |place: usize| json!({ "inboxId": inbox_id, "threadId": thread_id.to_string(), "notesOffset": place });
    if let Some(skipped) = notes_offset {
        let page = threads::get(call.app(), &caller, thread_id, 1, None).await?;
        let shown = with_notes(page.thread, page.notes, usize::try_from(skipped).unwrap_or(usize::MAX));
        let output = Output::of_mail(shown.fields).cut(shown.cuts);
        return Ok(match shown.notes {
            Some(place) => output.next("get_thread", notes_from(place)).into(),
            None => output.into(),
        });
    }
    let (shown, next) = newest(&call.context, &caller, thread_id, limit, after).await?;
    let token = paging.next(next.as_ref());
    let mut output = Output::of_mail(shown.fields).with("limit", limit).cut(shown.cuts);
    if let Some((message_id, offset)) = shown.first_cut {
        let next = json!({ "inboxId": inbox_id, "messageId": message_id, "offset": offset });
        output = output.next("get_message", next);
    } else if let Some(token) = &token {
        output = output.next("get_thread", arguments.next(token));
    } else if let Some(place) = shown.notes {
        output = output.next("get_thread", notes_from(place));
    }
    Ok(match token {
        Some(token) => output.with("nextPageToken", token).into(),
        None => output.into(),
    })
}

/// Reads the newest messages that a result holds, and the place of the older ones.
///
/// A page that does not fit is read again with a smaller limit, so that its place leads to the first message left out.
async fn newest(
    context: &ToolContext,
    caller: &AuthorizedCaller<MessageRead>,
    thread_id: ThreadId,
    limit: u32,
    after: Option<&Cursor>,
) -> Result<(ShownThread, Option<Cursor>), ApiError> {
    let (mut limit, mut most) = (limit, 0);
    loop {
        let page = threads::get(context.app(), caller, thread_id, limit, after).await?;
        let messages = page.messages.items;
        most = most.max(messages.len());
        let mut shown = with_messages(page.thread, &messages, page.notes, page.drafts, context.app().clock.now());
        if shown.shown == messages.len() {
            if shown.shown < most {
                let left_out = Truncation { field: "messages".to_owned(), returned: shown.shown, total: most };
                shown.cuts.insert(0, left_out);
            }
            return Ok((shown, page.messages.next));
        }
        // At least one message is shown, so the limit decreases to one.
        limit = u32::try_from(shown.shown).unwrap_or(1);
    }
}

pub(super) async fn update_thread(call: ToolCall<ThreadToUpdate>) -> ToolResult {
    let (caller, _) = call.authorize_inbox::<MessageUpdate>(&call.input.inbox_id)?;
    let app = call.app().clone();
    let ThreadToUpdate { thread_id, add_labels, remove_labels, assignee_id, .. } = call.input;
    let labels = LabelNames::new(add_labels, remove_labels);
    require_valid(labels.problems())?;
    let change = ThreadChange { labels: labels.change()?, assignee: assignment(assignee_id) };
    let thread = threads::update(&app, &caller, parse_id(&thread_id, Resource::Thread)?, change).await?;
    Ok(Output::of_mail(summary(thread)).into())
}

pub(super) async fn delete_thread(call: ToolCall<NamedThread>) -> ToolResult {
    let (caller, _) = call.authorize_inbox::<MessageDelete>(&call.input.inbox_id)?;
    let thread_id = parse_id(&call.input.thread_id, Resource::Thread)?;
    threads::delete(call.app(), &caller, thread_id).await?;
    Ok(Output::deleted("threadId", thread_id.to_string()).into())
}

pub(super) async fn create_note(call: ToolCall<NoteToCreate>) -> ToolResult {
    let (caller, _) = call.authorize_inbox::<MessageUpdate>(&call.input.inbox_id)?;
    let app = call.app().clone();
    let NoteToCreate { thread_id, text, client_id, .. } = call.input;
    let new = NewNote { text, client_id };
    require_valid(notes::problems_of_new(&new))?;
    let note = notes::add(&app, &caller, parse_id(&thread_id, Resource::Thread)?, new).await?;
    Ok(Output::new(shape_fields(&NoteView::from(note))).into())
}

pub(super) async fn delete_note(call: ToolCall<NamedNote>) -> ToolResult {
    let (caller, _) = call.authorize_inbox::<MessageUpdate>(&call.input.inbox_id)?;
    let thread_id = parse_id(&call.input.thread_id, Resource::Thread)?;
    let note_id = parse_id(&call.input.note_id, Resource::Note)?;
    notes::delete(call.app(), &caller, thread_id, note_id).await?;
    Ok(Output::deleted("noteId", call.input.note_id.clone()).into())
}
