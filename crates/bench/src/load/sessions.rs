//! Concurrent SMTP sessions.

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use super::mails::SignedMail;
use super::smtp::Session;
use crate::outcome::{Outcome, count};

/// SMTP load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Number of concurrent sessions.
    pub(crate) sessions: usize,
    /// Whether each message has a connection of its own.
    pub(crate) reconnects: bool,
    /// Time after which no message is started. `None` sends all.
    pub(crate) lasts: Option<Duration>,
}

/// Result of an SMTP load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadResult {
    /// Number of accepted messages.
    pub(crate) mails: usize,
    /// Accepted messages per second.
    pub(crate) rate: f64,
    /// Longest time without an accepted message.
    pub(crate) stall: Duration,
    /// Position of the last message of the last session.
    pub(crate) last: usize,
}

/// Sends messages, each at most once.
///
/// Session number n sends its part to recipient n. With fewer recipients it starts again at the first.
pub(crate) fn send(to: SocketAddr, recipients: &[String], mails: &[SignedMail], load: Load) -> Outcome<LoadResult> {
    let part = mails.len().div_ceil(load.sessions).max(1);
    let began = Instant::now();
    let accepted = thread::scope(|scope| {
        let parts = mails.chunks(part).zip(recipients.iter().cycle());
        let running: Vec<_> =
            parts.map(|(part, recipient)| scope.spawn(move || send_part(to, recipient, part, load))).collect();
        let join = |session: thread::ScopedJoinHandle<'_, io::Result<Vec<Instant>>>| -> Outcome<Vec<Instant>> {
            Ok(session.join().map_err(|_| "a session panicked")??)
        };
        running.into_iter().map(join).collect::<Outcome<Vec<_>>>()
    })?;
    let took = began.elapsed().as_secs_f64();
    let last = (accepted.len().max(1) - 1) * part + accepted.last().map_or(0, |times| times.len().saturating_sub(1));
    let mut times = [vec![began], accepted.concat()].concat();
    times.sort_unstable();
    let gaps = times.iter().zip(times.iter().skip(1)).map(|(before, after)| *after - *before);
    let mails = times.len() - 1;
    Ok(LoadResult { mails, rate: count(mails) / took, stall: gaps.max().unwrap_or_default(), last })
}

/// Sends the messages of one session and returns the time of each acceptance.
fn send_part(to: SocketAddr, recipient: &str, mails: &[SignedMail], load: Load) -> io::Result<Vec<Instant>> {
    let began = Instant::now();
    let mut session = Session::open(to)?;
    let mut accepted = Vec::new();
    for mail in mails {
        if load.lasts.is_some_and(|lasts| began.elapsed() >= lasts) {
            break;
        }
        if load.reconnects && !accepted.is_empty() {
            session.quit()?;
            session = Session::open(to)?;
        }
        session.send(&mail.sender, recipient, &mail.content)?;
        accepted.push(Instant::now());
    }
    session.quit()?;
    Ok(accepted)
}
