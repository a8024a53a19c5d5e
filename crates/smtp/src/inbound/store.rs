//! Storing of a complete message by the application.

use std::sync::Arc;

use tokio::time::timeout;

use super::content::{ContentBuffer, ContentFault, LoadedContent};
use super::mailroom::{IncomingMail, ReceiveAnswer};
use super::reply::Reply;
use super::state::{MailTransaction, ServerContext, SessionState};

/// Ends the transaction with the reply for the result of the application. 250 is sent only after the message is
/// durable.
pub(super) async fn finish(state: &mut SessionState, context: &ServerContext, content: ContentBuffer) -> Reply {
    let Some(transaction) = state.transaction.take() else {
        return Reply::Sequence { cause: "no mail has been begun; send MAIL first" };
    };
    let (recipients, limit) = (transaction.recipients.len(), context.options.recipient_limit(content.length()));
    if recipients > limit {
        return Reply::TooManyRecipients { limit };
    }
    let loaded = timeout(context.options.timeouts.memory, content.finish(recipients))
        .await
        .unwrap_or(Err(ContentFault::NoCapacity));
    let LoadedContent { raw, held } = match loaded {
        Ok(loaded) => loaded,
        Err(fault) => return fault.reply(context.options.max_message_bytes),
    };
    let size = raw.len();
    let mail = incoming_mail(state, transaction, raw);
    let mailroom = Arc::clone(&context.mailroom);
    // A task of its own: neither a disconnected client nor a stopping server cancels the transaction.
    let task = tokio::spawn(async move {
        let answer = mailroom.receive(mail).await;
        drop(held);
        answer
    });
    let answer = match timeout(context.options.timeouts.store, task).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::error!(%error, "message store panicked");
            ReceiveAnswer::Busy
        }
        Err(_) => {
            tracing::error!("message store timed out");
            ReceiveAnswer::Busy
        }
    };
    // The application logs stored messages with more detail.
    if answer != ReceiveAnswer::Stored {
        tracing::info!(client = %state.client_ip, size, recipients, answer = answer_name(&answer), "message not stored");
    }
    match answer {
        ReceiveAnswer::Stored => Reply::Stored,
        ReceiveAnswer::Refused { code, text } => Reply::Refused { refusal: code, text },
        ReceiveAnswer::Busy => Reply::StoreBusy,
    }
}

fn incoming_mail(state: &SessionState, transaction: MailTransaction, raw: Vec<u8>) -> IncomingMail {
    IncomingMail {
        protocol: protocol(state, transaction.utf8),
        envelope_from: transaction.from,
        recipients: transaction.recipients,
        raw,
        client_ip: state.client_ip,
        helo: state.identity.as_ref().map(|identity| identity.client.clone()).unwrap_or_default(),
    }
}

/// Returns the protocol name (RFC 3848, RFC 6531 section 4.3).
fn protocol(state: &SessionState, utf8: bool) -> &'static str {
    let is_extended = state.identity.as_ref().is_some_and(|identity| identity.is_extended);
    match (utf8, is_extended, state.is_secure) {
        (true, _, true) => "UTF8SMTPS",
        (true, _, false) => "UTF8SMTP",
        (false, true, true) => "ESMTPS",
        (false, true, false) => "ESMTP",
        (false, false, _) => "SMTP",
    }
}

fn answer_name(answer: &ReceiveAnswer) -> &'static str {
    match answer {
        ReceiveAnswer::Stored => "stored",
        ReceiveAnswer::Refused { .. } => "refused",
        ReceiveAnswer::Busy => "busy",
    }
}
