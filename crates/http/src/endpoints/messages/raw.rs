//! `GET …/messages/{message_id}/raw`

use actix_web::HttpResponse;
use inboxd_core::app::downloads::{Download, link};
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::downloads::binary::{BinaryBody, read_raw_mail, wants_binary};
use crate::error::ApiError;
use crate::views::RawLink;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/raw",
    operation_id = "get_raw_message",
    tag = "Messages",
    summary = "Read raw message",
    description = "Returns a short-lived link to the unchanged message; with `Accept: message/rfc822` the message itself.",
    responses(
        (status = 200, description = "A link to the message, or the message", content(
            (RawLink = "application/json"),
            (BinaryBody = "message/rfc822")
        )),
        (status = 206, description = "The requested part of the message", body = BinaryBody, content_type = "message/rfc822"),
        (status = 416)
    )
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> Result<HttpResponse, ApiError> {
    let inbox_id = call.inbox_id();
    let message_id = call.message_id(&inbox_id).await?;
    if wants_binary(call.request()) {
        let source = messages::download_raw(call.app(), &call.caller, &inbox_id, &message_id).await?;
        return read_raw_mail(&call, source).await;
    }
    let item = messages::linked(call.app(), &call.caller, &inbox_id, &message_id).await?;
    let (organization_id, message_id) = (item.organization_id, item.message_id.clone());
    let link = link(call.app(), &Download { organization_id, inbox_id, message_id, attachment_id: None, text: None })?;
    Ok(HttpResponse::Ok().json(RawLink::new(&item, &link, &call.state().base_url)))
}
