//! SMTP session with arbitrary client input.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use inboxd_core::app::{Arrived, IncomingMail, NotReceived, Place, Recipient};
use inboxd_core::model::RefusedMail;
use inboxd_mail::EmailAddress;
use inboxd_smtp::inbound::{MailHandler, ServerOptions, converse};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use uuid::Uuid;

/// Maximum message size of the server, small enough for frequent violations.
const MAX_MESSAGE_BYTES: usize = 4096;

/// Handler that accepts and records every message.
#[derive(Default)]
struct RecordingHandler(Mutex<Vec<IncomingMail>>);

#[async_trait]
impl MailHandler for RecordingHandler {
    async fn recipient(&self, address: &EmailAddress) -> Result<Recipient, NotReceived> {
        if address.local().starts_with('u') {
            return Err(NotReceived::UnknownRecipient(address.clone()));
        }
        let place = Place::ReturnPath(Uuid::nil().into());
        Ok(Recipient { address: address.clone(), place })
    }

    async fn receive(&self, mail: IncomingMail) -> Result<Arrived, NotReceived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(mail);
        Ok(Arrived { messages: Vec::new(), returned: Vec::new(), aggregate: Vec::new(), is_held: false })
    }

    fn note_refusal(&self, _mail: RefusedMail) {}
}

/// Sends these bytes as a client and disconnects.
///
/// Every reply is well-formed. Every stored message got a `250`, contains no bare CR or LF, and respects the size
/// limit.
pub fn smtp_session(input: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let Ok(runtime) = runtime else { return };
    let handler = Arc::new(RecordingHandler::default());
    let replies = runtime.block_on(talk(Arc::clone(&handler), input.to_vec()));
    let replies = String::from_utf8(replies);
    let Ok(replies) = replies else { panic!("replies are ASCII") };
    assert!(replies.ends_with("\r\n"), "replies are whole lines: {replies:?}");
    let mut stored = 0;
    for line in replies.split_terminator("\r\n") {
        let (code, rest) = line.split_at_checked(3).unwrap_or_default();
        assert!(
            code.bytes().all(|digit| digit.is_ascii_digit()) && rest.starts_with([' ', '-']),
            "malformed reply: {line:?}"
        );
        assert!(
            line.len() <= 510 && line.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
            "malformed reply: {line:?}"
        );
        stored += usize::from(line == "250 2.0.0 stored");
    }
    let mails = handler.0.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(mails.len(), stored, "every 250 has a stored message");
    for mail in mails.iter() {
        let rest = String::from_utf8_lossy(&mail.raw).replace("\r\n", "");
        assert!(!rest.contains(['\r', '\n']), "lines end in CRLF");
        assert!(mail.raw.len() <= MAX_MESSAGE_BYTES && !mail.recipients.is_empty());
    }
}

async fn talk(handler: Arc<RecordingHandler>, input: Vec<u8>) -> Vec<u8> {
    let options = ServerOptions { max_message_bytes: MAX_MESSAGE_BYTES, ..ServerOptions::default() };
    let (near, far) = duplex(64 * 1024);
    let session =
        tokio::spawn(async move { converse(far, Ipv4Addr::LOCALHOST.into(), handler, Arc::new(options)).await });
    let (mut reader, mut writer) = tokio::io::split(near);
    let speaking = tokio::spawn(async move {
        // The server may have closed the connection before.
        let _ = writer.write_all(&input).await;
        let _ = writer.shutdown().await;
    });
    let mut replies = Vec::new();
    let _ = reader.read_to_end(&mut replies).await;
    assert!(session.await.is_ok() && speaking.await.is_ok(), "the session panicked");
    replies
}
