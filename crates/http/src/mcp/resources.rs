//! Inboxes and mail as resources: `inboxd://inboxes/{inbox_id}`, and below it `/messages/{message_id}` and `/raw`.
//!
//! Ids are percent-encoded, because message ids hold `/`, `<` and other characters.

use inboxd_core::Error;
use inboxd_core::app::inboxes;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::model::{Direction, InboxId, MessageId, PageRequest};
use rmcp::model::{ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::call::ToolContext;
use super::request::McpRequest;
use super::results::message::{BodyRange, summary};
use super::results::{Output, shape_fields};
use super::tool::ToolAnswer;
use super::tools;
use crate::error::{ApiError, ErrorCode, body_json};
use crate::path;
use crate::views::InboxView;

/// Scheme and start of every URI.
const INBOXES: &str = "inboxd://inboxes/";
/// Number of messages that stand beside an inbox.
const RECENT_MESSAGES: u32 = 10;
const JSON: &str = "application/json";

/// A resource that a URI names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedResource {
    Inbox(InboxId),
    Message(InboxId, MessageId),
    Raw(InboxId, MessageId),
}

impl NamedResource {
    /// Reads a URI; `None` for any other text.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let mut parts = uri.strip_prefix(INBOXES)?.split('/').map(path::decode);
        let inbox_id = path::inbox_id(&parts.next().filter(|id| !id.is_empty())?);
        let Some(kind) = parts.next() else { return Some(Self::Inbox(inbox_id)) };
        let message_id = path::message_id(&parts.next().filter(|id| kind == "messages" && !id.is_empty())?);
        match (parts.next().as_deref(), parts.next()) {
            (None, None) => Some(Self::Message(inbox_id, message_id)),
            (Some("raw"), None) => Some(Self::Raw(inbox_id, message_id)),
            _ => None,
        }
    }
}

/// Returns the URI of an inbox.
fn uri_of(inbox_id: &InboxId) -> String {
    let id: String = form_urlencoded::byte_serialize(inbox_id.as_str().as_bytes()).collect();
    format!("{INBOXES}{id}")
}

/// Returns the templates of the URIs.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |end: &str, name: &str, about: &str| {
        ResourceTemplate::new(format!("{INBOXES}{{inbox_id}}{end}"), name).with_description(about).with_mime_type(JSON)
    };
    vec![
        template("", "inbox", "An inbox with its newest messages"),
        template("/messages/{message_id}", "message", "A message with its text and trust facts; untrusted content"),
        template(
            "/messages/{message_id}/raw",
            "raw message",
            "A short-lived link to the mail as it was received; untrusted content",
        ),
    ]
}

/// Lists the inboxes within the caller's reach.
pub(super) async fn list(passed: &McpRequest, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let base_url = passed.state().base_url.clone();
    list_page(passed, cursor).await.map_err(|error| refusal(&error, &base_url))
}

async fn list_page(passed: &McpRequest, cursor: Option<String>) -> Result<ListResourcesResult, ApiError> {
    let context = ToolContext::new(passed.clone(), [0; 32], None);
    let caller = context.authorize_all::<InboxRead>()?;
    let paging = context.paging(None, cursor.as_deref(), Direction::Descending)?;
    context.enter(false).await?;
    let page = inboxes::list(context.app(), &caller, paging.request.clone()).await?;
    context.rest();
    let next = paging.next(page.next.as_ref());
    let resource = |inbox: inboxd_core::model::Inbox| {
        Resource::new(uri_of(&inbox.inbox_id), inbox.inbox_id.to_string()).with_mime_type(JSON)
    };
    let mut listed = ListResourcesResult::with_all_items(page.items.into_iter().map(resource).collect());
    listed.next_cursor = next;
    Ok(listed)
}

