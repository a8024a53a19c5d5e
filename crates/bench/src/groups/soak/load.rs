//! Concurrent load of all kinds.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::load::http::{Http, encoded};
use crate::load::mails::SignedMail;
use crate::load::smtp::Session;
use crate::outcome::{Outcome, count};
use crate::server::Server;

/// SMTP sessions.
const SESSIONS: usize = 8;
/// Intervals of the other operations.
const LIST_INTERVAL: Duration = Duration::from_millis(40);
const SEARCH_INTERVAL: Duration = Duration::from_millis(200);
const SEND_INTERVAL: Duration = Duration::from_millis(50);
/// Interval of messages to the organizations with sockets.
const WATCHED_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the memory samples.
const SAMPLE_INTERVAL: Duration = Duration::from_mins(1);
/// Number of failures that are kept.
const MAX_ERRORS: usize = 10_000;

/// An accepted message, which lists and searches look for.
#[derive(Clone)]
struct AcceptedMail {
    inbox_id: String,
    message_id: String,
    word: String,
}

/// Load on one server, with its latencies and failures.
pub(super) struct MixedLoad<'a> {
    server: &'a Server,
    mails: &'a [SignedMail],
    watched_inboxes: &'a [String],
    inboxes: AtomicUsize,
    accepted: AtomicUsize,
    watched: AtomicUsize,
    sent: AtomicUsize,
    is_over: AtomicBool,
    latest: Mutex<Option<AcceptedMail>>,
    times: Mutex<BTreeMap<&'static str, Vec<Duration>>>,
    errors: Mutex<Vec<String>>,
}

impl<'a> MixedLoad<'a> {
    pub(super) fn new(server: &'a Server, mails: &'a [SignedMail], watched_inboxes: &'a [String]) -> Self {
        Self {
            server,
            mails,
            watched_inboxes,
            inboxes: AtomicUsize::new(0),
            accepted: AtomicUsize::new(0),
            watched: AtomicUsize::new(0),
            sent: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            latest: Mutex::new(None),
            times: Mutex::default(),
            errors: Mutex::default(),
        }
    }

