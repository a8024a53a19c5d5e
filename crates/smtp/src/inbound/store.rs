//! Storing of a complete message by the application.

use std::sync::Arc;
use std::time::Instant;

use inboxd_core::app::{Client, IncomingMail, NotReceived};
use inboxd_core::model::SPAN_TARGET;
use tokio::time::timeout;
use tracing::Level;

use super::content::{ContentBuffer, ContentFault, LoadedContent};
use super::receipt_log::log_result;
use super::refusals::Envelope;
use super::reply::Reply;
use super::state::{MailTransaction, ServerContext, SessionState};

/// Divisor of the size of a content for its excess over the declared size, which is an estimate (RFC 1870, section 6): RCPT
/// accepted as many recipients as the estimate permits.
const SIZE_TOLERANCE_DIVISOR: usize = 16;

/// Ends the transaction with the reply for the result of the application. 250 is sent only after the message is
/// durable.
pub(super) async fn finish(state: &mut SessionState, server: &ServerContext, content: ContentBuffer) -> Reply {
    let envelope = Envelope::of(state);
    let Some(transaction) = state.transaction.take() else {
        return Reply::Sequence { cause: "no mail transaction; send MAIL first" };
    };
    let span = TransactionSpan {
        begun: transaction.started,
        recipients: transaction.recipients.len(),
        bytes: content.length(),
        is_secure: state.is_secure,
    };
    let started = Instant::now();
    let reply = store(state, server, transaction, content).await;
    server.options.metrics.count_content(&reply, started.elapsed());
    span.export(&reply);
    if let Some(envelope) = envelope.filter(|_| !reply.is_acceptance()) {
        envelope.note_content(state, server, &reply);
    }
    reply
}

/// Span of a transaction, for an export of traces. Without one it costs nothing.
struct TransactionSpan {
    begun: Instant,
    recipients: usize,
    bytes: usize,
    is_secure: bool,
}

impl TransactionSpan {
    /// Reports the transaction with the reply to its content.
    fn export(&self, reply: &Reply) {
        if !tracing::span_enabled!(target: SPAN_TARGET, Level::INFO) {
            return;
        }
        let (code, status, _) = reply.parts();
        drop(tracing::info_span!(
            target: SPAN_TARGET,
            parent: None,
            "receive message",
            otel.kind = "server",
            otel.status_code = reply.is_temporary().then_some("ERROR"),
            duration_s = self.begun.elapsed().as_secs_f64(),
            smtp.reply_code = code,
            smtp.enhanced_status = status,
            inboxd.refusal = reply.refusal_reason(),
            inboxd.recipients = self.recipients,
            inboxd.bytes = self.bytes,
            inboxd.tls = self.is_secure,
        ));
    }
}

/// Loads the content and has the application store the message.
async fn store(
    state: &SessionState,
    server: &ServerContext,
    transaction: MailTransaction,
    content: ContentBuffer,
) -> Reply {
    let recipients = transaction.recipients.len();
    let tolerated = content.length() - content.length() / SIZE_TOLERANCE_DIVISOR;
    let limit = server.options.recipient_limit(tolerated);
    if content.fault().is_none() && recipients > limit {
        return Reply::TooManyCopies { limit };
    }
    let loaded = timeout(server.options.timeouts.memory, content.finish(recipients))
        .await
        .unwrap_or(Err(ContentFault::NoCapacity));
    let LoadedContent { raw, held } = match loaded {
        Ok(loaded) => loaded,
        Err(fault) => return fault.reply(server.options.max_message_bytes),
    };
    let mail = incoming_mail(state, transaction, raw);
    let (handler, client, size) = (Arc::clone(&server.handler), state.client_ip, mail.raw.len());
    let options = Arc::clone(&server.options);
    // A task of its own: neither a disconnected client nor a stopping server cancels the transaction.
    let task = tokio::spawn(async move {
        let result = handler.receive(mail).await;
        drop(held);
        log_result(&result, client, size, recipients);
        match &result {
            Ok(arrived) => options.metrics.count_accepted(arrived, size),
            Err(NotReceived::ForeignReports(received)) => options.metrics.count_reports(received),
            Err(_) => {}
        }
        result
    });
    match timeout(server.options.timeouts.store, task).await {
        Ok(Ok(Ok(arrived))) if arrived.is_dropped() => Reply::Dropped,
        Ok(Ok(Ok(_))) => Reply::Stored,
        Ok(Ok(Err(refusal))) => Reply::of_refusal(&refusal),
        Ok(Err(error)) => {
            tracing::error!(%client, %error, size, recipients, "message store panicked");
            Reply::StoreBusy
        }
        Err(_) => {
            tracing::error!(%client, size, recipients, "message store timed out");
            Reply::StoreBusy
        }
    }
}

fn incoming_mail(state: &SessionState, transaction: MailTransaction, raw: Vec<u8>) -> IncomingMail {
    IncomingMail {
        envelope_from: transaction.from,
        recipients: transaction.recipients,
        raw,
        client: Some(Client {
            ip: state.client_ip,
            helo: state.identity.as_ref().map(|identity| identity.client.clone()).unwrap_or_default(),
            protocol: protocol(state, transaction.utf8),
        }),
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
