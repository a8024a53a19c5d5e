//! Codes of received messages for policies of sending. They are sealed when the message is stored, and count also when it is
//! deleted, redacted or expired.

use inboxd_mail::normalized_address;
use time::{Duration, OffsetDateTime};

use super::App;
use crate::model::{HidingLabels, Inbox, NewMessage, ReceivedCode, SealedCodes};
use crate::ports::{StoreError, Tx};

/// Time for which a received code must not be passed on.
pub(super) const CODE_LIFE: Duration = Duration::hours(24);

/// Returns the codes of new messages, without the messages that have none.
pub(super) fn sealed(app: &App, messages: &[NewMessage]) -> Result<Vec<SealedCodes>, StoreError> {
    let with_codes = messages.iter().filter_map(|new| {
        let codes = &new.message.body.extracted.as_ref()?.codes;
        (!codes.is_empty()).then_some((&new.message.item, codes))
    });
    with_codes
        .map(|(item, codes)| {
            let from = item.from.strip_suffix('>').and_then(|from| from.rsplit_once('<'));
            let from = normalized_address(from.map_or(item.from.as_str(), |(_, address)| address));
            let lines: Vec<&str> =
                [from.as_str()].into_iter().chain(codes.iter().map(|code| code.code.as_str())).collect();
            let sealed = app.vault.seal(item.message_id.as_str().as_bytes(), lines.join("\n").as_bytes());
            Ok(SealedCodes {
                organization_id: item.organization_id,
                inbox_id: item.inbox_id.clone(),
                message_id: item.message_id.clone(),
                received_at: item.created_at,
                sealed: sealed.map_err(|error| StoreError::Failed(error.to_string()))?,
            })
        })
        .collect()
}

/// Returns the codes that an inbox received lately, without those of messages with other hiding labels than `readable`.
/// Codes that were sealed with another key of the server do not count.
pub(super) async fn of_inbox(
    app: &App,
    tx: &mut dyn Tx,
    inbox: &Inbox,
    readable: HidingLabels,
    now: OffsetDateTime,
) -> Result<Vec<ReceivedCode>, StoreError> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let sealed = tx.policies().received_codes(*organization_id, inbox_id, readable, now - CODE_LIFE).await?;
    let lines = |codes: &SealedCodes| {
        let plain = app.vault.open(codes.message_id.as_str().as_bytes(), &codes.sealed).ok()?;
        String::from_utf8(plain).ok()
    };
    let mut opened = Vec::new();
    for text in sealed.iter().filter_map(lines) {
        let mut lines = text.lines();
        let from = lines.next().unwrap_or_default();
        opened.extend(lines.map(|code| ReceivedCode { code: code.to_owned(), from: from.to_owned() }));
    }
    Ok(opened)
}
