//! Many SMTP sessions at once.

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Instant;

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

/// Sends each of the mails once, and answers how many were accepted in a second. Session number n sends its part of them to
/// recipient n, or begins again with the first.
pub(crate) fn send(to: SocketAddr, recipients: &[String], mails: &[SignedMail], load: Load) -> Outcome<f64> {
    let part = mails.len().div_ceil(load.sessions).max(1);
    let began = Instant::now();
    thread::scope(|scope| {
        let parts = mails.chunks(part).zip(recipients.iter().cycle());
        let running: Vec<_> =
            parts.map(|(part, recipient)| scope.spawn(|| send_part(to, recipient, part, load.reconnects))).collect();
        running.into_iter().try_for_each(|session| Outcome::Ok(session.join().map_err(|_| "a session panicked")??))
    })?;
    Ok(count(mails.len()) / began.elapsed().as_secs_f64())
}

fn send_part(to: SocketAddr, recipient: &str, mails: &[SignedMail], reconnects: bool) -> io::Result<()> {
    let mut session = Session::open(to)?;
    for (number, mail) in mails.iter().enumerate() {
        if reconnects && number > 0 {
            session.quit()?;
            session = Session::open(to)?;
        }
        session.send(&mail.sender, recipient, &mail.raw)?;
    }
    session.quit()
}
