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
/// [`Error::OAuth`] with `invalid_client` for an unreachable or invalid document; [`Error::FetchLimitReached`] above the
/// fetches of the person.
pub async fn fetch_client(app: &App, url: &str, session: &BrowserSession) -> Result<OAuthClient, Error> {
    let url = match find_client(app, url).await? {
        FoundClient::Known(client) => return Ok(client),
        FoundClient::Document(url) => url,
    };
    let mut tx = app.store.begin().await?;
    let charge = MailCharge::of_client_document(&session.email);
    if let Some(until) = tx.mail_quotas().charge(&charge, app.clock.now()).await? {
        return Err(Error::FetchLimitReached { until });
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
    tx.oauth_clients().put(&client, app.settings.limits.get().rows.unused_clients).await?;
    tx.commit().await?;
    Ok(client)
}
