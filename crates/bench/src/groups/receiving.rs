//! Reception over SMTP: authenticated, parsed, stored, threaded, announced and findable at the 250.

use std::time::Duration;

use crate::load::mails::{self, Pool};
use crate::load::sessions::{self, Load, LoadResult};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::peers::postfix::{Postfix, smtp_source};
use crate::peers::{pgbench, psql::Database, result_or_skip};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Seconds of one measurement.
const SECONDS: u32 = 2;
/// Messages, more than one measurement sends.
const MAILS: usize = 12_000;
const LASTS: Duration = Duration::from_secs(SECONDS as u64);

/// SMTP load with its requirements.
struct Case {
    load: Load,
    rows: Vec<ReportRow>,
}

impl Case {
    fn new(sessions: usize, reconnects: bool, times: f64) -> Self {
        let many = if sessions == 1 { "session" } else { "sessions" };
        let how = if reconnects { "one mail a connection" } else { "many mails a connection" };
        let name = |to: &str| format!("{sessions} {many}, {how}, {to}");
        let row = |to: &str, peer: &str| ReportRow::new(name(to), "mails/s", peer, Requirement::Times(times));
        let rows = vec![
            row("one inbox", "Postfix accepts"),
            row("smtp-source", "Postfix accepts"),
            // Our 250 means that the message is readable. That of Postfix does not.
            row("smtp-source", "Postfix, in the mailbox"),
            row("an inbox each", "Postfix accepts"),
        ];
        Self { load: Load { sessions, reconnects, lasts: Some(LASTS) }, rows }
    }
}

/// Servers and loads of the comparison.
struct Comparison {
    pool: Pool,
    server: Server,
    postfix: Option<Postfix>,
    database: Database,
}

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    let server = Server::start(options, &[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
    let database = server.other_database("alone").await?;
    pgbench::prepare_commits(&database)?;
    let postfix = result_or_skip("Postfix", Postfix::start().await);
    let mut side = Comparison { pool, server, postfix, database };
    let mut cases = [
        Case::new(32, false, 6.0),
        Case::new(32, true, 3.0),
        Case::new(8, true, 3.0),
        Case::new(1, false, 2.0),
        Case::new(1, true, 2.0),
    ];
    let commits = |to: &str| {
        let name = format!("8 sessions, many mails a connection, {to}");
        ReportRow::new(name, "mails/s", "PostgreSQL commits, 8 clients", Requirement::Times(0.25))
    };
    let mut against_commits = [commits("an inbox each"), commits("one inbox")];
    for _ in 0..options.rounds {
        for case in &mut cases {
            side.measure(case)?;
        }
        side.measure_against_commits(&mut against_commits)?;
    }
    let received: Vec<ReportRow> = cases.into_iter().flat_map(|case| case.rows).collect();
    report::print("receiving", &received);
    report::print("receiving, beside what PostgreSQL commits", &against_commits);
    side.server.stop().await
}

impl Comparison {
    fn measure(&mut self, case: &mut Case) -> Outcome<()> {
        let load = case.load;
        let theirs = self.generated(load)?;
        let ours = self.ours(1, load)?;
        // smtp-source sends as many messages as each server accepted from our generator.
        let source = match (&mut self.postfix, theirs) {
            (Some(postfix), Some(sent)) => Some(postfix.rates(sent.mails, load)?),
            _ => None,
        };
        let [inbox_id] = self.server.new_inboxes(1)?.try_into().map_err(|_| "not one inbox")?;
        let of_source = smtp_source(self.server.smtp, &inbox_id, ours.mails, load)?;
        let each = self.ours(load.sessions, load)?;
        let figures = [
            (ours.rate, theirs.map(|sent| sent.rate)),
            (of_source, source.map(|[accepted, _]| accepted)),
            (of_source, source.map(|[_, in_mailbox]| in_mailbox)),
            (each.rate, theirs.map(|sent| sent.rate)),
        ];
        case.rows.iter_mut().zip(figures).for_each(|(row, (ours, theirs))| row.add(ours, theirs));
        Ok(())
    }

    fn measure_against_commits(&mut self, rows: &mut [ReportRow; 2]) -> Outcome<()> {
        let load = Load { sessions: 8, reconnects: false, lasts: Some(LASTS) };
        for (row, inboxes) in rows.iter_mut().zip([load.sessions, 1]) {
            let alone = pgbench::run(&self.database, pgbench::COMMIT, 8, SECONDS);
            let alone = result_or_skip("PostgreSQL", alone).map(|found| found.rate);
            self.database.execute("truncate bench_mail, bench_event")?;
            row.add(self.ours(inboxes, load)?.rate, alone);
        }
        Ok(())
    }

    /// Measures the server with so many inboxes and checks the last message.
    fn ours(&mut self, inboxes: usize, load: Load) -> Outcome<LoadResult> {
        let recipients = self.server.new_inboxes(inboxes)?;
        let sent = sessions::send(self.server.smtp, &recipients, &self.pool.mails, load)?;
        let inbox = (load.sessions - 1) % recipients.len();
        if let (Some(inbox_id), Some(mail)) = (recipients.get(inbox), self.pool.mails.get(sent.last)) {
            self.server.check(inbox_id, mail)?;
        }
        Ok(sent)
    }

    /// Measures Postfix with the same generator.
    fn generated(&mut self, load: Load) -> Outcome<Option<LoadResult>> {
        let Some(postfix) = &mut self.postfix else { return Ok(None) };
        let sent = sessions::send(postfix.address(), &[Postfix::recipient()], &self.pool.mails, load)?;
        postfix.settle(sent.mails)?;
        Ok(Some(sent))
    }
}
