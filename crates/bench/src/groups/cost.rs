//! Processor time of one message and one API call, which is meaningful on a busy machine too.

use crate::fill;
use crate::load::http::encoded;
use crate::load::mails::{self, Pool};
use crate::load::sessions::{self, Load};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::peers::postfix::Postfix;
use crate::peers::result_or_skip;
use crate::peers::wrk;
use crate::processor::ProcessorTime;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of one measurement.
const MAILS: usize = 2_000;
/// SMTP load.
const LOAD: Load = Load { sessions: 32, reconnects: false, lasts: None };
/// Messages of the inbox that is read.
const MESSAGES: usize = 2_000;
/// API load.
const READERS: wrk::Load = wrk::Load { connections: 8, seconds: 2 };

/// Processor time of one operation: server, its PostgreSQL, both, and the client.
struct Cost([ReportRow; 4]);

impl Cost {
    fn new(what: &str, peer: &str) -> Self {
        let row =
            |whose: &str, peer: &str| ReportRow::new(format!("{what}, {whose}"), "µs", peer, Requirement::Nothing);
        Self([row("inboxd", ""), row("its PostgreSQL", ""), row("both", peer), row("this benchmark", "")])
    }

    fn add(&mut self, before: [ProcessorTime; 3], after: [ProcessorTime; 3], many: usize, theirs: Option<f64>) {
        let each = |which: usize| Some(after.get(which)?.micros_each(*before.get(which)?, many));
        let [server, postgres, bench] = [each(0), each(1), each(2)].map(Option::unwrap_or_default);
        let figures = [(server, None), (postgres, None), (server + postgres, theirs), (bench, None)];
        self.0.iter_mut().zip(figures).for_each(|(row, (ours, theirs))| row.add(ours, theirs));
    }
}

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    pool.dns.txt("bench.example", "v=spf1 ip4:127.0.0.1 -all");
    let mut server = Server::start(options, &[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
    let mut postfix = result_or_skip("Postfix", Postfix::start().await);
    fill::prepare(&server)?;
    let inbox_id = fill::fill(&mut server, MESSAGES)?;
    let one = format!("/v0/inboxes/{inbox_id}/messages/{}", encoded("<1000.fill@bench.example>"));
    let fifty = format!("/v0/inboxes/{inbox_id}/messages?limit=50");
    let mail = |to: &str| Cost::new(&format!("a mail, 32 sessions, {to}"), "Postfix");
    let mut received = [(mail("an inbox each"), LOAD.sessions), (mail("one inbox"), 1)];
    let mut read = [(Cost::new("GET one message", ""), &one), (Cost::new("GET list of 50", ""), &fifty)];
    for _ in 0..options.rounds {
        for (cost, inboxes) in &mut received {
            let theirs = postfix.as_mut().map(|postfix| of_postfix(postfix, &pool)).transpose()?;
            let recipients = server.new_inboxes(*inboxes)?;
            let before = server.spent()?;
            let sent = sessions::send(server.smtp, &recipients, &pool.mails, LOAD)?;
            cost.add(before, server.spent()?, sent.mails, theirs);
        }
        for (cost, path) in &mut read {
            let before = server.spent()?;
            let paths = std::slice::from_ref(*path);
            let calls = wrk::calls(server.http_address(), server.key(), paths, READERS)?;
            cost.add(before, server.spent()?, calls, None);
        }
    }
    let received = received.into_iter().map(|(cost, _)| cost);
    let rows: Vec<ReportRow> =
        received.chain(read.into_iter().map(|(cost, _)| cost)).flat_map(|Cost(rows)| rows).collect();
    report::print("processor time of", &rows);
    server.stop().await
}

/// Returns the processor time of Postfix for one message, until it is in the mailbox.
fn of_postfix(postfix: &mut Postfix, pool: &Pool) -> Outcome<f64> {
    let before = ProcessorTime::by(postfix.process_id()?)?;
    let sent = sessions::send(postfix.address(), &[Postfix::recipient()], &pool.mails, LOAD)?;
    postfix.settle(sent.mails)?;
    Ok(ProcessorTime::by(postfix.process_id()?)?.micros_each(before, sent.mails))
}
