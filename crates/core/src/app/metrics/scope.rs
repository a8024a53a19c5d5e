//! What a caller wants counted.

use crate::app::{App, inboxes, pods};
use crate::model::metrics::MetricScope;
use crate::model::{Caller, InboxId, Permission, PodId, Reach};
use crate::rules::access;
use crate::{Error, Resource};

/// The part that the caller names; nothing is all that the key reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Within {
    /// A pod.
    pub pod_id: Option<PodId>,
    /// An inbox, of that pod if one is named.
    pub inbox_id: Option<InboxId>,
}

impl Within {
    /// Refuses what the key does not reach, and a key that may not count.
    ///
    /// # Errors
    /// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::PodOutOfScope`], [`Error::MissingPermission`].
    pub fn allow(&self, caller: &Caller) -> Result<(), Error> {
        if let Some(inbox_id) = &self.inbox_id {
            access::require_inbox(caller, inbox_id)?;
        }
        // Whoever is limited to inboxes may say which pod theirs is in.
        let is_theirs = self.inbox_id.is_some() && is_limited(caller);
        if let Some(pod_id) = self.pod_id.filter(|_| !is_theirs) {
            access::require_whole_pod(caller, pod_id)?;
        }
        access::require(caller, Permission::MetricsRead)
    }

    /// What is counted, as far as it exists. A member limited to several inboxes names one.
    pub(super) async fn scope(&self, app: &App, caller: &Caller) -> Result<MetricScope, Error> {
        let (reached, inbox_id) = access::listed(caller, self.inbox_id.clone())?;
        match (self.pod_id, inbox_id) {
            (Some(pod_id), Some(inbox_id)) if !is_limited(caller) => {
                pods::enter_inbox(app, caller, pod_id, &inbox_id).await?;
                Ok(MetricScope::Inbox(inbox_id))
            }
            (pod_id, Some(inbox_id)) => {
                let inbox = inboxes::find(app, caller, &inbox_id).await?;
                if pod_id.is_some_and(|pod_id| pod_id != inbox.pod_id) {
                    return Err(Error::not_found(Resource::Inbox, inbox_id));
                }
                Ok(MetricScope::Inbox(inbox_id))
            }
            (Some(pod_id), None) => {
                pods::enter(app, caller, pod_id).await?;
                Ok(MetricScope::Pod(pod_id))
            }
            (None, None) => Ok(reached.map_or(MetricScope::Organization, MetricScope::Pod)),
        }
    }
}

/// Whether the caller reaches some inboxes and no pod as a whole.
fn is_limited(caller: &Caller) -> bool {
    matches!(caller.reach, Reach::Inbox { .. } | Reach::Inboxes(_))
}
