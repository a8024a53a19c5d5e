//! Stub application and test clients.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::app::{Arrived, IncomingMail, NotReceived, Place, Recipient};
use inboxd_core::model::mail_report::{ReceivedReport, ReportKind, ReportOutcome};
use inboxd_core::model::{InboxId, RefusedMail};
use inboxd_core::ports::{Destination, StoreError};
use inboxd_mail::EmailAddress;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::inbound::session;
use crate::inbound::state::ServerContext;
use crate::inbound::{MailHandler, ServerOptions};

pub(super) const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

/// Commands before the content of a message.
pub(super) const ENVELOPE: &str = "EHLO c\r\nMAIL FROM:<a@out.example>\r\nRCPT TO:<scout@here.example>\r\n";

/// Stub that accepts most addresses of here.example and returns a fixed result.
pub(super) struct StubMailroom {
    mails: Mutex<Vec<IncomingMail>>,
    refusals: Mutex<Vec<RefusedMail>>,
    result: Result<Arrived, NotReceived>,
    pub(super) delay: Duration,
    pub(super) panics: bool,
}

impl StubMailroom {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::returning(Ok(stored())))
    }

    pub(super) fn returning(result: Result<Arrived, NotReceived>) -> Self {
        Self { mails: Mutex::default(), refusals: Mutex::default(), result, delay: Duration::ZERO, panics: false }
    }

    pub(super) fn mails(&self) -> Vec<IncomingMail> {
        self.mails.lock().unwrap().clone()
    }

    /// Returns the noted refusals.
    pub(super) fn refusals(&self) -> Vec<RefusedMail> {
        self.refusals.lock().unwrap().clone()
    }
}

#[async_trait]
impl MailHandler for StubMailroom {
    async fn recipient(&self, address: &EmailAddress) -> Result<Recipient, NotReceived> {
        match address.local() {
            "busy" => Err(away()),
            "slow" => {
                tokio::time::sleep(Duration::from_hours(2)).await;
                Ok(accepted(address))
            }
            "panic" => panic!("panic of the test"),
            name if name.starts_with("inbox") && address.domain() == "here.example" => Ok(of_inbox(address)),
            name if name.starts_with("unknown") => Err(NotReceived::UnknownRecipient(address.clone())),
            _ if address.domain() == "here.example" => Ok(accepted(address)),
            _ => Err(NotReceived::UnknownRecipient(address.clone())),
        }
    }

    async fn receive(&self, mail: IncomingMail) -> Result<Arrived, NotReceived> {
        assert!(!self.panics, "panic of the test");
        tokio::time::sleep(self.delay).await;
        self.mails.lock().unwrap().push(mail);
        self.result.clone()
    }

    fn note_refusal(&self, mail: RefusedMail) {
        self.refusals.lock().unwrap().push(mail);
    }
}

/// Returns a stored message.
pub(crate) fn stored() -> Arrived {
    Arrived { messages: Vec::new(), returned: Vec::new(), aggregate: Vec::new(), is_held: false }
}

/// Returns a message whose only report exceeds the limit of a day.
pub(super) fn limited_report() -> Arrived {
    let report = ReceivedReport { kind: ReportKind::Dmarc, outcome: ReportOutcome::Limited };
    Arrived { aggregate: vec![report], ..stored() }
}

/// Returns the error of a database that is away.
pub(super) fn away() -> NotReceived {
    StoreError::Unavailable("away".to_owned()).into()
}

/// Returns an accepted recipient that is an inbox.
fn of_inbox(address: &EmailAddress) -> Recipient {
    let inbox_id = InboxId::stored(address.normalized());
    let inbox = Destination { organization_id: Uuid::nil().into(), pod_id: Uuid::nil().into(), inbox_id };
    Recipient { address: address.clone(), place: Place::Inbox(inbox) }
}

/// Returns an accepted recipient.
pub(crate) fn accepted(address: &EmailAddress) -> Recipient {
    Recipient { address: address.clone(), place: Place::ReturnPath(Uuid::nil().into()) }
}

pub(super) fn options() -> ServerOptions {
    ServerOptions { hostname: "mx.here.example".to_owned(), max_message_bytes: 1000, ..ServerOptions::default() }
}

/// Client of a running session.
pub(super) struct TestClient {
    pub(super) stream: DuplexStream,
    pub(super) session: JoinHandle<()>,
    pub(super) stop: watch::Sender<bool>,
    pending: Vec<u8>,
}

impl TestClient {
    /// Starts a session. Its greeting is unread.
    pub(super) fn begin(mailroom: &Arc<StubMailroom>, options: ServerOptions) -> Self {
        Self::behind(ServerContext::new(Arc::clone(mailroom) as Arc<dyn MailHandler>, Arc::new(options)))
    }

    /// Starts a session with this context.
    pub(super) fn behind(server: ServerContext) -> Self {
        let (stream, far) = duplex(4096);
        let (stop, stopped) = watch::channel(false);
        let permit = server.connections.admit(CLIENT).unwrap();
        let session = tokio::spawn(async move { session::run(far, CLIENT, &server, permit, stopped).await });
        Self { stream, session, stop, pending: Vec::new() }
    }

    pub(super) async fn greeted(mailroom: &Arc<StubMailroom>, options: ServerOptions) -> Self {
        let mut client = Self::begin(mailroom, options);
        assert!(client.reply().await.starts_with("220 "));
        client
    }

    pub(super) async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).await.unwrap();
    }

    /// Sends a command and returns its reply.
    pub(super) async fn command(&mut self, line: &str) -> String {
        self.send(format!("{line}\r\n")).await;
        self.reply().await
    }

    /// Returns the next reply with all lines. It is empty when the session has closed.
    pub(super) async fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let Some(line) = self.line().await else {
                return reply;
            };
            let last = line.as_bytes().get(3) == Some(&b' ');
            reply.push_str(&line);
            if last {
                return reply;
            }
            reply.push('\n');
        }
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.pending.windows(2).position(|pair| pair == b"\r\n") {
                let line = String::from_utf8(self.pending[..end].to_vec()).unwrap();
                self.pending.drain(..end + 2);
                return Some(line);
            }
            let mut buffer = [0; 1024];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.pending.extend_from_slice(&buffer[..read]),
            }
        }
    }
}

/// Sends the whole input, disconnects, and returns the lines after the greeting.
pub(super) async fn talk(mailroom: &Arc<StubMailroom>, options: ServerOptions, input: impl AsRef<[u8]>) -> Vec<String> {
    let client = TestClient::begin(mailroom, options);
    let (mut output, mut far) = tokio::io::split(client.stream);
    let input = input.as_ref().to_vec();
    let writer = tokio::spawn(async move {
        // The session may have closed before it read everything.
        let _ = far.write_all(&input).await;
        let _ = far.shutdown().await;
    });
    let mut text = String::new();
    output.read_to_string(&mut text).await.unwrap();
    writer.await.unwrap();
    client.session.await.unwrap();
    assert!(text.starts_with("220 mx.here.example ESMTP"), "{text}");
    assert!(text.ends_with("\r\n"), "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Returns the reply codes only.
pub(super) async fn codes(
    mailroom: &Arc<StubMailroom>,
    options: ServerOptions,
    input: impl AsRef<[u8]>,
) -> Vec<String> {
    let last_lines = talk(mailroom, options, input).await.into_iter().filter(|line| line.as_bytes()[3] == b' ');
    last_lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

/// Returns the reply to the last line of the input.
pub(super) async fn last(mailroom: &Arc<StubMailroom>, input: impl AsRef<[u8]>) -> String {
    talk(mailroom, options(), input).await.pop().unwrap()
}
