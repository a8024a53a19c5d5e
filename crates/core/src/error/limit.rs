//! Plan limits and row limits.

use time::OffsetDateTime;

/// A plan limit that a request would exceed (`service.md`, section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitReached {
    /// Live inboxes.
    Inboxes,
    /// Custom domains.
    Domains,
    /// Messages per day.
    Daily {
        /// The next 00:00 UTC.
        resets_at: OffsetDateTime,
    },
    /// Messages per month.
    Monthly {
        /// The start of next month, UTC.
        resets_at: OffsetDateTime,
    },
    /// Pods, the default pod included.
    Pods,
    /// Bytes of live messages.
    Storage,
    /// Members, the owner and invited ones included.
    Members,
    /// Webhooks.
    Webhooks,
}

/// Kinds of rows with a limit beside the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedRows {
    /// Drafts of an inbox.
    Drafts,
    /// Files of all inboxes.
    Files,
    /// Notes of a thread.
    Notes,
    /// Events and changed dates of a calendar.
    CalendarEvents,
    /// Entries of all allow and block lists.
    ListEntries,
    /// Decisions about contacts of all inboxes.
    ContactDecisions,
    /// API keys that are not revoked.
    ApiKeys,
    /// Polling webhooks of one organization, pod or inbox.
    PollingWebhooks,
    /// Connections of one member.
    Connections,
    /// Pending invitations.
    PendingInvitations,
    /// Creations per day.
    Creations {
        /// The next 00:00 UTC.
        resets_at: OffsetDateTime,
    },
    /// Recorded changes of one author per day.
    Changes {
        /// The next 00:00 UTC.
        resets_at: OffsetDateTime,
    },
}

impl LimitedRows {
    /// Describes the bound in a sentence.
    pub(super) fn describe(self, limit: u64) -> String {
        match self {
            Self::Drafts => format!("an inbox holds at most {limit} drafts"),
            Self::Files => format!("an organization holds at most {limit} files"),
            Self::Notes => format!("a thread holds at most {limit} notes"),
            Self::CalendarEvents => format!("a calendar holds at most {limit} events and changed dates"),
            Self::ListEntries => format!("the allow and block lists of an organization hold at most {limit} entries"),
            Self::ContactDecisions => format!("an organization decides about at most {limit} contacts"),
            Self::ApiKeys => format!("an organization has at most {limit} API keys"),
            Self::PollingWebhooks => {
                format!("an organization, pod or inbox has at most {limit} polling webhooks of its own")
            }
            Self::Connections => format!("a member has at most {limit} connections"),
            Self::PendingInvitations => format!("an organization has at most {limit} pending invitations"),
            Self::Changes { .. } => format!("a key or person makes at most {limit} audited changes per day"),
            Self::Creations { .. } => format!("an organization creates at most {limit} resources per day"),
        }
    }
}
