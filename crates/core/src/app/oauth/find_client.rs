//! Lookup of a client.

use crate::Error;
use crate::app::App;
use crate::model::{OAuthClient, OAuthErrorCode};
use crate::rules::oauth::documents::is_document_url;
use crate::rules::oauth::refuse;

/// Result of a lookup without a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundClient {
    /// A registered client, or a metadata document that was fetched a while ago.
    Known(OAuthClient),
    /// The URL of a metadata document to fetch. The server fetches it for a signed-in person only.
    Document(String),
}

/// Finds a client by its id.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client` for an unknown one.
pub async fn find_client(app: &App, client_id: &str) -> Result<FoundClient, Error> {
    super::issuer(app)?;
    let is_document = is_document_url(client_id);
    let known = app.store.oauth_client(client_id).await?;
    let now = app.clock.now();
    let known = known.filter(|client| !is_document || client.cached_until.is_some_and(|until| until > now));
    match known {
        Some(client) => Ok(FoundClient::Known(client)),
        None if is_document => Ok(FoundClient::Document(client_id.to_owned())),
        None => Err(unknown_client()),
    }
}

/// Returns the refusal of an unknown client, after which clients register again.
pub(super) fn unknown_client() -> Error {
    refuse(OAuthErrorCode::InvalidClient, "the client is not known here; register it again")
}
