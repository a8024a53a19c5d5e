//! Reads over the API: one message, one page of a list.

use crate::fill;
use crate::load::http::encoded;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::peers::memory::MemoryEndpoint;
use crate::peers::wrk::{self, Load};
use crate::peers::{pgbench, result_or_skip};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of the inbox.
const MESSAGES: usize = 10_000;
/// Number of different messages that are requested.
const REQUESTED_MESSAGES: usize = 200;
/// Concurrent clients.
const CLIENTS: usize = 8;
/// Seconds of one measurement.
const SECONDS: u32 = 3;
const LOAD: Load = Load { connections: CLIENTS, seconds: SECONDS };

/// Tables with the same rows, as a program of this single purpose would have them.
const TABLES: &str = "
    create table bench.whole as select row_number() over (order by m.timestamp) as id, m.*, b.body
        from messages m join message_bodies b using (organization_id, inbox_id, message_id) where m.inbox_id = '{inbox}';
    create unique index on bench.whole (id);
    create index on bench.whole (inbox_id, timestamp desc);
    analyze bench.whole";

/// One kind of request.
struct Case {
    paths: Vec<String>,
    memory: MemoryEndpoint,
    sql: String,
    /// Comparison with PostgreSQL alone, then with responses from memory.
    rows: [ReportRow; 2],
}

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let mut server = Server::start(options, &[]).await?;
    fill::prepare(&server)?;
    let inbox_id = fill::fill(&mut server, MESSAGES)?;
    server.database().script(&TABLES.replace("{inbox}", &inbox_id))?;
    let mut cases = cases(&server, &inbox_id)?;
    for _ in 0..options.rounds {
        for case in &mut cases {
            case.measure(&server)?;
        }
    }
    for case in cases {
        report::print(&format!("reading over the API, {CLIENTS} clients, inbox of {MESSAGES}"), &case.rows);
    }
    server.stop().await
}

fn cases(server: &Server, inbox_id: &str) -> Outcome<[Case; 2]> {
    let mut api = server.api()?;
    let messages = format!("/v0/inboxes/{inbox_id}/messages");
    let list = format!("{messages}?limit=50");
    let page = api.get(&format!("{messages}?limit={REQUESTED_MESSAGES}"))?;
    let ids = page["messages"].as_array().ok_or("no list")?.iter().filter_map(|item| item["message_id"].as_str());
    let paths: Vec<String> = ids.map(|id| format!("{messages}/{}", encoded(id))).collect();
    let one = api.bytes(paths.first().ok_or("no message")?)?;
    let fifty = api.bytes(&list)?;
    let rows = |name: &str, peers: [(&str, f64); 2]| {
        peers.map(|(peer, least)| ReportRow::new(name, "req/s", peer, Requirement::Times(least)))
    };
    let memory = "actix, the same bytes from memory";
    Ok([
        Case {
            paths,
            memory: MemoryEndpoint::start(one)?,
            sql: format!("\\set id random(1, {MESSAGES})\nselect * from bench.whole where id = :id;\n"),
            rows: rows("GET one message", [("pgbench, select by key", 0.4), (memory, 0.22)]),
        },
        Case {
            paths: vec![list],
            memory: MemoryEndpoint::start(fifty)?,
            sql: format!(
                "select message_id, thread_id, labels, timestamp, from_, to_, cc, bcc, subject, preview, attachments, size
                 from bench.whole where inbox_id = '{inbox_id}' order by timestamp desc limit 50;\n"
            )
            .replace("\n  ", " "),
            rows: rows("GET list of 50", [("pgbench, newest 50 by index", 0.35), (memory, 0.2)]),
        },
    ])
}

impl Case {
    fn measure(&mut self, server: &Server) -> Outcome<()> {
        let alone = pgbench::run(&server.database(), &self.sql, CLIENTS, SECONDS);
        let alone = result_or_skip("PostgreSQL", alone).map(|found| found.rate);
        let rate = |to| wrk::rate(to, server.key(), &self.paths, LOAD);
        let memory = rate(self.memory.address)?;
        let ours = rate(server.http_address())?;
        let [by_key, from_memory] = &mut self.rows;
        by_key.add(ours, alone);
        from_memory.add(ours, memory);
        Ok(())
    }
}
