//! Measured tenant.

use std::net::SocketAddr;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use inboxd_testkit::RelayServer;
use serde_json::json;

use crate::load::http::Http;
use crate::load::smtp::Session;
use crate::outcome::Outcome;
use crate::server::Server;

/// Messages of the inbox.
const MESSAGES: usize = 200;
/// Intervals between two lists, two incoming and two outgoing messages.
const LIST_INTERVAL: Duration = Duration::from_millis(20);
const RECEIVE_INTERVAL: Duration = Duration::from_millis(250);
const SEND_INTERVAL: Duration = Duration::from_millis(500);
/// Duration that is recorded for a failed operation.
const FAILED: Duration = Duration::from_secs(30);
/// Limit for the last messages to leave.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(20);

/// Organization without limits.
pub(super) struct Tenant {
    http: SocketAddr,
    smtp: SocketAddr,
    key: String,
    inbox_id: String,
}

/// Durations of the operations in one measurement.
pub(super) struct Durations {
    /// Duration of each list of 50.
    pub(super) lists: Vec<Duration>,
    /// Time from the connection to the 250 for a message.
    pub(super) received: Vec<Duration>,
    /// Time from the call to the 250 of the receiving server.
    pub(super) left: Vec<Duration>,
}

impl Tenant {
    /// Fills the inbox of the tenant.
    pub(super) fn fill(server: &Server) -> Outcome<Self> {
        let tenant = Self {
            http: server.http_address(),
            smtp: server.smtp,
            key: server.key().to_owned(),
            inbox_id: server.inbox_id.clone(),
        };
        let mut session = Session::open(tenant.smtp)?;
        for number in 0..MESSAGES {
            session.send("alice@outside.example", &tenant.inbox_id, &tenant.message(number))?;
        }
        session.quit()?;
        Ok(tenant)
    }

    fn message(&self, number: usize) -> Vec<u8> {
        format!(
            "From: alice@outside.example\r\nTo: {}\r\nSubject: message {number}\r\nMessage-ID: <{number}.{:?}@outside.example>\r\n\r\n\
             Text of message {number}.\r\n.\r\n",
            self.inbox_id,
            Instant::now()
        )
        .into_bytes()
    }

    /// Lists, receives and sends concurrently.
    pub(super) fn measure(&self, relay: &RelayServer, lasts: Duration) -> Outcome<Durations> {
        let until = Instant::now() + lasts;
        let (listing, receiving, sending) = thread::scope(|scope| {
            let listing = scope.spawn(|| repeat(until, LIST_INTERVAL, |_| self.list()));
            let receiving = scope.spawn(|| repeat(until, RECEIVE_INTERVAL, |number| self.receive(number)));
            let sending = scope.spawn(|| self.send_until(until));
            (listing.join(), receiving.join(), sending.join())
        });
        let panicked = |_| "a thread panicked";
        let sent = sending.map_err(panicked)?;
        Ok(Durations {
            lists: listing.map_err(panicked)?,
            received: receiving.map_err(panicked)?,
            left: durations_until_confirmed(relay, &sent),
        })
    }

    fn list(&self) -> Outcome<()> {
        let path = format!("/v0/inboxes/{}/messages?limit=50", self.inbox_id);
        Http::connect(self.http, Some(&self.key))?.get(&path).map(drop)
    }

    fn receive(&self, number: usize) -> Outcome<()> {
        let mut session = Session::open(self.smtp)?;
        session.send("alice@outside.example", &self.inbox_id, &self.message(number))?;
        Ok(session.quit()?)
    }

    /// Sends until a time. Returns the subject and time of each call.
    fn send_until(&self, until: Instant) -> Vec<(String, Instant)> {
        let mut sent = Vec::new();
        while Instant::now() < until {
            let began = Instant::now();
            let subject = format!("outgoing {began:?}");
            let message = json!({"to": ["bob@elsewhere.example"], "subject": subject, "text": "Hello."});
            let call = || -> Outcome<()> {
                let path = format!("/v0/inboxes/{}/messages/send", self.inbox_id);
                Http::connect(self.http, Some(&self.key))?.post(&path, &message).map(drop)
            };
            if let Err(error) = call() {
                println!("  the tenant's send failed: {error}");
            }
            sent.push((subject, began));
            sleep(SEND_INTERVAL);
        }
        sent
    }
}

/// Repeats an operation at an interval. A failure counts as [`FAILED`].
fn repeat(until: Instant, interval: Duration, operation: impl Fn(usize) -> Outcome<()>) -> Vec<Duration> {
    let mut durations = Vec::new();
    while Instant::now() < until {
        let began = Instant::now();
        let done = operation(durations.len());
        durations.push(match done {
            Ok(()) => began.elapsed(),
            Err(error) => {
                println!("  the tenant was refused: {error}");
                FAILED
            }
        });
        sleep(interval);
    }
    durations
}

/// Returns the time from each call until the relay accepted its message.
fn durations_until_confirmed(relay: &RelayServer, sent: &[(String, Instant)]) -> Vec<Duration> {
    let deadline = Instant::now() + LEAVE_TIMEOUT;
    loop {
        let confirmed = relay.confirmed();
        let left = sent.iter().map(|(subject, began)| {
            let line = format!("Subject: {subject}");
            let found = confirmed.iter().find(|confirmed| confirmed.mail.text().contains(&line))?;
            Some(found.at.saturating_duration_since(*began))
        });
        let left: Vec<_> = left.collect();
        if left.iter().all(Option::is_some) || Instant::now() > deadline {
            return left.into_iter().map(|duration| duration.unwrap_or(FAILED)).collect();
        }
        sleep(Duration::from_millis(100));
    }
}
