//! Registration of a client (RFC 7591).

use uuid::Uuid;

use crate::Error;
use crate::app::App;
use crate::model::OAuthErrorCode;
use crate::model::api_key::hash_key;
use crate::model::oauth::{ClientAuthMethod, ClientSource, OAuthClient, secret_text};
use crate::rules::oauth::{clients, refuse};

/// Metadata of a client that registers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisterClient {
    /// The name; the host of the first redirect URI without one.
    pub client_name: Option<String>,
    /// The redirect URIs.
    pub redirect_uris: Vec<String>,
    /// The authentication at the token endpoint; `client_secret_basic` without one.
    pub token_endpoint_auth_method: Option<String>,
    /// The grant types.
    pub grant_types: Option<Vec<String>>,
    /// The response types.
    pub response_types: Option<Vec<String>>,
}

/// A registered client with its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredClient {
    /// The client as stored.
    pub client: OAuthClient,
    /// The secret, shown once; `None` for a public client.
    pub secret: Option<String>,
}

/// Registers a client. Above the limit of clients that no person has connected, the oldest of them is forgotten.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_redirect_uri` or `invalid_client_metadata`; with `unauthorized_client` where
/// registration is off.
pub async fn register_client(app: &App, request: RegisterClient) -> Result<RegisteredClient, Error> {
    super::issuer(app)?;
    if !app.settings.registers_clients {
        let description =
            "registration is off (INBOXD_OAUTH_REGISTRATION); use a client metadata document as client_id";
        return Err(refuse(OAuthErrorCode::UnauthorizedClient, description));
    }
    clients::require_redirect_uris(&request.redirect_uris)?;
    clients::require_code_flow(request.grant_types.as_deref(), request.response_types.as_deref())?;
    let auth_method = match request.token_endpoint_auth_method.as_deref() {
        None => ClientAuthMethod::Basic,
        Some(name) => ClientAuthMethod::named(name).ok_or_else(unknown_method)?,
    };
    let now = app.clock.now();
    let secret = (auth_method != ClientAuthMethod::None).then(|| secret_text("cs_", app.random.bytes()));
    let client = OAuthClient {
        client_id: format!("client_{}", app.mint::<Uuid>(now).simple()),
        source: ClientSource::Registered,
        name: clients::shown_name(request.client_name.as_deref(), &request.redirect_uris),
        redirect_uris: request.redirect_uris,
        auth_method,
        secret_hash: secret.as_deref().map(hash_key),
        created_at: now,
        used_at: None,
        cached_until: None,
    };
    let mut tx = app.store.begin().await?;
    tx.oauth_clients().put(&client, app.settings.limits.get().rows.unused_clients).await?;
    tx.commit().await?;
    Ok(RegisteredClient { client, secret })
}

fn unknown_method() -> Error {
    let known: Vec<_> = ClientAuthMethod::ALL.iter().map(|method| method.as_str()).collect();
    let description = format!("token_endpoint_auth_method is one of {}", known.join(", "));
    refuse(OAuthErrorCode::InvalidClientMetadata, description)
}
