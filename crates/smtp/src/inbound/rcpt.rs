//! RCPT command (RFC 5321, section 4.1.1.3).

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use inboxd_core::app::{NotReceived, Recipient};
use inboxd_mail::EmailAddress;
use tokio::time::timeout;

use super::path::EnvelopePath;
use super::refusals;
use super::reply::Reply;
use super::state::{ServerContext, SessionState};

/// Adds a recipient if the application accepts mail for it.
pub(super) async fn handle(state: &mut SessionState, server: &ServerContext, path: &EnvelopePath<'_>) -> Reply {
    let Some(transaction) = &mut state.transaction else {
        return Reply::Sequence { cause: "no mail transaction; send MAIL first" };
    };
    if transaction.chunks.is_some() {
        return Reply::Sequence { cause: "the content has begun; send its last chunk, or RSET" };
    }
    if let Some((name, _)) = path.parameters.first() {
        return Reply::Parameter { name: name.chars().take(40).collect() };
    }
    if !path.address.is_ascii() && !transaction.utf8 {
        return Reply::NeedsUtf8;
    }
    let address = match parse_recipient(path.address, &server.options.hostname) {
        Ok(address) => address,
        Err(cause) => return Reply::RecipientAddress { cause },
    };
    if transaction.recipients.iter().any(|known| known.address.normalized() == address.normalized()) {
        return Reply::Recipient;
    }
    let limit = server.options.recipient_limit(transaction.declared_bytes);
    if transaction.recipients.len() >= limit {
        return Reply::TooManyRecipients { limit };
    }
    let refusal = match look_up_recipient(server, &address).await {
        Ok(Ok(recipient)) => {
            transaction.recipients.push(recipient);
            return Reply::Recipient;
        }
        Ok(Err(NotReceived::Store(error))) => {
            tracing::error!(%error, "recipient lookup failed");
            Reply::RecipientBusy
        }
        Ok(Err(NotReceived::MailboxFull(_))) => Reply::MailboxFull,
        Ok(Err(NotReceived::NoSpace)) => Reply::NoSpace,
        Ok(Err(deferred @ NotReceived::Deferred { .. })) => Reply::RecipientDeferred { text: deferred.to_string() },
        Ok(Err(_)) => {
            state.unknown_recipients += 1;
            Reply::UnknownRecipient { address: path.address.to_owned() }
        }
        Err(busy) => busy,
    };
    refusals::note_recipient(state, server, &address, &refusal);
    refusal
}

/// Parses the address. `<postmaster>` alone means the postmaster of this server (RFC 5321, section 4.5.1).
fn parse_recipient(address: &str, hostname: &str) -> Result<EmailAddress, String> {
    if address.is_empty() {
        return Err("empty address".to_owned());
    }
    let parsed = if address.eq_ignore_ascii_case("postmaster") {
        format!("{address}@{hostname}").parse()
    } else {
        address.parse::<EmailAddress>()
    };
    parsed.map_err(|error| format!("{error}"))
}

/// Looks up a recipient. A panic or time-out becomes a reply and does not end the session.
async fn look_up_recipient(
    server: &ServerContext,
    address: &EmailAddress,
) -> Result<Result<Recipient, NotReceived>, Reply> {
    let lookup = AssertUnwindSafe(server.handler.recipient(address)).catch_unwind();
    match timeout(server.options.timeouts.recipient, lookup).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(_)) => {
            tracing::error!("recipient lookup panicked");
            Err(Reply::RecipientBusy)
        }
        Err(_) => {
            tracing::warn!("recipient lookup timed out");
            Err(Reply::RecipientBusy)
        }
    }
}
