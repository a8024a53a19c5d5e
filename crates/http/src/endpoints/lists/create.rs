//! `POST /v0/lists/{direction}/{type}`

use actix_web::web::Json;
use inboxd_core::app::lists::{self, NewEntry};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{ClientId, Reason, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::list_path::list_of;
use crate::query_docs::ListParams;
use crate::views::ListEntry;

request! {
    /// The entry to make.
    pub(crate) struct NewEntryRequest {
        /// An address or a domain; letter case does not count.
        entry: String,
        /// Why.
        #[schema(value_type = Option<Reason>)]
        reason: Option<String>,
        /// An idempotency key: a repeat answers the entry of the list that it made before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

/// Reads the entry that a call makes, the same way on every level.
pub(crate) async fn new_entry(call: &mut Authenticated) -> Result<NewEntry, ApiError> {
    let read = call.body::<NewEntryRequest>().await?;
    let read = read.map(|NewEntryRequest { entry, reason, client_id }| NewEntry { entry, reason, client_id });
    Ok(read.checked(lists::problems_of_new)?)
}

#[utoipa::path(
    post,
    path = "/v0/lists/{direction}/{type}",
    operation_id = "create_list_entry",
    tag = "Lists",
    summary = "Put somebody on a list of the organization",
    description = "Puts an address, or a domain with its subdomains, on a list for the mail of the whole organization. An allow list with any entry keeps out everybody else. Needs `list_entry_create`.",
    params(ListParams),
    request_body = NewEntryRequest,
    responses((status = 200, description = "The entry", body = ListEntry))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ListEntry> {
    let list = list_of(&call, Permission::ListEntryCreate)?;
    let new = new_entry(&mut call).await?;
    let made = lists::create(call.app(), &call.caller, &list, new).await?;
    Ok(Json(made.into()))
}
