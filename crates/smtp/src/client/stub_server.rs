//! Scripted SMTP server that records received lines.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use inboxd_core::model::DeliveryOutcome;
use inboxd_core::ports::{OutgoingMail, Transport};
use rustls::ServerConfig;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use super::connection::ClientStream;

/// Reaction to a line.
pub(crate) enum StubAction {
    /// Replies as a normal server.
    Usual,
    /// Replies as a normal server after this notification.
    UsualAfter(Arc<Notify>),
    /// Sends this reply; `|` separates its lines.
    Say(&'static str),
    /// Sends this reply and closes.
    SayAndClose(&'static str),
    /// Closes.
    Close,
    /// Never replies.
    Hang,
}

type Script = dyn Fn(usize, &str) -> StubAction + Send + Sync;

pub(crate) struct StubSetup {
    pub(crate) extensions: &'static [&'static str],
    pub(crate) tls: Option<Arc<ServerConfig>>,
    /// Starts TLS before the greeting.
    pub(crate) implicit: bool,
}

impl Default for StubSetup {
    fn default() -> Self {
        let extensions = &["PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 1000000", "ENHANCEDSTATUSCODES"];
        Self { extensions, tls: None, implicit: false }
    }
}

pub(crate) struct StubServer {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<(usize, String)>>>,
}

impl StubServer {
    /// Starts a server that behaves normally except where the script decides: for `greeting`, a command, or `.` at the
    /// end of a content. The first argument counts connections from 0.
    pub(crate) async fn start(
        setup: StubSetup,
        script: impl Fn(usize, &str) -> StubAction + Send + Sync + 'static,
    ) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", 0)).await.unwrap(), setup, script)
    }

    /// Starts a server on this listener.
    pub(crate) fn on(
        listener: TcpListener,
        setup: StubSetup,
        script: impl Fn(usize, &str) -> StubAction + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let received: Arc<Mutex<Vec<(usize, String)>>> = Arc::default();
        let (setup, script, received_lines) = (Arc::new(setup), Arc::new(script) as Arc<Script>, Arc::clone(&received));
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let session = StubSession {
                    connection,
                    setup: Arc::clone(&setup),
                    script: Arc::clone(&script),
                    received: Arc::clone(&received_lines),
                };
                // A client that disconnects ends the session.
                tokio::spawn(async move { session.run(stream).await });
            }
        });
        Self { address, received }
    }

    pub(crate) async fn usual() -> Self {
        Self::start(StubSetup::default(), |_, _| StubAction::Usual).await
    }

    /// Returns the lines of a connection, with contents as received.
    pub(crate) fn received(&self, connection: usize) -> Vec<String> {
        let received = self.received.lock().unwrap();
        received.iter().filter(|(number, _)| *number == connection).map(|(_, line)| line.clone()).collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.received.lock().unwrap().iter().map(|(number, _)| number + 1).max().unwrap_or(0)
    }
}

struct StubSession {
    connection: usize,
    setup: Arc<StubSetup>,
    script: Arc<Script>,
    received: Arc<Mutex<Vec<(usize, String)>>>,
}

type Wire = BufReader<Box<dyn ClientStream>>;

impl StubSession {
    async fn run(self, stream: TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let mut plain: Box<dyn ClientStream> = Box::new(stream);
        if self.setup.implicit {
            plain = self.tls_handshake(plain).await?;
        }
        let mut wire = BufReader::new(plain);
        self.act(&mut wire, "greeting", "220 peer.example ESMTP").await?;
        loop {
            let mut line = String::new();
            if wire.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            assert!(line.ends_with("\r\n"), "{line:?}");
            let line = line.trim_end().to_owned();
            self.record(&line);
            let verb = line.split(' ').next().unwrap_or_default();
            let extensions = ["peer.example"].iter().chain(self.setup.extensions).copied().collect::<Vec<_>>();
            let reply = match verb {
                "EHLO" => lines("250", &extensions),
                "DATA" => "354 go on".to_owned(),
                "STARTTLS" => "220 ready".to_owned(),
                "QUIT" => "221 bye".to_owned(),
                "AUTH" => "235 2.7.0 welcome".to_owned(),
                _ => "250 2.0.0 ok".to_owned(),
            };
            let code = self.act(&mut wire, &line, &reply).await?;
            match (verb, code.as_str()) {
                ("DATA", "354") => {
                    let content = content(&mut wire).await?;
                    self.record(&content);
                    self.act(&mut wire, ".", "250 2.0.0 taken").await?;
                }
                ("STARTTLS", "220") => wire = BufReader::new(self.tls_handshake(wire.into_inner()).await?),
                ("QUIT", _) => return None,
                _ => {}
            }
        }
    }

    async fn tls_handshake(&self, plain: Box<dyn ClientStream>) -> Option<Box<dyn ClientStream>> {
        let acceptor = TlsAcceptor::from(Arc::clone(self.setup.tls.as_ref().unwrap()));
        Some(Box::new(acceptor.accept(plain).await.ok()?))
    }

    fn record(&self, line: &str) {
        self.received.lock().unwrap().push((self.connection, line.to_owned()));
    }

    /// Reacts to a line and returns the reply code.
    async fn act(&self, wire: &mut Wire, line: &str, usual: &str) -> Option<String> {
        let (reply, close) = match (self.script)(self.connection, line) {
            StubAction::Usual => (usual.to_owned(), false),
            StubAction::UsualAfter(rung) => {
                rung.notified().await;
                (usual.to_owned(), false)
            }
            StubAction::Say(reply) => (reply.replace('|', "\r\n"), false),
            StubAction::SayAndClose(reply) => (reply.to_owned(), true),
            StubAction::Close => return None,
            StubAction::Hang => std::future::pending().await,
        };
        wire.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
        wire.flush().await.ok()?;
        if close {
            wire.shutdown().await.ok()?;
            // Unread data would reset the connection and discard the reply.
            tokio::io::copy(wire, &mut tokio::io::sink()).await.ok()?;
            return None;
        }
        Some(reply.get(..3).unwrap_or_default().to_owned())
    }
}

fn lines(code: &str, texts: &[&str]) -> String {
    let all = texts.iter().enumerate();
    let all =
        all.map(|(position, text)| format!("{code}{}{text}", if position + 1 == texts.len() { ' ' } else { '-' }));
    all.collect::<Vec<_>>().join("\r\n")
}

/// Reads the content with its end.
async fn content(wire: &mut Wire) -> Option<String> {
    let mut content = Vec::new();
    while content != b".\r\n" && !content.ends_with(b"\r\n.\r\n") {
        content.push(wire.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&content).into_owned())
}

/// Returns the outcomes as text: `delivered`, `refused STATUS REPLY`, `deferred REASON`.
pub(crate) async fn deliver(transport: &impl Transport, mail: &OutgoingMail) -> Vec<String> {
    let outcomes = transport.deliver(mail).await;
    let recipients: Vec<_> = outcomes.iter().map(|outcome| outcome.recipient.as_str().to_owned()).collect();
    let expected: Vec<_> = mail.recipients.iter().map(|recipient| recipient.as_str().to_owned()).collect();
    assert_eq!(recipients, expected, "one outcome for each recipient, in order");
    let words = outcomes.into_iter().map(|outcome| match outcome.report.outcome {
        DeliveryOutcome::Delivered => "delivered".to_owned(),
        DeliveryOutcome::Refused { status, reply } => format!("refused {status} {reply}"),
        DeliveryOutcome::Deferred { reason } => format!("deferred {reason}"),
    });
    words.collect()
}
