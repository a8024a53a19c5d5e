//! Limits that refusals with status 429 or 503 name in metrics.

/// Limit that a request reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReachedLimit {
    /// The database is away, or changes conflict again and again.
    StorageUnavailable,
    /// Disk space is low.
    DiskFull,
    /// Unread large responses of one organization or network.
    ResponseMemoryShare,
    /// Unread large responses of all clients.
    ResponseMemory,
    /// The result of a commit is unknown.
    CommitUndecided,
    /// Running requests of MCP clients.
    McpRequests,
    /// Large request bodies of all clients.
    RequestMemory,
    /// Large request bodies of one organization or network.
    RequestMemoryShare,
    /// Readers of the events of one organization.
    FeedSubscribers,
    /// Live pages of one browser session.
    LivePages,
    /// Running and waiting requests of one organization.
    OrganizationRequests,
    /// Request rate of a key.
    KeyRate,
    /// Request rate of the keys of one organization.
    OrganizationRate,
    /// Request rate of a client address or network without a key.
    UnauthenticatedRate,
}

impl ReachedLimit {
    /// Returns the limit as a label.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::StorageUnavailable => "storage_unavailable",
            Self::DiskFull => "disk_full",
            Self::ResponseMemoryShare => "response_memory_share",
            Self::ResponseMemory => "response_memory",
            Self::CommitUndecided => "commit_undecided",
            Self::McpRequests => "mcp_requests",
            Self::RequestMemory => "request_memory",
            Self::RequestMemoryShare => "request_memory_share",
            Self::FeedSubscribers => "feed_subscribers",
            Self::LivePages => "live_pages",
            Self::OrganizationRequests => "organization_requests",
            Self::KeyRate => "key_rate",
            Self::OrganizationRate => "organization_rate",
            Self::UnauthenticatedRate => "unauthenticated_rate",
        }
    }
}
