//! `PATCH …/contacts/{address}`

use actix_web::web::Json;
use inboxd_core::FieldError;
use inboxd_core::app::contacts;
use inboxd_core::model::permissions::ListEntryCreate;

use super::address_of;
use crate::authorized::Authorized;
use crate::body::{ContactDecisionName, Nullable, request};
use crate::endpoints::JsonResult;
use crate::views::ContactView;

request! {
    /// Decision about a contact.
    pub(crate) struct ContactChangeRequest {
        /// `trusted` or `blocked`; null removes the decision.
        #[schema(value_type = Option<ContactDecisionName>, required)]
        decision: Nullable<ContactDecisionName>,
    }
}

fn problems_of_change(request: &ContactChangeRequest) -> Vec<FieldError> {
    match request.decision {
        Nullable::Absent => vec![FieldError::new("decision", "must be trusted, blocked or null")],
        _ => Vec::new(),
    }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/contacts/{address}",
    operation_id = "update_contact",
    tag = "Contacts",
    summary = "Trust or block contact",
    description = "Stores a decision about a contact. Messages of a blocked contact get the label `blocked`. Authenticated messages of a trusted contact are trusted, and policies count it as known, so only a person may trust.",
    params(("address" = String, Path, description = "Address of the contact; letter case is ignored")),
    request_body = ContactChangeRequest,
    responses((status = 200, description = "The contact", body = ContactView))
)]
pub(crate) async fn handle(mut call: Authorized<ListEntryCreate>) -> JsonResult<ContactView> {
    let read = call.body::<ContactChangeRequest>().await?.checked(problems_of_change)?;
    let decision = read.decision.sent().flatten().map(|decision| decision.0);
    let (inbox_id, address) = (call.inbox_id(), address_of(&call));
    Ok(Json(contacts::decide(call.app(), &call.caller, &inbox_id, &address, decision).await?.into()))
}
