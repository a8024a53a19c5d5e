//! Substring search and filtered lists in large inboxes.

use serde_json::Value;

use crate::fill::{self, COMMON_WORD, LABEL, RARE_WORD, THREE_LETTERS, TWO_LETTERS};
use crate::load::http::{Http, encoded};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::peers::dovecot::Dovecot;
use crate::peers::psql::Database;
use crate::peers::ripgrep::Text;
use crate::peers::{pgbench, result_or_skip};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Size of the inbox that Dovecot has too.
const SMALL: usize = 10_000;
/// Position of the deep page in the list.
const DEEP: usize = 40;

/// Text of an inbox in a table of its own, with and without a trigram index.
const TABLES: &str = "
    create extension if not exists pg_trgm;
    create table bench.plain as select row_number() over (order by m.timestamp) as id, m.timestamp as at, b.search_text
        from messages m join message_bodies b using (organization_id, inbox_id, message_id) where m.inbox_id = '{inbox}';
    create index on bench.plain (at);
    create table bench.trigram as table bench.plain;
    create index on bench.trigram (at);
    create index on bench.trigram using gin (search_text gin_trgm_ops);
    vacuum analyze bench.plain, bench.trigram";

/// Search texts, and the required milliseconds in inboxes of 10,000, 100,000 and 1,000,000 messages.
const NEEDLES: [(&str, &str, [Option<f64>; 3]); 4] = [
    ("rare word", RARE_WORD, [Some(5.0), Some(2.0), Some(10.0)]),
    ("common word", COMMON_WORD, [Some(5.0), Some(5.0), Some(20.0)]),
    ("three letters", THREE_LETTERS, [Some(5.0), None, None]),
    ("two rare letters", TWO_LETTERS, [Some(5.0), Some(50.0), Some(400.0)]),
];

/// Measures inboxes of ten and a hundred thousand messages, and of a million on request.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let sizes = [SMALL, 100_000, 1_000_000];
    for (place, messages) in sizes.into_iter().enumerate().take(if options.million { 3 } else { 2 }) {
        let mut server = Server::start(options, &[]).await?;
        fill::prepare(&server)?;
        let inbox_id = fill::fill(&mut server, messages)?;
        searches(&server, &inbox_id, messages, place, options.rounds)?;
        lists(&server, &inbox_id, messages, options.rounds)?;
        server.stop().await?;
    }
    Ok(())
}

fn searches(server: &Server, inbox_id: &str, messages: usize, place: usize, rounds: usize) -> Outcome<()> {
    let database = server.database();
    let tables = result_or_skip("ILIKE", database.script(&TABLES.replace("{inbox}", inbox_id)));
    let text = tables.and_then(|()| result_or_skip("rg", Text::of(&database, "bench.plain")));
    let mut dovecot = match messages {
        SMALL => result_or_skip("Dovecot", Dovecot::with_mail_of(&database, inbox_id)),
        _ => None,
    };
    let mut api = server.api()?;
    let mut rows = Vec::new();
    for (name, needle, limits) in NEEDLES {
        let demand = match limits.get(place).copied().flatten() {
            Some(limit) if messages == SMALL => Requirement::UnderOr(limit, 80.0),
            Some(limit) => Requirement::Under(limit),
            None => Requirement::Nothing,
        };
        let row = |peer: &str, demand| ReportRow::new(name, "ms", peer, demand);
        let of_dovecot = if messages == SMALL { "Dovecot SEARCH BODY" } else { "" };
        let is_two = messages == 100_000 && needle == TWO_LETTERS;
        let mut found = [
            row(of_dovecot, demand),
            row("ILIKE without index", Requirement::Nothing),
            row("ILIKE, trigram GIN", Requirement::Nothing),
            row("rg, text in memory", if is_two { Requirement::Within(1.0) } else { Requirement::Nothing }),
        ];
        let path = format!("/v0/inboxes/{inbox_id}/messages/search?q={needle}&limit=50");
        for _ in 0..rounds {
            let [bodies, plain, trigram, memory] = &mut found;
            let theirs = dovecot.as_mut().map(|dovecot| dovecot.find(needle)).transpose()?;
            bodies.add(ours(&mut api, &path), theirs);
            let theirs = tables.map(|()| ilike(&database, "bench.plain", needle)).transpose()?;
            plain.add(ours(&mut api, &path), theirs);
            let theirs = tables.map(|()| ilike(&database, "bench.trigram", needle)).transpose()?;
            trigram.add(ours(&mut api, &path), theirs);
            let theirs = text.as_ref().map(|text| text.find(needle)).transpose()?;
            memory.add(ours(&mut api, &path), theirs);
        }
        rows.extend(found);
    }
    report::print(&format!("search, newest 50 hits, inbox of {messages}"), &rows);
    Ok(())
}

/// Returns our median in milliseconds, infinite if the server fails.
pub(super) fn ours(api: &mut Http, path: &str) -> f64 {
    result_or_skip("a search", api.median_ms(path)).unwrap_or(f64::INFINITY)
}

/// Returns the mean time of PostgreSQL over one second, or of one query if it takes longer.
fn ilike(database: &Database, table: &str, needle: &str) -> Outcome<f64> {
    let select = format!("select id from {table} where search_text ilike '%{needle}%' order by at desc limit 50;\n");
    Ok(pgbench::run(database, &select, 1, 1)?.latency_ms)
}

/// Measures filtered lists and deep pages in comparison with the plain first page.
fn lists(server: &Server, inbox_id: &str, messages: usize, rounds: usize) -> Outcome<()> {
    let mut api = server.api()?;
    let of = |kind: &str| format!("/v0/inboxes/{inbox_id}/{kind}?limit=50");
    let (plain, threads) = (of("messages"), of("threads"));
    let deep = deep_page(&mut api, &plain)?;
    let row = |name: &str, peer: &str| ReportRow::new(name, "ms", peer, Requirement::Within(2.0));
    let mut measured = [
        (format!("{plain}&labels={LABEL}"), &plain, row("messages by a rare label", "plain first page")),
        (deep, &plain, row(&format!("page {DEEP} of 200 messages each, then 50"), "plain first page")),
        (format!("{threads}&assignee=none"), &threads, row("threads without an assignee", "plain first page")),
        (format!("{threads}&assignee=me"), &threads, row("threads with an assignee", "plain first page")),
    ];
    for _ in 0..rounds {
        for (path, beside, row) in &mut measured {
            let plain = api.median_ms(beside)?;
            row.add(api.median_ms(path)?, plain);
        }
    }
    report::print(&format!("lists in an inbox of {messages}"), &measured.map(|(_, _, row)| row));
    Ok(())
}

/// Returns the path of a page far behind the first.
fn deep_page(api: &mut Http, plain: &str) -> Outcome<String> {
    let mut path = plain.replace("limit=50", "limit=200");
    for _ in 1..DEEP {
        path = format!("{}&page_token={}", plain.replace("limit=50", "limit=200"), token(&api.get(&path)?)?);
    }
    Ok(format!("{plain}&page_token={}", token(&api.get(&path)?)?))
}

fn token(page: &Value) -> Outcome<String> {
    Ok(encoded(page["next_page_token"].as_str().ok_or("the list ends too early")?))
}
