//! `PATCH /v0/connections/{connection_id}`

use actix_web::web::Json;
use inboxd_core::app::oauth::{self, ConnectionChange};
use inboxd_core::rules::access;

use crate::auth::AuthenticatedRequest;
use crate::body::{InboxIds, Nullable, Timestamp, request};
use crate::endpoints::JsonResult;
use crate::views::ConnectionView;

request! {
    /// Changes; an absent field stays.
    pub(crate) struct ConnectionChangeRequest {
        /// The access of the client: OAuth scopes or single permissions, separated by spaces.
        #[schema(example = "mail:read mail:draft")]
        scope: Option<String>,
        /// The inboxes that it is limited to; none of them, or null, is all of the member.
        #[schema(value_type = Option<InboxIds>)]
        inbox_ids: Nullable<InboxIds>,
        /// When it ends: at most a year after the consent.
        #[schema(value_type = Option<String>, format = DateTime)]
        expires_at: Option<Timestamp>,
    }
}

impl From<ConnectionChangeRequest> for ConnectionChange {
    fn from(request: ConnectionChangeRequest) -> Self {
        let ConnectionChangeRequest { scope, inbox_ids, expires_at } = request;
        let inbox_ids = inbox_ids.sent().map(|inbox_ids| inbox_ids.unwrap_or_default().0);
        Self { scope, inbox_ids, expires_at: expires_at.map(|time| time.0) }
    }
}

#[utoipa::path(
    patch,
    path = "/v0/connections/{connection_id}",
    operation_id = "update_connection",
    tag = "Connections",
    summary = "Change a connection",
    description = "Narrows the access of a client, or widens it within the role of the person. Only the person who granted it widens it; a token of a client changes none. `api_key_update` suffices as well. Requires `api_key_create`.",
    params(("connection_id" = String, Path, description = "The connection")),
    request_body = ConnectionChangeRequest,
    responses((status = 200, description = "The connection", body = ConnectionView))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<ConnectionView> {
    call.require_granted(access::key_change_permission(&call.caller))?;
    let read = call.body::<ConnectionChangeRequest>().await?.map(ConnectionChange::from);
    let change = read.checked(oauth::problems_of_change)?;
    let connection_id = call.connection_id()?;
    let changed = oauth::update_connection(call.app(), &call.caller, connection_id, change).await;
    Ok(Json(call.with_fix(changed)?.into()))
}
