//! Tools of inboxes.

use futures_util::FutureExt;
use inboxd_core::app::inboxes::{self, InboxChange, NewInbox};
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::{InboxCreate, InboxDelete, InboxRead, InboxUpdate};
use serde_json::{Map, Value};

use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::body::{MetadataChanges, MetadataPairs, Nullable, request};
use crate::endpoints::inboxes::update::InboxChangeRequest;
use crate::mcp::arguments::require_valid;
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::InboxView;

query_arguments! {
    /// A page of inboxes.
    InboxPage [] {
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
    }
}

request! {
    /// An inbox.
    pub(crate) struct NamedInbox {
        inbox_id: String,
    }
}

request! {
    /// The inbox to create.
    pub(crate) struct InboxToCreate {
        /// Part before the @; random if absent.
        username: Option<String>,
        /// Verified domain; the default domain if absent.
        domain: Option<String>,
        /// Name in From.
        display_name: Option<String>,
        /// Idempotency key: a repeat returns the same inbox.
        client_id: Option<String>,
        /// Your own pairs of strings, numbers or booleans.
        #[schema(value_type = Option<Object>)]
        metadata: Option<MetadataPairs>,
    }
}

request! {
    /// Changes of an inbox.
    pub(crate) struct InboxToUpdate {
        inbox_id: String,
        /// Name in From.
        #[schema(value_type = Option<String>)]
        display_name: Nullable<String>,
        /// Pairs to merge; null as a value removes a pair.
        #[schema(value_type = Option<Object>)]
        metadata: Nullable<MetadataChanges>,
    }
}

pub(super) async fn list_inboxes(call: ToolCall<QueryArguments<InboxPage>>) -> ToolResult {
    let caller = call.authorize_all::<InboxRead>()?;
    let paging = call.paging(call.input.limit, call.input.page_token(), Direction::Descending)?;
    let list = ListedField { tool: "list_inboxes", field: "inboxes", arguments: &call.input };
    let read = |page| inboxes::list(call.app(), &caller, page).boxed();
    Ok(read_page(list, &paging, Output::new, read, |inbox| shape_fields(&InboxView::from(inbox))).await?.into())
}

pub(super) async fn get_inbox(call: ToolCall<NamedInbox>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<InboxRead>(&call.input.inbox_id)?;
    Ok(shown(&inboxes::get(call.app(), &caller, &inbox_id).await?.into()))
}

pub(super) async fn create_inbox(call: ToolCall<InboxToCreate>) -> ToolResult {
    let caller = call.authorize_all::<InboxCreate>()?;
    let app = call.app().clone();
    let InboxToCreate { username, domain, display_name, client_id, metadata } = call.input;
    let metadata = metadata.unwrap_or_default().0;
    let new = NewInbox { username, domain, display_name, client_id, metadata, status: None, retention_days: None };
    require_valid(inboxes::problems_of_new(&app, &new))?;
    Ok(shown(&inboxes::create(&app, &caller, new).await?.into()))
}

pub(super) async fn update_inbox(call: ToolCall<InboxToUpdate>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<InboxUpdate>(&call.input.inbox_id)?;
    let app = call.app().clone();
    let InboxToUpdate { display_name, metadata, .. } = call.input;
    let (retention_days, quarantine) = (Nullable::Absent, Nullable::Absent);
    let change = InboxChangeRequest { display_name, metadata, status: None, retention_days, quarantine };
    let change = InboxChange::from(change);
    require_valid(inboxes::problems_of_change(&change))?;
    Ok(shown(&inboxes::update(&app, &caller, &inbox_id, change).await?.into()))
}

pub(super) async fn delete_inbox(call: ToolCall<NamedInbox>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<InboxDelete>(&call.input.inbox_id)?;
    inboxes::delete(call.app(), &caller, &inbox_id).await?;
    Ok(Output::deleted("inboxId", inbox_id.to_string()).into())
}

fn shown(inbox: &InboxView) -> crate::mcp::tool::ToolReply {
    let fields: Map<String, Value> = shape_fields(inbox);
    Output::new(fields).into()
}
