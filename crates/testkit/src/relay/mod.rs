//! SMTP server for outgoing mail, with test-defined replies.

mod replies;
mod session;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::wait::eventually;
use replies::RecipientReplies;

/// A mail that the relay received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedMail {
    /// Return path.
    pub from: String,
    /// Accepted recipients.
    pub to: Vec<String>,
    /// Content without dot-stuffing.
    pub raw: Vec<u8>,
}

impl RelayedMail {
    /// Returns the content as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Returns the values of a header field, unfolded.
    #[must_use]
    pub fn headers(&self, name: &str) -> Vec<String> {
        let text = self.text().replace("\r\n ", " ").replace("\r\n\t", " ");
        let head = text.split("\r\n\r\n").next().unwrap_or_default().to_owned();
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .filter(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }

    /// Requires that a header field occurs once and returns its value.
    #[must_use]
    #[track_caller]
    pub fn header(&self, name: &str) -> String {
        let values = self.headers(name);
        assert_eq!(values.len(), 1, "{name} occurs {} times:\n{}", values.len(), self.text());
        values[0].clone()
    }
}

/// An SMTP server that stops when this value is dropped.
#[derive(Debug)]
pub struct RelayServer {
    port: u16,
    state: Arc<State>,
    listening: JoinHandle<()>,
}

/// A mail whose 250 reply was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedMail {
    /// The mail.
    pub mail: RelayedMail,
    /// Time after the reply.
    pub at: Instant,
}

#[derive(Debug)]
struct State {
    mails: Mutex<Vec<RelayedMail>>,
    confirmed: Mutex<Vec<ConfirmedMail>>,
    replies: Mutex<RecipientReplies>,
    /// Delay before the reply to each mail.
    delay: Mutex<Duration>,
    /// Whether TLS is offered, whose handshake then fails.
    is_tls_broken: AtomicBool,
    /// Permits for replies to mails.
    reply_permits: Semaphore,
}

impl Default for State {
    fn default() -> Self {
        Self {
            mails: Mutex::default(),
            confirmed: Mutex::default(),
            replies: Mutex::default(),
            delay: Mutex::default(),
            is_tls_broken: AtomicBool::default(),
            reply_permits: Semaphore::new(MAX_MAILS),
        }
    }
}

/// More mails than any test sends.
const MAX_MAILS: usize = 100_000;

impl RelayServer {
    /// Starts a relay.
    pub async fn start() -> Self {
        Self::start_at("smtp://127.0.0.1:0").await
    }

    /// Starts a relay at the URL of an earlier one.
    pub async fn start_at(url: &str) -> Self {
        Self::from_listener(TcpListener::bind(url.trim_start_matches("smtp://")).await.unwrap())
    }

    /// Starts that many relays on one port, at 127.0.0.1, 127.0.0.2 and so on: the servers of several domains.
    pub async fn start_many(count: u8) -> Vec<Self> {
        // The port may be in use at another address; then the loop tries another.
        'port: loop {
            let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = first.local_addr().unwrap().port();
            let mut listeners = vec![first];
            for last in 2..=count {
                match TcpListener::bind(SocketAddr::from(([127, 0, 0, last], port))).await {
                    Ok(listener) => listeners.push(listener),
                    Err(_) => continue 'port,
                }
            }
            return listeners.into_iter().map(Self::from_listener).collect();
        }
    }

    fn from_listener(listener: TcpListener) -> Self {
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(session::serve(stream, Arc::clone(&shared)));
            }
        });
        Self { port, state, listening }
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL for `INBOXD_RELAY_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Sets the reply to a recipient, for example `550 5.1.1 no such user`.
    pub fn set_reply(&self, recipient: &str, reply: &str) {
        self.state.replies.lock().unwrap().always(recipient, reply);
    }

    /// Sets the reply to a recipient for one time.
    pub fn reply_once(&self, recipient: &str, reply: &str) {
        self.state.replies.lock().unwrap().once(recipient, reply);
    }

    /// Closes the connection at the next RCPT of this recipient.
    pub fn disconnect_once(&self, recipient: &str) {
        self.state.replies.lock().unwrap().once(recipient, replies::DISCONNECT);
    }

    /// Sets the delay before the reply to each mail.
    pub fn set_delay(&self, time: Duration) {
        *self.state.delay.lock().unwrap() = time;
    }

    /// Offers STARTTLS from now on, and closes the connection in place of the handshake.
    pub fn break_tls(&self) {
        self.state.is_tls_broken.store(true, Ordering::SeqCst);
    }

    /// Accepts mails without a reply until [`release`](Self::release).
    pub fn hold(&self) {
        self.state.reply_permits.forget_permits(MAX_MAILS);
    }

    /// Replies again, also to waiting mails.
    pub fn release(&self) {
        self.state.reply_permits.add_permits(MAX_MAILS);
    }

    /// Returns the mails that were confirmed, also to clients that had disconnected.
    #[must_use]
    pub fn confirmed(&self) -> Vec<ConfirmedMail> {
        self.state.confirmed.lock().unwrap().clone()
    }

    /// Returns the mails so far.
    #[must_use]
    pub fn mails(&self) -> Vec<RelayedMail> {
        self.state.mails.lock().unwrap().clone()
    }

    /// Waits for a mail with a subject.
    pub async fn mail_about(&self, subject: &str) -> RelayedMail {
        let about = |mail: &RelayedMail| mail.headers("Subject").iter().any(|other| other == subject);
        eventually(&format!("a mail with subject {subject:?} at the relay"), async || {
            self.mails().into_iter().find(about)
        })
        .await
    }

    /// Waits for the code that the service mails to an address.
    pub async fn code_for(&self, email: &str) -> String {
        let is_code = |mail: &RelayedMail| {
            let to_owner = mail.to.iter().any(|to| to == email);
            let text = mail.text();
            let (_, rest) = text.split_once("Your verification code is ").filter(|_| to_owner)?;
            Some(rest.chars().take(6).collect())
        };
        eventually(&format!("a code for {email} at the relay"), async || self.mails().iter().find_map(is_code)).await
    }
}

impl Drop for RelayServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
