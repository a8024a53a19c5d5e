//! The finished mail goes to the application.

use std::sync::Arc;

use tokio::time::timeout;

use super::content::{Content, Fault, LoadedContent};
use super::mailroom::{IncomingMail, ReceiveAnswer};
use super::reply::Reply;
use super::state::{Hall, State, Transaction};

/// Ends the transaction with what the application says to it. 250 is said only after the application has said that the
/// mail is durable.
pub(super) async fn finish(state: &mut State, hall: &Hall, content: Content) -> Reply {
    let Some(transaction) = state.transaction.take() else {
        return Reply::Sequence { cause: "no mail has been begun; send MAIL first" };
    };
    let (recipients, limit) = (transaction.recipients.len(), hall.options.recipient_limit(content.length()));
    if recipients > limit {
        return Reply::TooManyRecipients { limit };
    }
    let loaded = timeout(hall.options.timeouts.memory, content.finish(recipients)).await.unwrap_or(Err(Fault::NoRoom));
    let LoadedContent { raw, held } = match loaded {
        Ok(loaded) => loaded,
        Err(fault) => return fault.reply(hall.options.max_message_bytes),
    };
    let size = raw.len();
    let mail = incoming(state, transaction, raw);
    let mailroom = Arc::clone(&hall.mailroom);
    // A task of its own: neither a client that hangs up nor a server that stops cancels a transaction half way.
    let task = tokio::spawn(async move {
        let answer = mailroom.receive(mail).await;
        drop(held);
        answer
    });
    let answer = match timeout(hall.options.timeouts.store, task).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::error!(%error, "storing a mail failed");
            ReceiveAnswer::Busy
        }
        Err(_) => {
            tracing::error!("storing a mail took too long");
            ReceiveAnswer::Busy
        }
    };
    // Of what is stored the application tells, with more than is known here.
    if answer != ReceiveAnswer::Stored {
        tracing::info!(client = %state.client_ip, size, recipients, answer = name(&answer), "a mail was answered");
    }
    match answer {
        ReceiveAnswer::Stored => Reply::Stored,
        ReceiveAnswer::Refused { code, text } => Reply::Refused { refusal: code, text },
        ReceiveAnswer::Busy => Reply::StoreBusy,
    }
}

fn incoming(state: &State, transaction: Transaction, raw: Vec<u8>) -> IncomingMail {
    IncomingMail {
        protocol: protocol(state, transaction.utf8),
        envelope_from: transaction.from,
        recipients: transaction.recipients,
        raw,
        client_ip: state.client_ip,
        helo: state.hello.as_ref().map(|hello| hello.client.clone()).unwrap_or_default(),
    }
}

/// RFC 3848, RFC 6531 section 4.3.
fn protocol(state: &State, utf8: bool) -> &'static str {
    let extended = state.hello.as_ref().is_some_and(|hello| hello.extended);
    match (utf8, extended, state.secure) {
        (true, _, true) => "UTF8SMTPS",
        (true, _, false) => "UTF8SMTP",
        (false, true, true) => "ESMTPS",
        (false, true, false) => "ESMTP",
        (false, false, _) => "SMTP",
    }
}

fn name(answer: &ReceiveAnswer) -> &'static str {
    match answer {
        ReceiveAnswer::Stored => "stored",
        ReceiveAnswer::Refused { .. } => "refused",
        ReceiveAnswer::Busy => "busy",
    }
}
