//! SMTP client against the receiving server.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use inboxd_core::app::{Arrived, IncomingMail, NotReceived, Place, Recipient};
use inboxd_core::model::RefusedMail;
use inboxd_mail::EmailAddress;
use proptest::prelude::*;
use tokio::net::TcpListener;

use super::{deliver, mail, options};
use crate::inbound::{InboundListener, MailHandler, ServerOptions, serve};
use crate::relay::RelayTransport;

#[derive(Default)]
struct StubMailroom(Mutex<Vec<IncomingMail>>);

#[async_trait]
impl MailHandler for StubMailroom {
    async fn recipient(&self, address: &EmailAddress) -> Result<Recipient, NotReceived> {
        if address.local() == "unknown" {
            return Err(NotReceived::UnknownRecipient(address.clone()));
        }
        let place = Place::ReturnPath(uuid::Uuid::nil().into());
        Ok(Recipient { address: address.clone(), place })
    }

    async fn receive(&self, mail: IncomingMail) -> Result<Arrived, NotReceived> {
        self.0.lock().unwrap().push(mail);
        Ok(Arrived { messages: Vec::new(), returned: Vec::new(), aggregate: Vec::new(), is_held: false })
    }

    fn note_refusal(&self, _mail: RefusedMail) {}
}

async fn start(room: &Arc<StubMailroom>) -> RelayTransport {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let mailroom = Arc::clone(room) as Arc<dyn MailHandler>;
    tokio::spawn(serve(
        vec![InboundListener { socket: listener, requires_tls: false, requires_proxy: false }],
        mailroom,
        Arc::new(ServerOptions::default()),
        std::future::pending(),
    ));
    RelayTransport::new(options(&url)).unwrap()
}

#[tokio::test]
async fn message_arrives_byte_for_byte() {
    let room = Arc::new(StubMailroom::default());
    let relay = start(&room).await;
    let long = [b"x".repeat(40_000), b"\r\n".to_vec(), b".\r\n".repeat(40_000)].concat();
    let raws: [&[u8]; 6] =
        [b"", b".\r\n", b"..\r\n.a\r\n\r\n.\r\n", "A: b\r\n\r\nGr\u{fc}\u{df}e\r\n".as_bytes(), b"\0\xff\r\n", &long];
    for raw in raws {
        let outcomes = deliver(&relay, &mail(&["a@out.example", "unknown@out.example"], raw)).await;
        assert_eq!(outcomes[0], "delivered");
        assert!(outcomes[1].starts_with("refused 5.1.1 550 5.1.1 <unknown@out.example>"), "{outcomes:?}");
        let arrived = room.0.lock().unwrap().pop().unwrap();
        assert!(arrived.raw == raw, "{} octets", raw.len());
        assert_eq!(arrived.envelope_from.unwrap().as_str(), "scout@here.example");
        let client = arrived.client.unwrap();
        assert_eq!((client.helo.as_str(), client.protocol), ("mx.here.example", "ESMTP"));
    }
    assert!(room.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn non_ascii_and_quoted_addresses_arrive() {
    let room = Arc::new(StubMailroom::default());
    let relay = start(&room).await;
    let recipients = ["b\u{fc}ro@out.example", "\"a b>c\"@out.example"];
    assert_eq!(deliver(&relay, &mail(&recipients, b"hi\r\n")).await, ["delivered", "delivered"]);
    let arrived = room.0.lock().unwrap().pop().unwrap();
    assert_eq!(arrived.client.unwrap().protocol, "UTF8SMTP");
    let arrived: Vec<_> = arrived.recipients.iter().map(|recipient| recipient.address.as_str().to_owned()).collect();
    assert_eq!(arrived, recipients);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Each case sends many messages, because a listener costs more than a message.
    #[test]
    fn arbitrary_lines_arrive(messages in prop::collection::vec(prop::collection::vec("[.a ]{0,4}", 0..20), 1..20)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let room = Arc::new(StubMailroom::default());
            let relay = start(&room).await;
            for lines in messages {
                let raw: String = lines.iter().map(|line| line.clone() + "\r\n").collect();
                assert_eq!(deliver(&relay, &mail(&["a@out.example"], raw.as_bytes())).await, ["delivered"]);
                assert_eq!(room.0.lock().unwrap().pop().unwrap().raw, raw.as_bytes());
            }
        });
    }
}
