//! What the vault holds of a webhook: its secrets, and the values of its header fields.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use crate::Error;
use crate::model::{Sealed, WebhookId, WebhookSecret};
use crate::ports::Vault;

/// Header fields by their names, as they were given.
pub(crate) type Headers = BTreeMap<String, String>;

/// The secrets that sign now, the newest first.
///
/// # Errors
/// [`Error::Internal`] when one cannot be opened.
pub(super) fn open_secrets(
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
pub(super) fn open_headers(vault: &dyn Vault, webhook_id: WebhookId, sealed: &Sealed) -> Result<Headers, Error> {
    let Some(headers) = &sealed.headers else { return Ok(Headers::new()) };
    let plain =
        vault.open(&context_of_headers(webhook_id), headers).map_err(|error| Error::Internal(error.to_string()))?;
    serde_json::from_slice(&plain).map_err(|error| Error::Internal(error.to_string()))
}

/// Another one than that of the secret, so that neither can be put in the place of the other.
fn context_of_headers(webhook_id: WebhookId) -> Vec<u8> {
    [webhook_id.0.as_bytes().as_slice(), b"headers"].concat()
}
