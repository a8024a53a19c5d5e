//! Latency of one message on an idle server.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::load::mails::{self, SignedMail};
use crate::load::smtp::Session;
use crate::options::Options;
use crate::outcome::{Outcome, percentile};
use crate::peers::postfix::Postfix;
use crate::peers::result_or_skip;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of one measurement.
const MAILS: usize = 100;
/// Interval between two messages.
const PAUSE: Duration = Duration::from_millis(20);

/// Times from MAIL to 250, and from the connection to 250.
pub(super) struct LatencyTimes {
    pub(super) mail: Vec<Duration>,
    connection: Vec<Duration>,
}

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    let mut server = Server::start(options, &[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
    let mut postfix = result_or_skip("Postfix", Postfix::start().await);
    let peer = "Postfix, connection to 250";
    let mut rows = [
        ReportRow::new("MAIL to 250, half of all mails", "ms", peer, Requirement::Under(1.2)),
        ReportRow::new("MAIL to 250, 99 of a hundred", "ms", peer, Requirement::Under(5.0)),
        ReportRow::new("connection to 250, half of all mails", "ms", peer, Requirement::Nothing),
        ReportRow::new("connection to 250, 99 of a hundred", "ms", peer, Requirement::Nothing),
    ];
    for _ in 0..options.rounds {
        let theirs = match &mut postfix {
            Some(postfix) => {
                let times = one_by_one(postfix.address(), &Postfix::recipient(), &pool.mails)?;
                postfix.settle(MAILS)?;
                Some(times.connection)
            }
            None => None,
        };
        let inboxes = server.new_inboxes(1)?;
        let recipient = inboxes.first().ok_or("no inbox")?;
        let ours = one_by_one(server.smtp, recipient, &pool.mails)?;
        let figures = [(&ours.mail, 50), (&ours.mail, 99), (&ours.connection, 50), (&ours.connection, 99)];
        for (row, (times, part)) in rows.iter_mut().zip(figures) {
            row.add(percentile(times, part), theirs.as_ref().map(|times| percentile(times, part)));
        }
    }
    report::print("latency of an idle server", &rows);
    server.stop().await
}

/// Sends messages one after the other at an interval, each on a connection of its own.
pub(super) fn one_by_one(to: SocketAddr, recipient: &str, mails: &[SignedMail]) -> Outcome<LatencyTimes> {
    let mut times = LatencyTimes { mail: Vec::new(), connection: Vec::new() };
    for mail in mails {
        sleep(PAUSE);
        let began = Instant::now();
        let mut session = Session::open(to)?;
        times.mail.push(session.send(&mail.sender, recipient, &mail.content)?);
        times.connection.push(began.elapsed());
        session.quit()?;
    }
    Ok(times)
}
