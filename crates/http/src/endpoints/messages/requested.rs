//! Messages in the form that their reader requests. Large bodies are converted outside the HTTP threads.

use inboxd_core::model::Message;
use inboxd_core::ports::WorkOwner;

use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::views::{BodyFormat, MessageView};

/// Bytes that take as long to convert as finding the language of a message.
const LANGUAGE_BYTES: usize = 4 * 1024;

/// Returns a message with its language and number of tokens.
pub(crate) async fn requested(
    call: &AuthenticatedRequest,
    message: Message,
    format: BodyFormat,
) -> Result<MessageView, ApiError> {
    let bytes = cost(&message);
    Ok(call.app().compute(owner(call), bytes, move || MessageView::requested(message, format)).await?)
}

/// Returns messages with their languages and numbers of tokens.
pub(crate) async fn all_requested(
    call: &AuthenticatedRequest,
    messages: Vec<Message>,
    format: BodyFormat,
) -> Result<Vec<MessageView>, ApiError> {
    let bytes = messages.iter().map(cost).sum();
    let views = move || messages.into_iter().map(|message| MessageView::requested(message, format)).collect();
    Ok(call.app().compute(owner(call), bytes, views).await?)
}

fn owner(call: &AuthenticatedRequest) -> WorkOwner {
    WorkOwner::Organization(call.caller.organization.organization_id)
}

fn cost(message: &Message) -> usize {
    let bodies = [&message.body.text, &message.body.html];
    bodies.into_iter().flatten().map(String::len).sum::<usize>() + LANGUAGE_BYTES
}