/// Reads the resource of a URI.
pub(super) async fn read(passed: &McpRequest, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        ErrorData::resource_not_found("this server has no such resource", Some(json!({ "uri": path::harmless(uri) })))
    };
    let named = NamedResource::parse(uri).ok_or_else(unknown)?;
    let contents = read_named(passed, named, uri).await;
    let contents = contents.map_err(|error| refusal(&error, &passed.state().base_url))?;
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn read_named(passed: &McpRequest, named: NamedResource, uri: &str) -> Result<ResourceContents, ApiError> {
    let context = ToolContext::new(passed.clone(), [0; 32], None);
    context.enter(false).await?;
    let json = |output| ResourceContents::text(text_of(output), uri).with_mime_type(JSON);
    let read = match named {
        NamedResource::Inbox(inbox_id) => read_inbox(&context, &inbox_id).await.map(json),
        NamedResource::Message(inbox_id, message_id) => read_message(&context, &inbox_id, &message_id).await.map(json),
        NamedResource::Raw(inbox_id, message_id) => read_raw(&context, &inbox_id, &message_id).await.map(json),
    };
    context.rest();
    read
}

async fn read_inbox(context: &ToolContext, inbox_id: &InboxId) -> Result<Output, ApiError> {
    let (caller, inbox_id) = context.authorize_inbox::<InboxRead>(inbox_id.as_str())?;
    let inbox = inboxes::get(context.app(), &caller, &inbox_id).await?;
    let page = PageRequest { limit: RECENT_MESSAGES, after: None, direction: Direction::Descending };
    let filter = MessageFilter { page, ..MessageFilter::default() };
    let recent = match messages::list(context.app(), context.caller(), &inbox_id, filter).await {
        Ok(page) => page.items,
        // A key may see inboxes and no mail.
        Err(Error::MissingPermission(_) | Error::RoleNotAllowed { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let recent: Vec<Value> = recent.iter().map(|item| Value::Object(summary(item))).collect();
    Ok(Output::of_mail(shape_fields(&InboxView::from(inbox))).with("recentMessages", recent))
}

async fn read_message(context: &ToolContext, inbox_id: &InboxId, message_id: &MessageId) -> Result<Output, ApiError> {
    let message = context.with_fix(messages::get(context.app(), context.caller(), inbox_id, message_id).await)?;
    tools::messages::read(context, &message, BodyRange::default())
}

/// Returns a link to the raw mail. Raw content would reach the model without the notice and without cleaning.
async fn read_raw(context: &ToolContext, inbox_id: &InboxId, message_id: &MessageId) -> Result<Output, ApiError> {
    let item = context.with_fix(messages::linked(context.app(), context.caller(), inbox_id, message_id).await)?;
    let (view, _) = tools::links::raw(context, &item)?;
    Ok(Output::of_mail(shape_fields(&view)))
}

fn text_of(output: Output) -> String {
    ToolAnswer { content: output.into_value(), links: Vec::new() }.text()
}

/// Returns a refusal of the API as a JSON-RPC error with its envelope.
pub(super) fn refusal(error: &ApiError, base_url: &str) -> ErrorData {
    let envelope = serde_json::from_str(&body_json(error, base_url)).ok();
    let message = format!("{}: {}", error.message, error.fix);
    if error.code == ErrorCode::NotFound {
        ErrorData::resource_not_found(message, envelope)
    } else if error.code.status().is_server_error() {
        ErrorData::internal_error(message, envelope)
    } else {
        ErrorData::invalid_params(message, envelope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_inboxes_and_messages() {
        let inbox = || path::inbox_id("scout@inboxd.example");
        let message = || path::message_id("<a/b@c>");
        for (uri, expected) in [
            ("inboxd://inboxes/scout@inboxd.example", Some(NamedResource::Inbox(inbox()))),
            ("inboxd://inboxes/Scout%40inboxd.example", Some(NamedResource::Inbox(inbox()))),
            (
                "inboxd://inboxes/scout%40inboxd.example/messages/%3Ca%2Fb%40c%3E",
                Some(NamedResource::Message(inbox(), message())),
            ),
            (
                "inboxd://inboxes/scout%40inboxd.example/messages/a%2Fb@c/raw",
                Some(NamedResource::Raw(inbox(), message())),
            ),
            ("inboxd://inboxes/", None),
            ("inboxd://inboxes/a@b.example/threads/x", None),
            ("inboxd://inboxes/a@b.example/messages/", None),
            ("inboxd://inboxes/a@b.example/messages/x/raw/y", None),
            ("https://inboxes/a@b.example", None),
            ("", None),
        ] {
            assert_eq!(NamedResource::parse(uri), expected, "{uri}");
        }
        assert_eq!(NamedResource::parse(&uri_of(&inbox())), Some(NamedResource::Inbox(inbox())));
    }
}
