//! Feedback on the verdict about a message.

use super::problem_of_text;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, messages};
use crate::error::QuarantineRefusal;
use crate::model::permissions::MessageRead;
use crate::model::{FeedbackValue, InboxId, MessageId, SecurityFeedback};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::security;
use crate::{Error, FieldError, Resource};

/// Maximum pieces of feedback of a message.
pub const MAX_FEEDBACK: u32 = 20;

/// Feedback to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFeedback {
    /// The opinion.
    pub feedback: FeedbackValue,
    /// Anything else about the verdict.
    pub notes: Option<String>,
}

/// Stores feedback on the verdict about a message that the caller may read.
///
/// # Errors
/// [`Error::Invalid`], [`Error::InboxOutOfScope`], [`Error::NotFound`], [`QuarantineRefusal::NotJudged`],
/// [`QuarantineRefusal::FeedbackFull`].
pub async fn give_feedback(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    message_id: &MessageId,
    new: NewFeedback,
) -> Result<SecurityFeedback, Error> {
    Error::unless_empty(problems_of_feedback(&new))?;
    let message = messages::item(app, caller, inbox_id, message_id).await?;
    let result = security::result(&message).ok_or_else(|| QuarantineRefusal::NotJudged(message_id.clone()))?;
    let now = app.clock.now();
    let feedback = SecurityFeedback {
        feedback_id: app.mint(now),
        feedback: new.feedback,
        notes: new.notes,
        actor: caller.actor.clone(),
        original_verdict: result.verdict,
        model: result.model,
        created_at: now,
    };
    let store = async || {
        let mut tx = app.store.begin().await?;
        let stored = tx.messages().add_feedback(&message, &feedback, MAX_FEEDBACK).await?;
        tx.commit().await?;
        Ok::<_, Error>(stored)
    };
    match retried(is_contention, store).await? {
        Some(true) => Ok(feedback),
        Some(false) => {
            Err(QuarantineRefusal::FeedbackFull { message_id: message.message_id, limit: MAX_FEEDBACK }.into())
        }
        None => Err(Error::not_found(Resource::Message, message_id)),
    }
}

/// Validates feedback.
#[must_use]
pub fn problems_of_feedback(new: &NewFeedback) -> Vec<FieldError> {
    problem_of_text("notes", new.notes.as_deref()).into_iter().collect()
}
