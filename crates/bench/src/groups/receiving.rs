//! Mail accepted over SMTP and durable: judged, parsed, stored, threaded, announced and findable when the 250 comes.

use std::net::SocketAddr;

use crate::load::mails::{self, Pool};
use crate::load::sessions::{self, Load};
use crate::outcome::Outcome;
use crate::peers::postfix::{Postfix, smtp_source};
use crate::peers::{pgbench, psql::Database, unless_it_fails};
use crate::report::{self, Demand, Row};
use crate::server::Server;

/// Mails of one measurement.
const MAILS: usize = 2_000;
/// Mails of one measurement of a single session, which is slower.
const MAILS_OF_ONE: usize = 500;
/// Seconds that PostgreSQL is measured for.
const SECONDS: usize = 3;

/// One way of sending, and what is demanded of it.
struct Case {
    load: Load,
    times: f64,
    rows: [Row; 3],
}

impl Case {
    fn new(sessions: usize, reconnects: bool, times: f64) -> Self {
        let many = if sessions == 1 { "session" } else { "sessions" };
        let how = if reconnects { "one mail a connection" } else { "many mails a connection" };
        let name = |to: &str| format!("{sessions} {many}, {how}, {to}");
        let rows = [
            Row::new(name("32 inboxes"), "mails/s", "Postfix", Demand::Times(times)),
            Row::new(name("one inbox"), "mails/s", "Postfix", Demand::Times(times)),
            Row::new(name("smtp-source"), "mails/s", "Postfix", Demand::Times(times)),
        ];
        Self { load: Load { sessions, reconnects }, times, rows }
    }

    fn mails(&self) -> usize {
        if self.load.sessions == 1 { MAILS_OF_ONE } else { MAILS }
    }
}

/// Everything that is measured side by side.
struct Side {
    pool: Pool,
    server: Server,
    postfix: Option<Postfix>,
    database: Database,
}

/// Measures receiving.
pub(crate) async fn run(rounds: usize) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    let server = Server::start(&[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
    let database = server.other_database("alone").await?;
    pgbench::prepare_commits(&database)?;
    let postfix = unless_it_fails("Postfix", Postfix::start().await);
    let mut side = Side { pool, server, postfix, database };
    let mut cases = [
        Case::new(32, false, 6.0),
        Case::new(32, true, 3.0),
        Case::new(8, true, 3.0),
        Case::new(1, false, 2.0),
        Case::new(1, true, 2.0),
    ];
    let commits = |to: &str| {
        let name = format!("8 sessions, many mails a connection, {to}");
        Row::new(name, "mails/s", "PostgreSQL commits, 8 clients", Demand::Times(0.25))
    };
    let mut against_commits = [commits("32 inboxes"), commits("one inbox")];
    for _ in 0..rounds {
        for case in &mut cases {
            side.measure(case)?;
        }
        side.measure_against_commits(&mut against_commits)?;
    }
    for case in &cases {
        report::print(&format!("receiving, at least {} × Postfix", case.times), &case.rows);
    }
    report::print("receiving, beside what PostgreSQL commits", &against_commits);
    side.server.stop().await
}

impl Side {
    fn measure(&mut self, case: &mut Case) -> Outcome<()> {
        let (load, mails) = (case.load, case.mails());
        let [several, one, source] = &mut case.rows;
        let theirs = self.generated(load, mails)?;
        several.add(self.ours(32, load, mails)?, theirs);
        one.add(self.ours(1, load, mails)?, theirs);
        let theirs = self.postfix.as_mut().map(|postfix| postfix.rate(mails, load)).transpose()?;
        let [inbox_id] = self.server.new_inboxes(1)?.try_into().map_err(|_| "not one inbox")?;
        source.add(smtp_source(self.server.smtp, &inbox_id, mails, load)?, theirs);
        Ok(())
    }

    fn measure_against_commits(&mut self, rows: &mut [Row; 2]) -> Outcome<()> {
        let load = Load { sessions: 8, reconnects: false };
        for (row, inboxes) in rows.iter_mut().zip([32, 1]) {
            let alone = pgbench::run(&self.database, pgbench::COMMIT, 8, SECONDS);
            let alone = unless_it_fails("PostgreSQL", alone).map(|found| found.rate);
            self.database.execute("truncate bench_mail, bench_event")?;
            row.add(self.ours(inboxes, load, MAILS)?, alone);
        }
        Ok(())
    }

    /// Mails a second into so many inboxes; the last is looked at.
    fn ours(&mut self, inboxes: usize, load: Load, mails: usize) -> Outcome<f64> {
        let recipients = self.server.new_inboxes(inboxes)?;
        let mails = self.pool.mails.get(..mails).ok_or("too few mails were made")?;
        let rate = self.send(self.server.smtp, &recipients, mails.len(), load)?;
        let inbox = (load.sessions - 1) % recipients.len();
        if let (Some(inbox_id), Some(mail)) = (recipients.get(inbox), mails.last()) {
            self.server.check(inbox_id, mail)?;
        }
        Ok(rate)
    }

    /// What Postfix takes of the same generator.
    fn generated(&mut self, load: Load, mails: usize) -> Outcome<Option<f64>> {
        let Some(address) = self.postfix.as_ref().map(Postfix::address) else { return Ok(None) };
        let rate = self.send(address, &[Postfix::recipient()], mails, load)?;
        if let Some(postfix) = &mut self.postfix {
            postfix.settle(mails)?;
        }
        Ok(Some(rate))
    }

    fn send(&self, to: SocketAddr, recipients: &[String], mails: usize, load: Load) -> Outcome<f64> {
        let mails = self.pool.mails.get(..mails).ok_or("too few mails were made")?;
        sessions::send(to, recipients, mails, load)
    }
}
