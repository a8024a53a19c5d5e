//! `POST …/lists/{direction}/{type}`

use actix_web::web::Json;
use inboxd_core::app::lists::{self, NewEntry};
use inboxd_core::model::permissions::ListEntryCreate;

use crate::authorized::Authorized;
use crate::body::{ClientId, Reason, request};
use crate::endpoints::JsonResult;
use crate::list_path::{ListParams, ListPath, list_name};
use crate::views::ListEntryView;

request! {
    /// List entry to create.
    pub(crate) struct NewEntryRequest {
        /// Address or domain. Letter case is ignored.
        entry: String,
        /// Reason of the entry.
        #[schema(value_type = Option<Reason>)]
        reason: Option<String>,
        /// Whether the entry admits a sender only if authentication (DMARC) confirms the domain of From. Other mail of the
        /// sender counts as not listed. Only `receive/allow` and `reply/allow` offer this.
        require_authentication: Option<bool>,
        /// Idempotency key: a repeat returns the entry of the list created before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/lists/{direction}/{type}",
    operation_id = "create_list_entry",
    tag = "Lists",
    summary = "Create list entry",
    description = "Adds an address, or a domain with its subdomains, to a list. It applies to all mail of the scope. An allow list with any entry excludes all other addresses.",
    params(ListParams),
    request_body = NewEntryRequest,
    responses((status = 200, description = "The entry", body = ListEntryView))
)]
pub(crate) async fn handle(mut call: Authorized<ListEntryCreate, ListPath>) -> JsonResult<ListEntryView> {
    let list = list_name(&call)?;
    let read = call.body::<NewEntryRequest>().await?;
    let read = read.map(|NewEntryRequest { entry, reason, require_authentication, client_id }| NewEntry {
        entry,
        reason,
        require_authentication: require_authentication.unwrap_or_default(),
        client_id,
    });
    let new = read.checked(|new| lists::problems_of_new(list, new))?;
    let made = lists::create(call.app(), &call.caller, list, new).await?;
    Ok(Json(made.into()))
}
