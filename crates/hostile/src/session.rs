//! A client that says anything to the receiving server.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use inboxd_core::app::{Place, Recipient};
use inboxd_mail::EmailAddress;
use inboxd_smtp::inbound::{IncomingMail, Mailroom, ReceiveAnswer, RecipientAnswer, ServerOptions, converse};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use uuid::Uuid;

/// The largest mail that the server takes here: small, so that the limit is met often.
const LARGEST: usize = 4096;

/// Takes everything, and keeps it.
#[derive(Default)]
struct Room(Mutex<Vec<IncomingMail>>);

#[async_trait]
impl Mailroom for Room {
    async fn recipient(&self, address: &EmailAddress) -> RecipientAnswer {
        if address.local().starts_with('u') {
            return RecipientAnswer::Unknown;
        }
        let place = Place::ReturnPath(Uuid::nil().into());
        RecipientAnswer::Accepted(Recipient { address: address.clone(), place })
    }

    async fn receive(&self, mail: IncomingMail) -> ReceiveAnswer {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(mail);
        ReceiveAnswer::Stored
    }
}

/// A client says these octets and hangs up. Each reply is one, each mail that was stored was ended by its `250`, holds no
/// CR or LF on its own, and fits.
pub fn smtp_session(said: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let Ok(runtime) = runtime else { return };
    let room = Arc::new(Room::default());
    let heard = runtime.block_on(talk(Arc::clone(&room), said.to_vec()));
    let heard = String::from_utf8(heard);
    let Ok(heard) = heard else { panic!("replies are ASCII") };
    assert!(heard.ends_with("\r\n"), "replies are whole lines: {heard:?}");
    let mut stored = 0;
    for line in heard.split_terminator("\r\n") {
        let (code, rest) = line.split_at_checked(3).unwrap_or_default();
        assert!(code.bytes().all(|digit| digit.is_ascii_digit()) && rest.starts_with([' ', '-']), "no reply: {line:?}");
        assert!(line.len() <= 510 && line.bytes().all(|octet| (b' '..=b'~').contains(&octet)), "no reply: {line:?}");
        stored += usize::from(line == "250 2.0.0 stored");
    }
    let mails = room.0.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(mails.len(), stored, "every mail is answered, and none for nothing");
    for mail in mails.iter() {
        let rest = String::from_utf8_lossy(&mail.raw).replace("\r\n", "");
        assert!(!rest.contains(['\r', '\n']), "lines end with CR LF");
        assert!(mail.raw.len() <= LARGEST && !mail.recipients.is_empty());
    }
}

async fn talk(room: Arc<Room>, said: Vec<u8>) -> Vec<u8> {
    let options = ServerOptions { max_message_bytes: LARGEST, ..ServerOptions::default() };
    let (near, far) = duplex(64 * 1024);
    let session = tokio::spawn(async move { converse(far, Ipv4Addr::LOCALHOST.into(), room, Arc::new(options)).await });
    let (mut replies, mut words) = tokio::io::split(near);
    let speaking = tokio::spawn(async move {
        // The server may have hung up before.
        let _ = words.write_all(&said).await;
        let _ = words.shutdown().await;
    });
    let mut heard = Vec::new();
    let _ = replies.read_to_end(&mut heard).await;
    assert!(session.await.is_ok() && speaking.await.is_ok(), "the session panicked");
    heard
}
