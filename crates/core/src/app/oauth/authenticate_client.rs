//! Authentication of a client at the token endpoint.

use super::find_client::unknown_client;
use crate::Error;
use crate::app::App;
use crate::model::api_key::hash_key;
use crate::model::{OAuthClient, OAuthErrorCode};
use crate::rules::oauth::refuse;
use crate::rules::signing::same;

/// Credentials of a client, from the header field `Authorization` or the body.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClientCredentials {
    /// The id of the client.
    pub client_id: String,
    /// The secret; `None` for a public client.
    pub secret: Option<String>,
}

/// Returns the client that proves its id. A public client proves nothing and sends no secret.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client`.
pub(super) async fn authenticate_client(app: &App, credentials: &ClientCredentials) -> Result<OAuthClient, Error> {
    super::issuer(app)?;
    let client = app.store.oauth_client(&credentials.client_id).await?.ok_or_else(unknown_client)?;
    match (&client.secret_hash, &credentials.secret) {
        (None, None) => Ok(client),
        (Some(hash), Some(secret)) if same(hash, &hash_key(secret)) => Ok(client),
        (Some(_), Some(_)) => Err(refuse(OAuthErrorCode::InvalidClient, "the client secret is wrong")),
        (Some(_), None) => Err(refuse(OAuthErrorCode::InvalidClient, "the client has to send its secret")),
        (None, Some(_)) => {
            Err(refuse(OAuthErrorCode::InvalidClient, "the client registered without a secret; send client_id alone"))
        }
    }
}
