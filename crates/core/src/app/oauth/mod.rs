//! Use cases of the OAuth 2.1 authorization server, of browser sessions and of connections.

mod authenticate_client;
mod connections;
mod consent;
mod exchange;
mod fetch_client;
mod find_client;
mod issue;
mod newcomer;
mod open_session;
mod organizations;
mod purge;
mod refresh;
mod register;
mod revoke_token;
mod session;

pub use authenticate_client::ClientCredentials;
pub use connections::{
    ConnectionChange, get_connection, list_connections, problems_of_change, revoke_connection, update_connection,
};
pub use consent::{GrantRequest, grant, require_request};
pub use exchange::{CodeExchange, exchange_code};
pub use fetch_client::fetch_client;
pub use find_client::{FoundClient, find_client};
pub use issue::IssuedTokens;
pub use newcomer::{create_organization, may_create_organization};
pub use open_session::open_session;
pub use organizations::{inboxes_of, organizations_of};
pub use purge::purge_oauth;
pub use refresh::{Refresh, refresh};
pub use register::{RegisterClient, RegisteredClient, register_client};
pub use revoke_token::revoke_token;
pub use session::{OpenedSession, close_all_sessions, close_session, request_code, session, sessions_of};

pub use crate::rules::oauth::bounds::missing_scope;

use crate::Error;
use crate::app::App;
use crate::model::OAuthErrorCode;
use crate::rules::oauth::refuse;

/// Returns the issuer.
///
/// # Errors
/// [`Error::OAuth`] with `temporarily_unavailable` if the base URL has a path, which turns OAuth off.
pub(super) fn issuer(app: &App) -> Result<&str, Error> {
    app.settings.issuer.as_deref().ok_or_else(|| {
        let description = "OAuth is off: INBOXD_BASE_URL has a path; serve inboxd at the root of a host";
        refuse(OAuthErrorCode::TemporarilyUnavailable, description)
    })
}
