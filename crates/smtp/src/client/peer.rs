//! An SMTP server that does as it is told and remembers what it heard.
#![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use inboxd_core::model::Outcome;
use inboxd_core::ports::{OutgoingMail, Transport};
use rustls::ServerConfig;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use super::connection::Duplex;

/// What the peer does about a line.
pub(crate) enum Act {
    /// What a server does.
    Usual,
    /// What a server does, once this was rung.
    UsualAfter(Arc<Notify>),
    /// Says this; lines are separated by `|`.
    Say(&'static str),
    /// Says this and closes.
    SayAndClose(&'static str),
    /// Closes.
    Close,
    /// Says nothing for ever.
    Hang,
}

type Script = dyn Fn(usize, &str) -> Act + Send + Sync;

pub(crate) struct Setup {
    pub(crate) extensions: &'static [&'static str],
    pub(crate) tls: Option<Arc<ServerConfig>>,
    /// TLS before the greeting.
    pub(crate) implicit: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let extensions = &["PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 1000000", "ENHANCEDSTATUSCODES"];
        Self { extensions, tls: None, implicit: false }
    }
}

pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Peer {
    /// A peer that does as usual but for what the script says of a line: `greeting`, a command, or `.` for the end of
    /// a content. The first argument counts connections from 0.
    pub(crate) async fn start(setup: Setup, script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", 0)).await.unwrap(), setup, script)
    }

    /// A peer that takes the connections of a listener.
    pub(crate) fn on(
        listener: TcpListener,
        setup: Setup,
        script: impl Fn(usize, &str) -> Act + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let heard: Arc<Mutex<Vec<(usize, String)>>> = Arc::default();
        let (setup, script, memory) = (Arc::new(setup), Arc::new(script) as Arc<Script>, Arc::clone(&heard));
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let session = Session {
                    connection,
                    setup: Arc::clone(&setup),
                    script: Arc::clone(&script),
                    heard: Arc::clone(&memory),
                };
                // A client that goes away ends the session, whatever was to be said.
                tokio::spawn(async move { session.run(stream).await });
            }
        });
        Self { address, heard }
    }

    pub(crate) async fn usual() -> Self {
        Self::start(Setup::default(), |_, _| Act::Usual).await
    }

    /// What was heard on a connection, contents as they came.
    pub(crate) fn heard(&self, connection: usize) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|(number, _)| *number == connection).map(|(_, line)| line.clone()).collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.heard.lock().unwrap().iter().map(|(number, _)| number + 1).max().unwrap_or(0)
    }
}

struct Session {
    connection: usize,
    setup: Arc<Setup>,
    script: Arc<Script>,
    heard: Arc<Mutex<Vec<(usize, String)>>>,
}

type Wire = BufReader<Box<dyn Duplex>>;

impl Session {
    async fn run(self, stream: TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let mut plain: Box<dyn Duplex> = Box::new(stream);
        if self.setup.implicit {
            plain = self.secure(plain).await?;
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
            self.remember(&line);
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
                    self.remember(&content);
                    self.act(&mut wire, ".", "250 2.0.0 taken").await?;
                }
                ("STARTTLS", "220") => wire = BufReader::new(self.secure(wire.into_inner()).await?),
                ("QUIT", _) => return None,
                _ => {}
            }
        }
    }

    async fn secure(&self, plain: Box<dyn Duplex>) -> Option<Box<dyn Duplex>> {
        let acceptor = TlsAcceptor::from(Arc::clone(self.setup.tls.as_ref().unwrap()));
        Some(Box::new(acceptor.accept(plain).await.ok()?))
    }

    fn remember(&self, line: &str) {
        self.heard.lock().unwrap().push((self.connection, line.to_owned()));
    }

    /// Acts on a line, and answers with the code that was said.
    async fn act(&self, wire: &mut Wire, line: &str, usual: &str) -> Option<String> {
        let (reply, close) = match (self.script)(self.connection, line) {
            Act::Usual => (usual.to_owned(), false),
            Act::UsualAfter(rung) => {
                rung.notified().await;
                (usual.to_owned(), false)
            }
            Act::Say(reply) => (reply.replace('|', "\r\n"), false),
            Act::SayAndClose(reply) => (reply.to_owned(), true),
            Act::Close => return None,
            Act::Hang => std::future::pending().await,
        };
        wire.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
        wire.flush().await.ok()?;
        if close {
            wire.shutdown().await.ok()?;
            // What the client still sends is read, or it would not see what was said.
            tokio::io::copy(wire, &mut tokio::io::sink()).await.ok()?;
            return None;
        }
        Some(reply.get(..3).unwrap_or_default().to_owned())
    }
}

fn lines(code: &str, texts: &[&str]) -> String {
    let all = texts.iter().enumerate();
    let all = all.map(|(place, text)| format!("{code}{}{text}", if place + 1 == texts.len() { ' ' } else { '-' }));
    all.collect::<Vec<_>>().join("\r\n")
}

/// The content as it comes over the wire, its end included.
async fn content(wire: &mut Wire) -> Option<String> {
    let mut content = Vec::new();
    while content != b".\r\n" && !content.ends_with(b"\r\n.\r\n") {
        content.push(wire.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&content).into_owned())
}

/// Outcomes in few words: `delivered`, `refused STATUS REPLY`, `deferred REASON`.
pub(crate) async fn deliver(transport: &impl Transport, mail: &OutgoingMail) -> Vec<String> {
    let outcomes = transport.deliver(mail).await;
    let recipients: Vec<_> = outcomes.iter().map(|outcome| outcome.recipient.as_str().to_owned()).collect();
    let expected: Vec<_> = mail.recipients.iter().map(|recipient| recipient.as_str().to_owned()).collect();
    assert_eq!(recipients, expected, "one outcome each, in their order");
    let words = outcomes.into_iter().map(|outcome| match outcome.outcome {
        Outcome::Delivered => "delivered".to_owned(),
        Outcome::Refused { status, reply } => format!("refused {status} {reply}"),
        Outcome::Deferred { reason } => format!("deferred {reason}"),
    });
    words.collect()
}
