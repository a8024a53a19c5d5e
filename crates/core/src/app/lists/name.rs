//! Name of a list within a scope.

use crate::Error;
use crate::app::{App, scope};
use crate::model::{ListDirection, ListKey, ListLevel, ListType, Reach};
use crate::rules::authorization::AuthorizedCaller;

/// Direction and effect of a list, which identify it within its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListName {
    /// The direction of the mail that the list filters.
    pub direction: ListDirection,
    /// The effect of the list.
    pub list_type: ListType,
}

impl ListName {
    /// Returns whether entries of the list may require authentication: they admit received mail.
    #[must_use]
    pub fn may_require_authentication(self) -> bool {
        self.list_type == ListType::Allow && self.direction != ListDirection::Send
    }
}

/// Returns the key of the list if its pod or inbox exists.
pub(super) async fn find<P>(app: &App, caller: &AuthorizedCaller<P>, name: ListName) -> Result<ListKey, Error> {
    let level = match scope::resolve(app, caller).await? {
        Reach::Organization | Reach::Inboxes(_) => ListLevel::Organization,
        Reach::Pod(pod_id) => ListLevel::Pod(pod_id),
        Reach::Inbox { pod_id, inbox_id } => ListLevel::Inbox { pod_id, inbox_id },
    };
    let ListName { direction, list_type } = name;
    Ok(ListKey { organization_id: caller.organization.organization_id, level, direction, list_type })
}
