//! Processor time of one message and one API call, which is meaningful on a busy machine too.

use std::path::Path;

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
    /// Returns an empty cost with the peers of inboxd, its PostgreSQL and both.
    fn new(what: &str, peers: [&str; 3]) -> Self {
        let row =
            |whose: &str, peer: &str| ReportRow::new(format!("{what}, {whose}"), "µs", peer, Requirement::Nothing);
        let [server, postgres, both] = peers;
        Self([row("inboxd", server), row("its PostgreSQL", postgres), row("both", both), row("this benchmark", "")])
    }

    fn add(&mut self, ours: Spent, peers: [Option<f64>; 3]) {
        let [server, postgres, both] = peers;
        let Spent { server: our_server, postgres: our_postgres, bench } = ours;
        let both_ours = our_server + our_postgres;
        let figures = [(our_server, server), (our_postgres, postgres), (both_ours, both), (bench, None)];
        self.0.iter_mut().zip(figures).for_each(|(row, (ours, peer))| row.add(ours, peer));
    }
}

/// Microseconds of one operation.
#[derive(Clone, Copy)]
struct Spent {
    server: f64,
    postgres: f64,
    bench: f64,
}

impl Spent {
    fn of(before: [ProcessorTime; 3], after: [ProcessorTime; 3], many: usize) -> Self {
        let each = |which: usize| Some(after.get(which)?.micros_each(*before.get(which)?, many));
        let [server, postgres, bench] = [each(0), each(1), each(2)].map(Option::unwrap_or_default);
        Self { server, postgres, bench }
    }

    /// Returns the figures as those of a peer.
    fn as_peer(self) -> [Option<f64>; 3] {
        [self.server, self.postgres, self.server + self.postgres].map(Some)
    }
}

/// Running program with an inbox to read.
struct Program {
    server: Server,
    inbox_id: String,
}

impl Program {
    async fn start(program: &Path, pool: &Pool) -> Outcome<Self> {
        let dns = ("INBOXD_DNS_ADDR", pool.dns.address().to_string());
        let mut server = Server::start_program(program, &[dns]).await?;
        fill::prepare(&server)?;
        let inbox_id = fill::fill(&mut server, MESSAGES)?;
        Ok(Self { server, inbox_id })
    }

    fn receive(&mut self, inboxes: usize, pool: &Pool) -> Outcome<Spent> {
        let recipients = self.server.new_inboxes(inboxes)?;
        let before = self.server.spent()?;
        let sent = sessions::send(self.server.smtp, &recipients, &pool.mails, LOAD)?;
        Ok(Spent::of(before, self.server.spent()?, sent.mails))
    }

    /// Reads a path below the inbox.
    fn read(&self, path: &str) -> Outcome<Spent> {
        let paths = [format!("/v0/inboxes/{}/{path}", self.inbox_id)];
        let before = self.server.spent()?;
        let calls = wrk::calls(self.server.http_address(), self.server.key(), &paths, READERS)?;
        Ok(Spent::of(before, self.server.spent()?, calls))
    }
}

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    pool.dns.txt("bench.example", "v=spf1 ip4:127.0.0.1 -all");
    let mut ours = Program::start(&options.server, &pool).await?;
    let mut other = None;
    let mut postfix = None;
    if let Some(program) = &options.against {
        other = Some(Program::start(program, &pool).await?);
    } else {
        postfix = result_or_skip("Postfix", Postfix::start().await);
    }
    let peers = |peer: &'static str| if other.is_some() { ["the other build"; 3] } else { ["", "", peer] };
    let mail = |to: &str| Cost::new(&format!("a mail, 32 sessions, {to}"), peers("Postfix"));
    let mut received = [(mail("an inbox each"), LOAD.sessions), (mail("one inbox"), 1)];
    let one = format!("messages/{}", encoded("<1000.fill@bench.example>"));
    let call = |what: &str| Cost::new(what, peers(""));
    let mut read = [(call("GET one message"), one.as_str()), (call("GET list of 50"), "messages?limit=50")];
    for _ in 0..options.rounds {
        for (cost, inboxes) in &mut received {
            let theirs = match (&mut other, &mut postfix) {
                (Some(other), _) => other.receive(*inboxes, &pool)?.as_peer(),
                (None, Some(postfix)) => [None, None, Some(of_postfix(postfix, &pool)?)],
                (None, None) => [None; 3],
            };
            cost.add(ours.receive(*inboxes, &pool)?, theirs);
        }
        for (cost, path) in &mut read {
            let theirs = other.as_ref().map(|other| other.read(path)).transpose()?;
            cost.add(ours.read(path)?, theirs.map_or([None; 3], Spent::as_peer));
        }
    }
    let received = received.into_iter().map(|(cost, _)| cost);
    let rows: Vec<ReportRow> =
        received.chain(read.into_iter().map(|(cost, _)| cost)).flat_map(|Cost(rows)| rows).collect();
    report::print("processor time of", &rows);
    if let Some(other) = other {
        other.server.stop().await?;
    }
    ours.server.stop().await
}

/// Returns the processor time of Postfix for one message, until it is in the mailbox.
fn of_postfix(postfix: &mut Postfix, pool: &Pool) -> Outcome<f64> {
    let before = ProcessorTime::by(postfix.process_id()?)?;
    let sent = sessions::send(postfix.address(), &[Postfix::recipient()], &pool.mails, LOAD)?;
    postfix.settle(sent.mails)?;
    Ok(ProcessorTime::by(postfix.process_id()?)?.micros_each(before, sent.mails))
}
