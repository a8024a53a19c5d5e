//! `GET …/messages/{message_id}`

use actix_web::web::Json;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::endpoints::messages::requested::requested;
use crate::query::BodyFormatParams;
use crate::views::MessageView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}",
    operation_id = "get_message",
    tag = "Messages",
    summary = "Read message",
    description = "Returns a message with its bodies.",
    params(BodyFormatParams),
    responses((status = 200, description = "The message", body = MessageView))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<MessageView> {
    let mut query = call.query();
    let format = query.body_format();
    query.finish()?;
    let inbox_id = call.inbox_id();
    let message_id = call.message_id(&inbox_id).await?;
    let message = messages::get(call.app(), &call.caller, &inbox_id, &message_id).await?;
    Ok(Json(requested(&call, message, format).await?))
}
