//! Captured mail: mail that is stored instead of sent. Only operators read it.

use time::OffsetDateTime;

use super::App;
use crate::Error;
use crate::ports::CapturedMail;

/// Context under which the vault seals captured mail.
pub const CAPTURED_MAIL: &[u8] = b"captured mail";

/// A captured message, opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedMail {
    /// The return path.
    pub envelope_from: String,
    /// The recipients.
    pub recipients: Vec<String>,
    /// The raw message.
    pub raw: Vec<u8>,
    /// The time of the capture.
    pub captured_at: OffsetDateTime,
}

/// Returns the newest captured messages, oldest first, without those that take more than `max_bytes` in storage.
///
/// # Errors
/// [`Error::Store`]; [`Error::Internal`] for a message that was sealed with another key.
pub async fn captured(app: &App, limit: u32, max_bytes: u32) -> Result<Vec<OpenedMail>, Error> {
    let open = |mail: CapturedMail| {
        let raw = app.vault.open(CAPTURED_MAIL, &mail.sealed).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(OpenedMail {
            envelope_from: mail.envelope_from.to_string(),
            recipients: mail.recipients.iter().map(ToString::to_string).collect(),
            raw,
            captured_at: mail.captured_at,
        })
    };
    app.store.captured(limit, max_bytes).await?.into_iter().map(open).collect()
}
