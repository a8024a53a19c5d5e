//! `POST …/messages/{message_id}/agent-armor/feedback`

use actix_web::web::Json;
use inboxd_core::app::quarantine::{self, NewFeedback};
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::body::{FeedbackName, QuarantineText, request};
use crate::endpoints::JsonResult;
use crate::views::AgentArmorFeedbackView;

request! {
    /// Feedback on the verdict about a message.
    pub(crate) struct FeedbackRequest {
        /// Opinion about the verdict.
        #[schema(value_type = FeedbackName)]
        feedback: FeedbackName,
        /// Anything else about the verdict.
        #[schema(value_type = Option<QuarantineText>)]
        notes: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/feedback",
    operation_id = "give_feedback",
    tag = "Messages",
    summary = "Give feedback on verdict",
    description = "Stores feedback on the verdict about a received message, at most 20 pieces a message.",
    request_body = FeedbackRequest,
    responses((status = 200, description = "The feedback", body = AgentArmorFeedbackView), (status = 409))
)]
pub(crate) async fn handle(mut call: Authorized<MessageRead>) -> JsonResult<AgentArmorFeedbackView> {
    let inbox_id = call.inbox_id();
    let read = call.body::<FeedbackRequest>().await?;
    let read = read.map(|FeedbackRequest { feedback, notes }| NewFeedback { feedback: feedback.0, notes });
    let new = read.checked(quarantine::problems_of_feedback)?;
    let message_id = call.message_id(&inbox_id).await?;
    Ok(Json(quarantine::give_feedback(call.app(), &call.caller, &inbox_id, &message_id, new).await?.into()))
}
