//! Many SMTP sessions at once.

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use super::mails::SignedMail;
use super::smtp::Session;
use crate::outcome::{Outcome, count};

/// How mails are sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Sessions at a time.
    pub(crate) sessions: usize,
    /// Whether each mail has a connection of its own.
    pub(crate) reconnects: bool,
    /// After how long no more mails are begun; `None` to send all of them.
    pub(crate) lasts: Option<Duration>,
}

/// What was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    /// How many mails were accepted.
    pub(crate) mails: usize,
    /// How many of them in a second.
    pub(crate) rate: f64,
    /// The longest time in which no mail was accepted.
    pub(crate) stall: Duration,
    /// The place of the last mail of the last session.
    pub(crate) last: usize,
}

/// Sends mails, each at most once. Session number n sends from its part of them to recipient n, or begins again with the
/// first recipient.
pub(crate) fn send(to: SocketAddr, recipients: &[String], mails: &[SignedMail], load: Load) -> Outcome<Sent> {
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
    Ok(Sent { mails, rate: count(mails) / took, stall: gaps.max().unwrap_or_default(), last })
}

/// When each mail was accepted.
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
