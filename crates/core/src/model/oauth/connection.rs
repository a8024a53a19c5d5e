//! Connections: the access that persons grant to clients.

use std::collections::BTreeSet;

use time::{Duration, OffsetDateTime};

use crate::model::{ConnectionId, InboxId, MemberId, OrganizationId, Permissions};

/// The access of a client in the name of a member (a grant of OAuth 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Id of the connection.
    pub connection_id: ConnectionId,
    /// Member that granted the access.
    pub member_id: MemberId,
    /// Client with the access.
    pub client_id: String,
    /// Name of the client as the consent page showed it.
    pub client_name: String,
    /// Host, or private scheme, of the redirect URI as the consent page showed it.
    pub redirect_host: String,
    /// Permissions of the connection, at most those of the scopes that the client asked for. The present role and
    /// inboxes of the member narrow them at each request.
    pub permissions: Permissions,
    /// Inboxes that limit the connection; empty is no limit beside that of the member.
    pub inbox_ids: BTreeSet<InboxId>,
    /// Origin of the server for which the tokens are valid (RFC 8707).
    pub resource: String,
    /// Time of the consent.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
    /// Time of the last use of a token; `None` until the client exchanges its code.
    pub used_at: Option<OffsetDateTime>,
    /// Expiry that the person chose.
    pub expires_at: OffsetDateTime,
    /// Time of the revocation.
    pub revoked_at: Option<OffsetDateTime>,
}

impl Connection {
    /// Maximum validity of a connection.
    pub const MAX_LIFETIME: Duration = Duration::days(365);
    /// Validity of an access token.
    pub const ACCESS_LIFETIME: Duration = Duration::hours(1);
    /// Maximum time without a use, after which a connection ends.
    pub const MAX_IDLE: Duration = Duration::days(60);
    /// Retention of a connection whose code no client exchanged.
    pub const UNUSED_RETENTION: Duration = Duration::hours(1);
    /// Retention of an ended connection.
    pub const ENDED_RETENTION: Duration = Duration::days(30);
    /// Retention of an access token after its expiry.
    pub const TOKEN_RETENTION: Duration = Duration::days(1);
    /// Maximum live access tokens, and maximum live refresh tokens. The oldest ones end first.
    pub const MAX_TOKENS: u32 = 200;

    /// Returns whether the connection is valid: neither revoked nor expired.
    #[must_use]
    pub fn is_live(&self, now: OffsetDateTime) -> bool {
        self.revoked_at.is_none() && self.expires_at > now
    }
}

/// Connection of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionBounds {
    /// Id of the connection.
    pub connection_id: ConnectionId,
    /// Permissions that the person granted, before role and inboxes narrow them.
    pub granted: Permissions,
}

/// Extent of a consent, by which a person narrows the requested scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Everything that the client asks for.
    Asked,
    /// Reading alone.
    ReadOnly,
    /// Reading, and writing drafts that a person sends.
    ReadAndDraft,
    /// Reading, writing drafts and sending.
    ReadDraftSend,
}

impl Access {
    /// All extents, the widest first.
    pub const ALL: [Self; 4] = [Self::Asked, Self::ReadDraftSend, Self::ReadAndDraft, Self::ReadOnly];

    /// Returns the name in the consent form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::ReadOnly => "read",
            Self::ReadAndDraft => "draft",
            Self::ReadDraftSend => "send",
        }
    }

    /// Parses a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.as_str() == name)
    }
}
