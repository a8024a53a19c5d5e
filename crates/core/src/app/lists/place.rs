//! Which list a caller names, and whether their key reaches it.

use crate::app::{App, inboxes, pods};
use crate::model::{Caller, InboxId, ListDirection, ListKey, ListLevel, ListType, Permission, PodId, Reach};
use crate::rules::access;
use crate::{Error, Resource};

/// Whose lists are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The organization's.
    Organization,
    /// A pod's.
    Pod(PodId),
    /// Those of a pod that cannot exist, for this is no id of one.
    UnknownPod(String),
    /// An inbox's.
    Inbox(InboxId),
}

/// A list, as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListName {
    /// Whose it is.
    pub place: Place,
    /// Which mail it is about.
    pub direction: ListDirection,
    /// What it does.
    pub list_type: ListType,
}

/// Refuses a caller whose key does not reach the place, then one who lacks the permission.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::PodOutOfScope`], [`Error::MissingPermission`].
pub fn require(caller: &Caller, place: &Place, permission: Permission) -> Result<(), Error> {
    match (&caller.reach, place) {
        // The pod of the inbox is known once the inbox is read.
        (Reach::Organization, _) | (Reach::Pod(_), Place::Inbox(_)) => {}
        (Reach::Pod(reached), Place::Pod(pod_id)) if reached == pod_id => {}
        (Reach::Pod(_), _) => return Err(Error::PodOutOfScope),
        (Reach::Inbox { .. } | Reach::Inboxes(_), Place::Inbox(inbox_id)) => access::require_inbox(caller, inbox_id)?,
        (Reach::Inbox { inbox_id, .. }, _) => return Err(Error::InboxOutOfScope { reached: inbox_id.clone() }),
        (Reach::Inboxes(theirs), _) => return Err(Error::NotTheirInbox { theirs: theirs.iter().cloned().collect() }),
    }
    access::require(caller, permission)
}

/// The list, if what it belongs to is there.
pub(super) async fn find(app: &App, caller: &Caller, name: &ListName) -> Result<ListKey, Error> {
    let organization_id = caller.organization.organization_id;
    let level = match &name.place {
        Place::Organization => ListLevel::Organization,
        Place::Pod(pod_id) => {
            pods::find(app, caller, *pod_id).await?;
            ListLevel::Pod(*pod_id)
        }
        Place::UnknownPod(text) => return Err(Error::not_found(Resource::Pod, text)),
        Place::Inbox(inbox_id) => {
            let inbox = inboxes::find(app, caller, inbox_id).await?;
            ListLevel::Inbox { pod_id: inbox.pod_id, inbox_id: inbox.inbox_id }
        }
    };
    Ok(ListKey { organization_id, level, direction: name.direction, list_type: name.list_type })
}
