//! Many SMTP sessions at once.

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
}

/// What sending found.
pub(crate) struct Sent {
    /// Mails answered 250 in a second, over all sessions.
    pub(crate) mails_a_second: f64,
    /// From MAIL to 250 of each mail.
    pub(crate) times: Vec<Duration>,
}

/// Sends each of the mails once. Session number n sends its part of them to recipient n, or begins again with the first.
pub(crate) fn send(to: SocketAddr, recipients: &[String], mails: &[SignedMail], load: Load) -> Outcome<Sent> {
    let part = mails.len().div_ceil(load.sessions).max(1);
    let began = Instant::now();
    let times = thread::scope(|scope| {
        let parts = mails.chunks(part).zip(recipients.iter().cycle());
        let running: Vec<_> =
            parts.map(|(part, recipient)| scope.spawn(|| send_part(to, recipient, part, load.reconnects))).collect();
        let mut times = Vec::with_capacity(mails.len());
        for session in running {
            times.extend(session.join().map_err(|_| "a session panicked")??);
        }
        Outcome::Ok(times)
    })?;
    Ok(Sent { mails_a_second: count(times.len()) / began.elapsed().as_secs_f64(), times })
}

fn send_part(
    to: SocketAddr,
    recipient: &str,
    mails: &[SignedMail],
    reconnects: bool,
) -> std::io::Result<Vec<Duration>> {
    let mut session = Session::open(to)?;
    let mut times = Vec::with_capacity(mails.len());
    for mail in mails {
        if reconnects && !times.is_empty() {
            session.quit()?;
            session = Session::open(to)?;
        }
        times.push(session.send(&mail.sender, recipient, &mail.raw)?);
    }
    session.quit()?;
    Ok(times)
}