    /// Runs the load for a time and returns the accepted messages per second. Without a rate, SMTP is not paced. The
    /// sampler is called each minute.
    pub(super) fn run(
        &self,
        rate: Option<f64>,
        lasts: Duration,
        mut sampler: impl FnMut() -> Outcome<()>,
    ) -> Outcome<f64> {
        let pace = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(count(SESSIONS) / rate));
        self.is_over.store(false, Ordering::Relaxed);
        let (before, began) = (self.accepted.load(Ordering::Relaxed), Instant::now());
        thread::scope(|scope| {
            for _ in 0..SESSIONS {
                scope.spawn(|| self.receive(pace));
            }
            scope.spawn(|| self.repeat(LIST_INTERVAL, |api| self.list_and_read(api)));
            scope.spawn(|| self.repeat(SEARCH_INTERVAL, |api| self.search(api)));
            scope.spawn(|| self.repeat(SEND_INTERVAL, |api| self.send(api)));
            scope.spawn(|| self.mail_watchers());
            let result = take_samples(began + lasts, &mut sampler);
            self.is_over.store(true, Ordering::Relaxed);
            result
        })?;
        Ok(count(self.accepted.load(Ordering::Relaxed) - before) / began.elapsed().as_secs_f64())
    }

    /// Receives the messages again and again, each time in another inbox.
    fn receive(&self, pace: Duration) {
        let mut session: Option<Session> = None;
        let mut next = Instant::now();
        while !self.is_over() {
            let Some(inbox_id) = self.note(self.new_inbox()) else { continue };
            // As clients do, because the server ends sessions after an hour.
            if let Some(open) = session.take() {
                self.note(Session::quit(open).map_err(Into::into));
            }
            for mail in self.mails {
                if self.is_over() {
                    return;
                }
                thread::sleep(next.saturating_duration_since(Instant::now()));
                // A delay is not made up for by a burst.
                next = Instant::now().max(next + pace);
                if session.is_none() {
                    session = self.note(Session::open(self.server.smtp).map_err(Into::into));
                }
                let Some(open) = session.as_mut() else { continue };
                match self.note(open.send(&mail.sender, &inbox_id, &mail.content).map_err(Into::into)) {
                    Some(took) => self.accept(&inbox_id, mail, took),
                    None => session = None,
                }
            }
        }
    }

    fn accept(&self, inbox_id: &str, mail: &SignedMail, took: Duration) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        self.record("SMTP, MAIL to 250", took);
        *lock(&self.latest) = Some(AcceptedMail {
            inbox_id: inbox_id.to_owned(),
            message_id: mail.message_id.clone(),
            word: mail.word.clone(),
        });
    }

    fn new_inbox(&self) -> Outcome<String> {
        let number = self.inboxes.fetch_add(1, Ordering::Relaxed);
        let made = self.server.api()?.post("/v0/inboxes", &json!({"username": format!("soak{number}")}))?;
        Ok(made["inbox_id"].as_str().ok_or("no inbox was made")?.to_owned())
    }

    /// Repeats an operation at an interval, on one connection while it works.
    fn repeat(&self, interval: Duration, operation: impl Fn(&mut Http) -> Outcome<()>) {
        let mut api = None;
        while !self.is_over() {
            thread::sleep(interval);
            if api.is_none() {
                api = self.note(self.server.api());
            }
            if let Some(open) = api.as_mut()
                && self.note(operation(open)).is_none()
            {
                api = None;
            }
        }
    }

    fn list_and_read(&self, api: &mut Http) -> Outcome<()> {
        let Some(latest) = self.latest() else { return Ok(()) };
        let inbox = format!("/v0/inboxes/{}", latest.inbox_id);
        self.timed("list of 50 messages", || api.get(&format!("{inbox}/messages?limit=50")))?;
        let path = format!("{inbox}/messages/{}", encoded(&latest.message_id));
        self.timed("message", || api.get(&path))?;
        self.timed("list of 50 threads", || api.get(&format!("{inbox}/threads?limit=50")))?;
        Ok(())
    }

    fn search(&self, api: &mut Http) -> Outcome<()> {
        let Some(latest) = self.latest() else { return Ok(()) };
        let path = format!("/v0/inboxes/{}/messages/search?q={}", latest.inbox_id, latest.word);
        let found = self.timed("search", || api.get(&path))?;
        match found["messages"].as_array().map(Vec::len) {
            Some(1) => Ok(()),
            _ => Err(format!("{} is not found: {found}", latest.word).into()),
        }
    }

    fn send(&self, api: &mut Http) -> Outcome<()> {
        // More messages to one address would look like a loop of two agents.
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let to = format!("bob{number}@elsewhere.example");
        let message = json!({"to": [to], "subject": format!("Soak {number}"), "text": "Hello."});
        let path = format!("/v0/inboxes/{}/messages/send", self.server.inbox_id);
        self.timed("send", || api.post(&path, &message)).map(drop)
    }

    /// Sends a message to each watched inbox at an interval.
    fn mail_watchers(&self) {
        while !self.is_over() {
            let began = Instant::now();
            let send = || -> Outcome<()> {
                let mut session = Session::open(self.server.smtp)?;
                for inbox_id in self.watched_inboxes {
                    let number = self.watched.load(Ordering::Relaxed);
                    let content = format!(
                        "From: alice@bench.example\r\nTo: {inbox_id}\r\nSubject: watched\r\n\
                         Message-ID: <watched.{number}.{}@bench.example>\r\n\r\nHello.\r\n.\r\n",
                        std::process::id()
                    );
                    session.send("alice@bench.example", inbox_id, content.as_bytes())?;
                    self.watched.fetch_add(1, Ordering::Relaxed);
                }
                Ok(session.quit()?)
            };
            self.note(send());
            thread::sleep(WATCHED_INTERVAL.saturating_sub(began.elapsed()));
        }
    }

    fn timed<T>(&self, operation: &'static str, call: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let began = Instant::now();
        let done = call()?;
        self.record(operation, began.elapsed());
        Ok(done)
    }

    fn record(&self, operation: &'static str, took: Duration) {
        lock(&self.times).entry(operation).or_default().push(took);
    }

    /// Keeps the failure of an operation.
    fn note<T>(&self, done: Outcome<T>) -> Option<T> {
        done.map_err(|error| {
            let mut errors = lock(&self.errors);
            if errors.len() < MAX_ERRORS {
                errors.push(error.to_string());
            }
        })
        .ok()
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn latest(&self) -> Option<AcceptedMail> {
        lock(&self.latest).clone()
    }

    /// Returns the number of messages to watched inboxes.
    pub(super) fn watched(&self) -> usize {
        self.watched.load(Ordering::Relaxed)
    }

    /// Returns the failures.
    pub(super) fn errors(&self) -> Vec<String> {
        lock(&self.errors).clone()
    }

    /// Removes and returns the latencies of each operation.
    pub(super) fn times(&self) -> BTreeMap<&'static str, Vec<Duration>> {
        std::mem::take(&mut lock(&self.times))
    }

    /// Forgets the latencies so far.
    pub(super) fn forget_times(&self) {
        drop(self.times());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls the sampler each minute until a time, and at its end.
fn take_samples(until: Instant, sampler: &mut impl FnMut() -> Outcome<()>) -> Outcome<()> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left < SAMPLE_INTERVAL {
            thread::sleep(left);
            return if left.is_zero() { Ok(()) } else { sampler() };
        }
        thread::sleep(SAMPLE_INTERVAL);
        sampler()?;
    }
}
