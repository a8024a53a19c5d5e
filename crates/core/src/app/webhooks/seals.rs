//! What the vault holds of a webhook: its secrets, and the values of its header fields.

use time::OffsetDateTime;

use crate::Error;
use crate::model::{Sealed, WebhookId, WebhookSecret};
use crate::ports::Vault;
use crate::rules::webhooks::headers::Headers;

/// Seals a secret.
pub(super) fn seal_secret(vault: &dyn Vault, webhook_id: WebhookId, secret: &WebhookSecret) -> Result<Vec<u8>, Error> {
    vault.seal(webhook_id.0.as_bytes(), secret.key()).map_err(|error| Error::Internal(error.to_string()))
}

/// Seals header fields; `None` where there are none.
pub(super) fn seal_headers(
    vault: &dyn Vault,
    webhook_id: WebhookId,
    headers: &Headers,
) -> Result<Option<Vec<u8>>, Error> {
    if headers.is_empty() {
        return Ok(None);
    }
    let plain = serde_json::to_vec(headers).map_err(|error| Error::Internal(error.to_string()))?;
    let sealed = vault.seal(&context_of_headers(webhook_id), &plain);
    sealed.map(Some).map_err(|error| Error::Internal(error.to_string()))
}

/// The secrets that sign now, the newest first.
///
/// # Errors
/// [`Error::Internal`] when one cannot be opened.
pub fn open_secrets(
    vault: &dyn Vault,
    webhook_id: WebhookId,
    sealed: &Sealed,
    now: OffsetDateTime,
) -> Result<Vec<WebhookSecret>, Error> {
    let previous = sealed.previous.iter().filter(|previous| now < previous.until).map(|previous| &previous.secret);
    let open = |secret: &Vec<u8>| {
        let octets = vault.open(webhook_id.0.as_bytes(), secret).map_err(|error| Error::Internal(error.to_string()))?;
        WebhookSecret::stored(&octets).ok_or_else(|| Error::Internal("a stored secret is none".to_owned()))
    };
    std::iter::once(&sealed.secret).chain(previous).map(open).collect()
}

/// The header fields that are sent with every event.
///
/// # Errors
/// [`Error::Internal`] when they cannot be opened.
pub fn open_headers(vault: &dyn Vault, webhook_id: WebhookId, sealed: &Sealed) -> Result<Headers, Error> {
    let Some(headers) = &sealed.headers else { return Ok(Headers::new()) };
    let plain =
        vault.open(&context_of_headers(webhook_id), headers).map_err(|error| Error::Internal(error.to_string()))?;
    serde_json::from_slice(&plain).map_err(|error| Error::Internal(error.to_string()))
}

/// Another one than that of the secret, so that neither can be put in the place of the other.
fn context_of_headers(webhook_id: WebhookId) -> Vec<u8> {
    [webhook_id.0.as_bytes().as_slice(), b"headers"].concat()
}
