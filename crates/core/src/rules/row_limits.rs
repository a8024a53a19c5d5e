//! Upper bounds on rows that a plan does not meter.

/// Maximum rows of each kind, set by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLimits {
    /// Drafts of one inbox.
    pub drafts: u64,
    /// Entries of all allow and block lists of an organization.
    pub list_entries: u64,
    /// API keys of an organization that are not revoked.
    pub api_keys: u64,
    /// Creations of an organization per day whose rows outlive deletion.
    pub daily_creations: u64,
    /// Pending invitations of an organization.
    pub pending_invitations: u64,
    /// Connections of a member.
    pub connections: u64,
    /// Registered OAuth clients without a connection, of the whole server.
    pub unused_clients: u64,
    /// Audited changes of one author per day; deletions are exempt.
    pub daily_changes: u64,
    /// Events in the label history of one inbox; older ones are deleted.
    pub label_events: u64,
    /// Contacts of one inbox that it never wrote to, and a tenth of all its contacts; older ones without a decision are
    /// deleted.
    pub contacts: u64,
}

impl Default for RowLimits {
    fn default() -> Self {
        Self {
            drafts: 10_000,
            list_entries: 10_000,
            api_keys: 1_000,
            daily_creations: 50_000,
            pending_invitations: 1_000,
            connections: 100,
            unused_clients: 10_000,
            daily_changes: 10_000,
            label_events: 50_000,
            contacts: 10_000,
        }
    }
}
