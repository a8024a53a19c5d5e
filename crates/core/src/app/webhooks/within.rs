//! Which webhooks a call is about, by its path.

use crate::app::{App, inboxes, pods};
use crate::model::{Caller, InboxId, Permission, PodId, Reach, Webhook, WebhookId};
use crate::rules::access;
use crate::{Error, Resource};

/// Which webhooks a call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    /// All that the caller reaches.
    Reach,
    /// Those of a pod, and of its inboxes.
    Pod(PodId),
    /// Those of an inbox.
    Inbox(InboxId),
}

/// Refuses a caller whose key does not reach what the path names, then one who lacks the permission.
pub(super) fn require(caller: &Caller, within: &Within, permission: Permission) -> Result<(), Error> {
    match within {
        Within::Reach => {}
        Within::Pod(pod_id) => access::require_whole_pod(caller, *pod_id)?,
        Within::Inbox(inbox_id) => access::require_inbox(caller, inbox_id)?,
    }
    access::require(caller, permission)
}

/// How far the path reaches, if what it names is there.
pub(super) async fn reach(app: &App, caller: &Caller, within: &Within) -> Result<Reach, Error> {
    match within {
        Within::Reach => Ok(caller.reach.clone()),
        Within::Pod(pod_id) => Ok(pods::enter(app, caller, *pod_id).await?.reach),
        Within::Inbox(inbox_id) => {
            let inbox = inboxes::find(app, caller, inbox_id).await?;
            Ok(Reach::Inbox { pod_id: inbox.pod_id, inbox_id: inbox.inbox_id })
        }
    }
}

/// The webhook, for a use case that has checked scope and permission. One beyond the path or the caller's reach is not
/// there.
pub(super) async fn find(app: &App, caller: &Caller, within: &Within, webhook_id: WebhookId) -> Result<Webhook, Error> {
    let reach = reach(app, caller, within).await?;
    app.store
        .webhook(caller.organization.organization_id, webhook_id)
        .await?
        .filter(|webhook| access::reaches(&reach, &webhook.place))
        .ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))
}
