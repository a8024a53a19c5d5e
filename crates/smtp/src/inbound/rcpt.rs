//! RCPT (RFC 5321 section 4.1.1.3).

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use inboxd_mail::EmailAddress;
use tokio::time::timeout;

use super::mailroom::RecipientAnswer;
use super::path::Path;
use super::reply::Reply;
use super::state::{Hall, State};

/// Adds a recipient, when the application takes mail for it.
pub(super) async fn answer(state: &mut State, hall: &Hall, path: &Path<'_>) -> Reply {
    let Some(transaction) = &mut state.transaction else {
        return Reply::Sequence { cause: "no mail has been begun; send MAIL first" };
    };
    if transaction.chunks.is_some() {
        return Reply::Sequence { cause: "the mail is on its way; send its last chunk, or RSET" };
    }
    if let Some((name, _)) = path.parameters.first() {
        return Reply::Parameter { name: name.chars().take(40).collect() };
    }
    if !path.address.is_ascii() && !transaction.utf8 {
        return Reply::NeedsUtf8;
    }
    let address = match recipient(path.address, &hall.options.hostname) {
        Ok(address) => address,
        Err(cause) => return Reply::RecipientAddress { cause },
    };
    if transaction.recipients.iter().any(|known| known.address.normalized() == address.normalized()) {
        return Reply::Recipient;
    }
    let limit = hall.options.recipient_limit(transaction.declared_bytes);
    if transaction.recipients.len() >= limit {
        return Reply::TooManyRecipients { limit };
    }
    match ask(hall, &address).await {
        RecipientAnswer::Accepted(recipient) => {
            transaction.recipients.push(recipient);
            Reply::Recipient
        }
        RecipientAnswer::Unknown => {
            state.unknown_recipients += 1;
            Reply::UnknownRecipient { address: path.address.to_owned() }
        }
        RecipientAnswer::Full => Reply::MailboxFull,
        RecipientAnswer::NoSpace => Reply::NoSpace,
        RecipientAnswer::Deferred { text } => Reply::RecipientDeferred { text },
        RecipientAnswer::Busy => Reply::RecipientBusy,
    }
}

/// `<postmaster>` alone stands for the postmaster of this server (RFC 5321 section 4.5.1), who is asked for like anyone.
fn recipient(address: &str, hostname: &str) -> Result<EmailAddress, String> {
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

/// Asks so that whatever goes wrong in there is a reply and not the end of the session.
async fn ask(hall: &Hall, address: &EmailAddress) -> RecipientAnswer {
    let asked = AssertUnwindSafe(hall.mailroom.recipient(address)).catch_unwind();
    match timeout(hall.options.timeouts.recipient, asked).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => {
            tracing::error!("looking up a recipient failed");
            RecipientAnswer::Busy
        }
        Err(_) => {
            tracing::warn!("looking up a recipient took too long");
            RecipientAnswer::Busy
        }
    }
}
