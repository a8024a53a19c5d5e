//! A server that takes the mail which leaves, and answers as the test tells it to.

mod answers;
mod session;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::patience::eventually;
use answers::Answers;

/// A mail that left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedMail {
    /// The return path.
    pub from: String,
    /// The recipients that were accepted.
    pub to: Vec<String>,
    /// The mail, without dot-stuffing.
    pub raw: Vec<u8>,
}

impl RelayedMail {
    /// The mail as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// The values of a header field, unfolded.
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

    /// The value of a header field that stands there once.
    #[must_use]
    #[track_caller]
    pub fn header(&self, name: &str) -> String {
        let values = self.headers(name);
        assert_eq!(values.len(), 1, "{name} stands there {} times:\n{}", values.len(), self.text());
        values[0].clone()
    }
}

/// A real SMTP server on this machine. It ends with this value.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    state: Arc<State>,
    listening: JoinHandle<()>,
}

/// A mail that the relay has confirmed, and when: the 250 was written by then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    /// The mail.
    pub mail: RelayedMail,
    /// When.
    pub at: Instant,
}

#[derive(Debug)]
struct State {
    mails: Mutex<Vec<RelayedMail>>,
    confirmed: Mutex<Vec<Confirmed>>,
    answers: Mutex<Answers>,
    /// How long it takes over each mail.
    pace: Mutex<Duration>,
    /// How many mails may be answered.
    may_answer: Semaphore,
}

impl Default for State {
    fn default() -> Self {
        Self {
            mails: Mutex::default(),
            confirmed: Mutex::default(),
            answers: Mutex::default(),
            pace: Mutex::default(),
            may_answer: Semaphore::new(MANY),
        }
    }
}

/// More mails than any test sends.
const MANY: usize = 100_000;

impl Relay {
    /// Starts one.
    pub async fn start() -> Self {
        Self::at("smtp://127.0.0.1:0").await
    }

    /// Starts one where one was before, by its URL.
    pub async fn at(url: &str) -> Self {
        Self::of(TcpListener::bind(url.trim_start_matches("smtp://")).await.unwrap())
    }

    /// Starts so many on one port, at 127.0.0.1, 127.0.0.2 and so on: the servers of several domains.
    pub async fn several(count: u8) -> Vec<Self> {
        // The port that the first is given may be taken elsewhere: then another is tried.
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
            return listeners.into_iter().map(Self::of).collect();
        }
    }

    fn of(listener: TcpListener) -> Self {
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

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address, for `INBOXD_RELAY_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// From now on replies this to a recipient: `550 5.1.1 no such user`.
    pub fn answer(&self, recipient: &str, reply: &str) {
        self.state.answers.lock().unwrap().always(recipient, reply);
    }

    /// Replies this to a recipient, once.
    pub fn answer_once(&self, recipient: &str, reply: &str) {
        self.state.answers.lock().unwrap().once(recipient, reply);
    }

    /// Hangs up the next time that a mail for this recipient comes, before its content.
    pub fn hang_up_once(&self, recipient: &str) {
        self.state.answers.lock().unwrap().once(recipient, answers::HANG_UP);
    }

    /// From now on takes its time over each mail, before it is answered.
    pub fn take_time(&self, time: Duration) {
        *self.state.pace.lock().unwrap() = time;
    }

    /// From now on takes mails and leaves them without an answer.
    pub fn hold(&self) {
        self.state.may_answer.forget_permits(MANY);
    }

    /// Answers again, those that wait included.
    pub fn release(&self) {
        self.state.may_answer.add_permits(MANY);
    }

    /// The mails that were confirmed so far, those of clients that had gone by then included.
    #[must_use]
    pub fn confirmed(&self) -> Vec<Confirmed> {
        self.state.confirmed.lock().unwrap().clone()
    }

    /// The mails so far.
    #[must_use]
    pub fn mails(&self) -> Vec<RelayedMail> {
        self.state.mails.lock().unwrap().clone()
    }

    /// Waits for a mail with a subject.
    pub async fn mail_about(&self, subject: &str) -> RelayedMail {
        let about = |mail: &RelayedMail| mail.headers("Subject").iter().any(|other| other == subject);
        eventually(&format!("a mail about {subject:?} at the relay"), async || self.mails().into_iter().find(about))
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

impl Drop for Relay {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
