//! Receiving with and without concurrent search indexing.
//!
//! Indexing cannot be disabled: a message is findable at its 250 in any case. An indexer holds an advisory lock of its
//! inbox and skips inboxes with a foreign lock. The benchmark holds these locks, so the server stores messages without
//! indexing them.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::load::mails::{self, Pool};
use crate::load::sessions::{self, Load, LoadResult};
use crate::options::Options;
use crate::outcome::{Outcome, ms};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages, more than one measurement sends.
const MAILS: usize = 24_000;
/// SMTP load.
const LOAD: Load = Load { sessions: 8, reconnects: false, lasts: Some(Duration::from_secs(5)) };
/// Lock keys of flushing and merging an inbox (`crates/postgres/src/search`).
const LOCK_KINDS: [u8; 2] = [1, 2];
/// Number of messages of an inbox that may stay unindexed forever.
const MAX_UNINDEXED: usize = 64;
/// Limit for indexing after the last message.
const INDEX_TIMEOUT: Duration = Duration::from_mins(5);

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    let mut server = Server::start(options, &[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
    let inboxes = [(LOAD.sessions, "an inbox each"), (1, "one inbox")];
    let mut rows = inboxes.map(|(_, to)| {
        let row =
            |what: &str, unit, peer, demand| ReportRow::new(format!("8 sessions, {to}, {what}"), unit, peer, demand);
        [
            row("the index kept", "mails/s", "not kept", Requirement::Times(0.85)),
            row("longest time without a 250", "ms", "not kept", Requirement::Under(100.0)),
            row("until all of them are indexed", "s", "", Requirement::Nothing),
        ]
    });
    for _ in 0..options.rounds {
        for ((count, _), [rate, stall, rest]) in inboxes.iter().zip(&mut rows) {
            let without = not_indexed(&mut server, &pool, *count)?;
            let (with, took) = indexed(&mut server, &pool, *count)?;
            rate.add(with.rate, without.rate);
            stall.add(ms(with.stall), ms(without.stall));
            rest.add(took.as_secs_f64(), None);
        }
    }
    report::print("receiving while the index of searches is kept", rows.as_flattened());
    server.stop().await
}

fn not_indexed(server: &mut Server, pool: &Pool, inboxes: usize) -> Outcome<LoadResult> {
    let recipients = server.new_inboxes(inboxes)?;
    let locks = recipients.iter().flat_map(|inbox_id| {
        LOCK_KINDS.map(|work| format!("select pg_advisory_lock(hashtextextended('{inbox_id}', {work}));"))
    });
    let _held = server.database().holding(&locks.collect::<String>())?;
    sessions::send(server.smtp, &recipients, &pool.mails, LOAD)
}

/// Returns the sent messages, and the time from the last 250 until all are indexed.
fn indexed(server: &mut Server, pool: &Pool, inboxes: usize) -> Outcome<(LoadResult, Duration)> {
    let recipients = server.new_inboxes(inboxes)?;
    let sent = sessions::send(server.smtp, &recipients, &pool.mails, LOAD)?;
    let began = Instant::now();
    let last = sent.last / pool.mails.len().div_ceil(LOAD.sessions);
    if let (Some(inbox_id), Some(mail)) = (recipients.get(last % recipients.len()), pool.mails.get(sent.last)) {
        server.check(inbox_id, mail)?;
    }
    let waiting = format!(
        "select coalesce(max(waiting), 0) from (select count(*) as waiting from search_pending
         where inbox_id in ('{}') group by inbox_id) each",
        recipients.join("', '")
    );
    while server.database().execute(&waiting)?.trim().parse::<usize>()? >= MAX_UNINDEXED {
        if began.elapsed() > INDEX_TIMEOUT {
            return Err("indexing does not come to its end".into());
        }
        sleep(Duration::from_millis(50));
    }
    Ok((sent, began.elapsed()))
}
