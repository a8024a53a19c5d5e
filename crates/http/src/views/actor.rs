//! Actor of a change.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

/// Actor of a change: a member, or an API key that acts for the organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Actor)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ActorView {
    /// Member of the organization.
    Member {
        /// Id of the member.
        member_id: String,
        /// Name of the member.
        name: String,
        /// Email address of the member.
        email: String,
        /// The connection through which a client acted for them.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        connection_id: Option<String>,
    },
    /// API key.
    ApiKey {
        /// Id of the API key.
        api_key_id: String,
        /// Name of the API key at the time of the change.
        name: String,
    },
}

impl From<model::Actor> for ActorView {
    fn from(actor: model::Actor) -> Self {
        match actor {
            model::Actor::Member { member_id, name, email, connection_id } => Self::Member {
                member_id: member_id.to_string(),
                name,
                email,
                connection_id: connection_id.map(|id| id.to_string()),
            },
            model::Actor::ApiKey { api_key_id, name } => Self::ApiKey { api_key_id: api_key_id.to_string(), name },
        }
    }
}
