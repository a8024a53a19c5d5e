//! A held message as a person reads it before the decision: from the bytes that would leave.

use inboxd_mail::{ParsedMail, parse};

use super::approve::waiting;
use super::find::get;
use crate::app::App;
use crate::model::permissions::DraftRead;
use crate::model::{Approval, Draft, DraftId, MessageId};
use crate::ports::WorkOwner;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, PolicyError};

/// A held message.
#[derive(Debug)]
pub struct HeldMessage {
    /// The approval that it waits for.
    pub approval: Approval,
    /// The composed message.
    pub mail: ParsedMail,
}

/// Returns the held message of a draft.
///
/// # Errors
/// As [`get`], and [`PolicyError::NotAwaitingApproval`].
pub async fn held(app: &App, caller: &AuthorizedCaller<DraftRead>, draft_id: DraftId) -> Result<HeldMessage, Error> {
    let draft = get(app, caller, draft_id).await?;
    let message_id = draft.item.approval.as_ref().map(|approval| approval.message_id.clone());
    let message_id = message_id.ok_or(PolicyError::NotAwaitingApproval(draft_id))?;
    read(app, &draft, &message_id).await
}

/// Reads the held message of a draft, if it is still the named one.
pub(super) async fn read(app: &App, draft: &Draft, message_id: &MessageId) -> Result<HeldMessage, Error> {
    let (organization_id, draft_id) = (draft.item.organization_id, draft.item.draft_id);
    let approval = waiting(&draft.item, message_id, app.clock.now())?;
    let raw = app.store.held_mail(organization_id, draft_id).await?;
    let raw = raw.ok_or(PolicyError::NotAwaitingApproval(draft_id))?;
    let mail = app.compute(WorkOwner::Organization(organization_id), raw.len(), move || parse(&raw)).await?;
    // The draft may have been changed and held again between the two reads.
    if mail.message_id.as_deref() != Some(message_id.as_str()) {
        return Err(PolicyError::NotAwaitingApproval(draft_id).into());
    }
    Ok(HeldMessage { approval, mail })
}
