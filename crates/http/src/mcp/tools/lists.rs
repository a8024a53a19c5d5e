//! Tools of allow and block lists.

use futures_util::FutureExt;
use inboxd_core::app::lists::{self, ListName, NewEntry};
use inboxd_core::model::permissions::{ListEntryCreate, ListEntryDelete, ListEntryRead};
use inboxd_core::model::{Direction, ListDirection, ListType, RequiredPermission};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::{Error, FieldError};

use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::body::request;
use crate::error::ApiError;
use crate::mcp::arguments::require_valid;
use crate::mcp::call::ToolContext;
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::ListEntryView;

query_arguments! {
    /// A list.
    EntriesListed [direction, r#type] {
        /// send, receive or reply.
        direction: String,
        /// allow or block.
        r#type: String,
        /// List of this inbox; of the organization if absent.
        inbox_id: Option<String>,
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
    }
}

request! {
    /// An entry to add.
    pub(crate) struct EntryToCreate {
        /// send, receive or reply.
        direction: String,
        /// allow or block.
        r#type: String,
        /// Address or domain.
        entry: String,
        /// List of this inbox; of the organization if absent.
        inbox_id: Option<String>,
        reason: Option<String>,
        /// Admits only mail that passes DMARC.
        require_authentication: Option<bool>,
        /// Idempotency key: a repeat returns the same entry.
        client_id: Option<String>,
    }
}

request! {
    /// An entry.
    pub(crate) struct NamedEntry {
        /// send, receive or reply.
        direction: String,
        /// allow or block.
        r#type: String,
        entry: String,
        inbox_id: Option<String>,
    }
}

pub(super) async fn list_list_entries(call: ToolCall<QueryArguments<EntriesListed>>) -> ToolResult {
    let arguments = &call.input;
    let caller = authorize::<ListEntryRead>(&call.context, arguments.text("inbox_id"))?;
    let name = list_name(arguments.text("direction"), arguments.text("type"))?;
    let paging = call.paging(arguments.limit, arguments.page_token(), Direction::Ascending)?;
    let list = ListedField { tool: "list_list_entries", field: "entries", arguments };
    let read = |page| lists::list(call.app(), &caller, name, page).boxed();
    Ok(read_page(list, &paging, Output::new, read, |entry| shape_fields(&ListEntryView::from(entry))).await?.into())
}

pub(super) async fn create_list_entry(call: ToolCall<EntryToCreate>) -> ToolResult {
    let ToolCall { input, context } = call;
    let caller = authorize::<ListEntryCreate>(&context, input.inbox_id.as_deref().unwrap_or_default())?;
    let name = list_name(&input.direction, &input.r#type)?;
    let new = NewEntry {
        entry: input.entry,
        reason: input.reason,
        require_authentication: input.require_authentication == Some(true),
        client_id: input.client_id,
    };
    require_valid(lists::problems_of_new(name, &new))?;
    let entry = lists::create(context.app(), &caller, name, new).await?;
    Ok(Output::new(shape_fields(&ListEntryView::from(entry))).into())
}

pub(super) async fn delete_list_entry(call: ToolCall<NamedEntry>) -> ToolResult {
    let caller = authorize::<ListEntryDelete>(&call.context, call.input.inbox_id.as_deref().unwrap_or_default())?;
    let name = list_name(&call.input.direction, &call.input.r#type)?;
    lists::delete(call.app(), &caller, name, &call.input.entry).await?;
    Ok(Output::deleted("entry", call.input.entry.clone()).into())
}

/// Authorizes the caller for the lists of an inbox, or of the organization where the text is empty.
fn authorize<P: RequiredPermission>(context: &ToolContext, inbox_id: &str) -> Result<AuthorizedCaller<P>, ApiError> {
    match inbox_id {
        "" => context.authorize_all(),
        inbox_id => Ok(context.authorize_inbox(inbox_id)?.0),
    }
}

/// Reads direction and type of a list.
fn list_name(direction: &str, list_type: &str) -> Result<ListName, ApiError> {
    let found = (ListDirection::named(direction), ListType::named(list_type));
    if let (Some(direction), Some(list_type)) = found {
        return Ok(ListName { direction, list_type });
    }
    let problems = [
        found.0.is_none().then(|| FieldError::new("direction", "must be send, receive or reply")),
        found.1.is_none().then(|| FieldError::new("type", "must be allow or block")),
    ];
    Err(Error::Invalid(problems.into_iter().flatten().collect()).into())
}
