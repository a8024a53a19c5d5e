//! Author of an action.

use serde::{Deserialize, Serialize};

use super::{ApiKeyId, ConnectionId, MemberId};

/// Author of an action, shown in `sent_by`, `created_by` and similar fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Actor {
    /// A member.
    Member {
        /// Id of the member.
        member_id: MemberId,
        /// Name of the member.
        name: String,
        /// Address of the member.
        email: String,
        /// Connection through which a client acted for the member.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connection_id: Option<ConnectionId>,
    },
    /// A key that acts for the organization.
    ApiKey {
        /// Id of the key.
        api_key_id: ApiKeyId,
        /// Name of the key at that time.
        name: String,
    },
}

impl Actor {
    /// Returns a member as author through a connection; a key stays as it is.
    #[must_use]
    pub fn through(self, connection_id: Option<ConnectionId>) -> Self {
        match self {
            Self::Member { member_id, name, email, .. } => Self::Member { member_id, name, email, connection_id },
            key @ Self::ApiKey { .. } => key,
        }
    }

    /// Returns the id of the member or key.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::Member { member_id, .. } => member_id.to_string(),
            Self::ApiKey { api_key_id, .. } => api_key_id.to_string(),
        }
    }
}
