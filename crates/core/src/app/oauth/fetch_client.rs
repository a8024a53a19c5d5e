//! Fetch of a client metadata document.

use super::find_client::{FoundClient, find_client};
use crate::Error;
use crate::app::App;
use crate::model::{BrowserSession, MailCharge, OAuthClient, OAuthErrorCode};
use crate::ports::{FetchError, UnlimitedMeter};
use crate::rules::oauth::{documents, refuse};

/// Returns the client of a metadata document for a signed-in person. A valid cached document needs no fetch; a failed
/// fetch is not cached.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client` for an unreachable or invalid document, or with `temporarily_unavailable` above
/// the limit of unused clients and above the fetches of the person.
pub async fn fetch_client(app: &App, url: &str, session: &BrowserSession) -> Result<OAuthClient, Error> {
    let url = match find_client(app, url).await? {
        FoundClient::Known(client) => return Ok(client),
        FoundClient::Document(url) => url,
    };
    let mut tx = app.store.begin().await?;
    let charge = MailCharge::of_client_document(&session.email);
    if tx.mail_quotas().charge(&charge, app.clock.now()).await?.is_some() {
        return Err(too_many_fetches());
    }
    tx.commit().await?;
    let urls = std::slice::from_ref(&url);
    let fetched = app.client_documents.get_all(urls, documents::MAX_BYTES, &UnlimitedMeter).await.into_iter().next();
    let failed = |reason: &str| {
        let description = format!("the client metadata document cannot be fetched: {reason}");
        refuse(OAuthErrorCode::InvalidClient, description)
    };
    let fetched = fetched.ok_or_else(|| failed("no response"))?.map_err(|FetchError(reason)| failed(&reason))?;
    let (kind, cache) = (fetched.content_type.as_deref(), fetched.cache_control.as_deref());
    let client = documents::read(&url, &fetched.content, kind, cache, app.clock.now())?;
    let mut tx = app.store.begin().await?;
    if !tx.oauth_clients().put(&client, app.settings.row_limits.unused_clients).await? {
        return Err(too_many_clients());
    }
    tx.commit().await?;
    Ok(client)
}

/// Returns the refusal of a fetch above the limit of the person.
fn too_many_fetches() -> Error {
    let description = "too many client metadata documents were fetched for this person; try again in an hour";
    refuse(OAuthErrorCode::TemporarilyUnavailable, description)
}

/// Returns the refusal of a client above the limit of unused ones.
pub(super) fn too_many_clients() -> Error {
    let description = "too many clients registered and were never used; try again later, or ask the operator to raise \
        INBOXD_MAX_UNUSED_CLIENTS";
    refuse(OAuthErrorCode::TemporarilyUnavailable, description)
}
