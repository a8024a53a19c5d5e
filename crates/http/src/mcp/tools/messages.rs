//! Tools that read, label and delete messages.

use futures_util::FutureExt;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::permissions::{MessageDelete, MessageRead, MessageUpdate};
use inboxd_core::model::{Message, MessageItem};
use inboxd_core::ports::MessageMatch;
use serde_json::{Map, Value};

use super::links;
use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::body::{LabelNames, StringList, request};
use crate::endpoints;
use crate::error::ApiError;
use crate::mcp::arguments::{WholeNumber, require_valid};
use crate::mcp::call::{ToolContext, message_id};
use crate::mcp::results::budget::DEFAULT_BODY_CHARS;
use crate::mcp::results::budget::MAX_HEADER_CHARS;
use crate::mcp::results::message::{BodyRange, ShownMessage, header, summary};
use crate::mcp::results::{Output, shape_fields, with_highlights};
use crate::mcp::tool::{ToolCall, ToolReply, ToolResult};
use crate::views::LabelsView;

query_arguments! {
    /// Filters of messages.
    MessagesListed [inbox_id] {
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
        from: Option<Vec<String>>,
        to: Option<Vec<String>>,
        subject: Option<Vec<String>>,
        /// Envelope recipient.
        delivered_to: Option<String>,
        /// Tag of the envelope recipient: the part after the +.
        tag: Option<String>,
    }
}

query_arguments! {
    /// A search of messages.
    MessagesSearched [inbox_id, q] {
        inbox_id: String,
        /// Substring of sender, recipients, subject, text or attachments.
        q: String,
        /// substring (default), or words: in any order, with "phrases", from:, to:, subject:, has:attachment, -excluded.
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
        delivered_to: Option<String>,
        tag: Option<String>,
    }
}

request! {
    /// A message to read.
    pub(crate) struct MessageToRead {
        inbox_id: String,
        message_id: String,
        /// Characters of the body to skip.
        #[schema(value_type = Option<u32>, minimum = 0, default = 0)]
        offset: Option<WholeNumber<0, 1_000_000_000>>,
        /// Characters of the body to return.
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 25000, default = 8000)]
        max_chars: Option<WholeNumber<1, 25_000>>,
        /// Adds the HTML.
        include_html: Option<bool>,
        /// Returns the text with quoted history.
        include_quoted: Option<bool>,
    }
}

request! {
    /// A message.
    pub(crate) struct NamedMessage {
        inbox_id: String,
        message_id: String,
    }
}

request! {
    /// Changes of a message.
    pub(crate) struct MessageToUpdate {
        inbox_id: String,
        message_id: String,
        #[schema(value_type = Option<Vec<String>>)]
        add_labels: Option<StringList>,
        #[schema(value_type = Option<Vec<String>>)]
        remove_labels: Option<StringList>,
    }
}

pub(super) async fn list_messages(call: ToolCall<QueryArguments<MessagesListed>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(arguments.text("inbox_id"))?;
    let (filter, paging) = arguments.read_list(&call.context, endpoints::messages::list::filter)?;
    let list = ListedField { tool: "list_messages", field: "messages", arguments };
    let read = |page| {
        let filter = MessageFilter { page, ..filter.clone() };
        messages::list(call.app(), &caller, &inbox_id, filter).boxed()
    };
    let show = |item: MessageItem| summary(&item);
    Ok(read_page(list, &paging, Output::of_mail, read, show).await?.into())
}

pub(super) async fn search_messages(call: ToolCall<QueryArguments<MessagesSearched>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(arguments.text("inbox_id"))?;
    let (filter, paging) = arguments.read_list(&call.context, endpoints::messages::search::filter)?;
    let list = ListedField { tool: "search_messages", field: "messages", arguments };
    let read = |page| {
        let filter = MessageFilter { page, ..filter.clone() };
        messages::search(call.app(), &caller, &inbox_id, filter).boxed()
    };
    let show = |found: MessageMatch| with_highlights(summary(&found.item), found.highlights);
    Ok(read_page(list, &paging, Output::of_mail, read, show).await?.into())
}

pub(super) async fn get_message(call: ToolCall<MessageToRead>) -> ToolResult {
    let input = &call.input;
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(&input.inbox_id)?;
    let message = messages::get(call.app(), &caller, &inbox_id, &message_id(&input.message_id)).await?;
    let range = BodyRange {
        offset: input.offset.map_or(0, WholeNumber::to_usize),
        max_chars: input.max_chars.map_or(DEFAULT_BODY_CHARS, WholeNumber::to_usize),
        has_quotes: input.include_quoted == Some(true),
        has_html: input.include_html == Some(true),
    };
    Ok(read(&call.context, &message, range)?.into())
}

/// Returns a message with the results of its checks, links to its attachments, and the call that reads its rest.
///
/// # Errors
/// When a link cannot be made.
pub(in crate::mcp) fn read(context: &ToolContext, message: &Message, range: BodyRange) -> Result<Output, ApiError> {
    let mut fields = header(message);
    links::add_to(context, &message.item, &mut fields)?;
    let mut shown = ShownMessage::new(fields, MAX_HEADER_CHARS);
    shown.add_bodies(message, range);
    let output = Output::of_mail(shown.fields).cut(shown.cuts);
    Ok(match shown.rest {
        Some(offset) => output.next("get_message", rest(message, range, offset)),
        None => output,
    })
}

/// Returns the arguments that read a message on.
fn rest(message: &Message, range: BodyRange, offset: usize) -> Map<String, Value> {
    let mut next = Map::new();
    next.insert("inboxId".to_owned(), message.item.inbox_id.to_string().into());
    next.insert("messageId".to_owned(), message.item.message_id.to_string().into());
    next.insert("offset".to_owned(), offset.into());
    if range.max_chars != DEFAULT_BODY_CHARS {
        next.insert("maxChars".to_owned(), range.max_chars.into());
    }
    for (name, is_set) in [("includeQuoted", range.has_quotes), ("includeHtml", range.has_html)] {
        if is_set {
            next.insert(name.to_owned(), true.into());
        }
    }
    next
}

pub(super) async fn get_raw_message(call: ToolCall<NamedMessage>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(&call.input.inbox_id)?;
    let item = messages::linked(call.app(), &caller, &inbox_id, &message_id(&call.input.message_id)).await?;
    let (view, link) = links::raw(&call.context, &item)?;
    Ok(ToolReply::from(Output::of_mail(shape_fields(&view))).with_link(link))
}

pub(super) async fn update_message(call: ToolCall<MessageToUpdate>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageUpdate>(&call.input.inbox_id)?;
    let app = call.app().clone();
    let labels = LabelNames::new(call.input.add_labels, call.input.remove_labels);
    require_valid(labels.problems())?;
    let message_id = message_id(&call.input.message_id);
    let updated = messages::update(&app, &caller, &inbox_id, &message_id, &labels.change()?).await?;
    Ok(Output::new(shape_fields(&LabelsView::from(updated))).into())
}

pub(super) async fn delete_message(call: ToolCall<NamedMessage>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageDelete>(&call.input.inbox_id)?;
    let message_id = message_id(&call.input.message_id);
    messages::delete(call.app(), &caller, &inbox_id, &message_id).await?;
    Ok(Output::deleted("messageId", message_id.to_string()).into())
}
