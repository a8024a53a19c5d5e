//! `POST /oauth/register` (RFC 7591).

use actix_web::HttpResponse;
use inboxd_core::app::oauth::{RegisterClient, RegisteredClient, register_client};
use inboxd_core::model::{OAuthError, OAuthErrorCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::issuer;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;

/// Size of the metadata of a client: ten redirect URIs of 2 KB and more.
const MAX_METADATA_BYTES: usize = 64 * 1024;

/// Metadata of a client. Other fields have no effect here.
#[derive(Deserialize)]
struct RegistrationRequest {
    client_name: Option<String>,
    redirect_uris: Option<Value>,
    token_endpoint_auth_method: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

/// The stored metadata, without absent members: clients refuse null.
#[derive(Serialize)]
struct Registration {
    client_id: String,
    client_id_issued_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    /// The secret never expires; absent without a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret_expires_at: Option<u8>,
    client_name: String,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: &'static str,
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
}

/// Registers a client.
pub(super) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    issuer(&call)?;
    call.limit()?;
    let body = call.bytes(MAX_METADATA_BYTES).await?;
    let registered = register_client(call.app(), read(&body)?).await?;
    Ok(HttpResponse::Created().json(Registration::from(registered)))
}

fn read(body: &[u8]) -> Result<RegisterClient, OAuthError> {
    let refuse = |code, description: String| OAuthError::new(code, description);
    let read: RegistrationRequest = serde_json::from_slice(body).map_err(|error| {
        refuse(OAuthErrorCode::InvalidClientMetadata, format!("the metadata cannot be read: {error}"))
    })?;
    let redirect_uris = serde_json::from_value(read.redirect_uris.unwrap_or_default())
        .map_err(|_| refuse(OAuthErrorCode::InvalidRedirectUri, "redirect_uris is a list of URIs".to_owned()))?;
    Ok(RegisterClient {
        client_name: read.client_name,
        redirect_uris,
        token_endpoint_auth_method: read.token_endpoint_auth_method,
        grant_types: read.grant_types,
        response_types: read.response_types,
    })
}

impl From<RegisteredClient> for Registration {
    fn from(RegisteredClient { client, secret }: RegisteredClient) -> Self {
        Self {
            client_id: client.client_id,
            client_id_issued_at: client.created_at.unix_timestamp(),
            client_secret_expires_at: secret.is_some().then_some(0),
            client_secret: secret,
            client_name: client.name,
            redirect_uris: client.redirect_uris,
            token_endpoint_auth_method: client.auth_method.as_str(),
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
        }
    }
}
