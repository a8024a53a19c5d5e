//! Encryption of a webhook's secrets and header values.

use time::OffsetDateTime;

use crate::Error;
use crate::model::{EncryptedSecrets, WebhookId, WebhookSecret};
use crate::ports::Vault;
use crate::rules::webhooks::headers::Headers;

/// Encrypts a secret.
pub(super) fn seal_secret(vault: &dyn Vault, webhook_id: WebhookId, secret: &WebhookSecret) -> Result<Vec<u8>, Error> {
    vault.seal(webhook_id.0.as_bytes(), secret.key()).map_err(|error| Error::Internal(error.to_string()))
}

/// Encrypts header fields; `None` without fields.
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

/// Decrypts the secrets that are valid now, newest first.
///
/// # Errors
/// [`Error::Internal`] if a secret cannot be decrypted.
pub fn open_secrets(
    vault: &dyn Vault,
    webhook_id: WebhookId,
    sealed: &EncryptedSecrets,
    now: OffsetDateTime,
) -> Result<Vec<WebhookSecret>, Error> {
    let previous = sealed.previous.iter().filter(|previous| now < previous.until).map(|previous| &previous.secret);
    let open = |secret: &Vec<u8>| {
        let bytes = vault.open(webhook_id.0.as_bytes(), secret).map_err(|error| Error::Internal(error.to_string()))?;
        WebhookSecret::stored(&bytes).ok_or_else(|| Error::Internal("a stored secret is none".to_owned()))
    };
    std::iter::once(&sealed.secret).chain(previous).map(open).collect()
}

/// Decrypts the header fields that accompany every event.
///
/// # Errors
/// [`Error::Internal`] if the fields cannot be decrypted.
pub fn open_headers(vault: &dyn Vault, webhook_id: WebhookId, sealed: &EncryptedSecrets) -> Result<Headers, Error> {
    let Some(headers) = &sealed.headers else { return Ok(Headers::new()) };
    let plain =
        vault.open(&context_of_headers(webhook_id), headers).map_err(|error| Error::Internal(error.to_string()))?;
    serde_json::from_slice(&plain).map_err(|error| Error::Internal(error.to_string()))
}

/// Returns the encryption context of header fields. It differs from that of secrets, so that one ciphertext cannot
/// replace the other.
fn context_of_headers(webhook_id: WebhookId) -> Vec<u8> {
    [webhook_id.0.as_bytes().as_slice(), b"headers"].concat()
}
