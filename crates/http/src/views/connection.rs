//! A connection: the access of a client in the name of a person.

use std::collections::BTreeMap;

use inboxd_core::model;
use inboxd_core::rules::oauth::scopes;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// The access of a connected client in the name of a person.
#[derive(Serialize, ToSchema)]
#[schema(as = Connection)]
pub(crate) struct ConnectionView {
    /// Its id.
    connection_id: String,
    /// The member that granted it.
    member_id: String,
    /// The client.
    client_id: String,
    /// The name of the client, as the consent page showed it; unproven.
    client_name: String,
    /// The host, or private scheme, to which the person was sent back.
    redirect_host: String,
    /// Its access as OAuth scopes: complete scopes, then single permissions.
    scope: String,
    /// Its permissions. The present role of the member narrows it.
    permissions: BTreeMap<String, bool>,
    /// The inboxes that it is limited to; empty is all of the member.
    inbox_ids: Vec<String>,
    /// When it was last used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    used_at: Option<String>,
    /// When it ends.
    #[schema(format = DateTime)]
    expires_at: String,
    /// When the person granted it.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Connection> for ConnectionView {
    fn from(connection: model::Connection) -> Self {
        Self {
            connection_id: connection.connection_id.to_string(),
            member_id: connection.member_id.to_string(),
            client_id: connection.client_id,
            client_name: connection.client_name,
            redirect_host: connection.redirect_host,
            scope: scopes::text(&connection.permissions),
            permissions: connection.permissions.0,
            inbox_ids: connection.inbox_ids.iter().map(ToString::to_string).collect(),
            used_at: connection.used_at.map(format_time),
            expires_at: format_time(connection.expires_at),
            created_at: format_time(connection.created_at),
            updated_at: format_time(connection.updated_at),
        }
    }
}
