//! Mail accepted over SMTP: stored, threaded, announced and findable when the 250 comes.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::smtp::Session;

/// Octets of a mail's text.
const TEXT: usize = 4_000;

/// What one measurement found.
pub(crate) struct Measured {
    /// Mails answered 250 in a second, over all sessions.
    pub(crate) mails_a_second: f64,
    /// From MAIL to 250, half of the mails were faster.
    pub(crate) p50_ms: f64,
    /// From MAIL to 250, all but one of a hundred were faster.
    pub(crate) p99_ms: f64,
}

/// Sends so many mails through so many sessions at once, many mails a session.
pub(crate) fn measure(server: &Server, sessions: usize, mails: usize) -> Result<Measured, Box<dyn Error>> {
    let each = mails / sessions;
    let began = Instant::now();
    let mut times = thread::scope(|scope| {
        let running: Vec<_> = (0..sessions).map(|_| scope.spawn(|| send(server, each))).collect();
        let mut times = Vec::with_capacity(mails);
        for session in running {
            times.extend(session.join().map_err(|_| "a session panicked")??);
        }
        Ok::<_, Box<dyn Error>>(times)
    })?;
    let took = began.elapsed();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    Ok(Measured { mails_a_second: count(times.len()) / took.as_secs_f64(), p50_ms: at(50), p99_ms: at(99) })
}

fn send(server: &Server, mails: usize) -> Result<Vec<Duration>, std::io::Error> {
    let mut session = Session::open(server.smtp)?;
    (0..mails)
        .map(|_| {
            let mail = mail(&server.inbox_id);
            let began = Instant::now();
            session.send(&server.inbox_id, &mail)?;
            Ok(began.elapsed())
        })
        .collect()
}

/// A mail that no other equals.
fn mail(recipient: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let line = "The quick brown fox jumps over the lazy dog, and the dog lets it.\r\n";
    let text = line.repeat(TEXT / line.len());
    format!(
        "From: Sender <sender@bench.example>\r\nTo: <{recipient}>\r\nSubject: Mail number {number}\r\n\
         Message-ID: <{number}.{}@bench.example>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\n{text}",
        std::process::id()
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts of mails are far below 2^52")]
pub(crate) fn count(mails: usize) -> f64 {
    mails as f64
}
