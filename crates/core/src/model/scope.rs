//! Scope: the organization, one pod of it or one inbox.

use super::{InboxId, PodId};

/// The part of an organization that a path names, a query covers or a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The whole organization. For a caller that reaches less, as much of it as they reach.
    Organization,
    /// One pod with its inboxes.
    Pod(PodId),
    /// One inbox.
    Inbox(InboxId),
}
