//! Disk space of stored mail: bytes of every table and index beside the bytes of the raw mail.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::fill::WORDS;
use crate::load::mails::{MESSAGE_BYTES, SignedMail};
use crate::load::sessions::{self, Load};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::peers::psql::Database;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// SMTP load, and inboxes of the made messages.
const LOAD: Load = Load { sessions: 32, reconnects: false, lasts: None };
/// Made messages in memory at once.
const PART_MAILS: usize = 10_000;
/// Number of messages of an inbox that may stay unindexed forever.
const MAX_UNINDEXED: usize = 64;
/// Time without changes after which the index counts as complete.
const STABLE_TIME: Duration = Duration::from_secs(15);
/// Tables and indexes with a smaller share of the total have no row of their own.
const MIN_SHARE: f64 = 0.01;
/// Messages in many languages, with HTML and attachments.
const COLLECTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mail/collection");
const SENDER: &str = "sender@bench.example";

/// Bytes of each table without its indexes, and of each index; partitions count as their table.
type Sizes = BTreeMap<String, f64>;

/// Measures the group. Sizes do not drift, so one round is enough.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let collection = collection()?;
    let server = Server::start(options, &[]).await?;
    let before = sizes(&server.database())?;
    let inboxes = [server.inbox_id.clone()];
    sessions::send(server.smtp, &inboxes, &collection, Load { sessions: 1, ..LOAD })?;
    print("disk space of the collection of messages in many languages", &server, &before)?;
    server.stop().await?;

    let mut server = Server::start(options, &[]).await?;
    let inboxes = server.new_inboxes(LOAD.sessions)?;
    let before = sizes(&server.database())?;
    for first in (0..options.mails).step_by(PART_MAILS) {
        let last = options.mails.min(first + PART_MAILS);
        let mails: Vec<SignedMail> = (first..last).map(made).collect();
        sessions::send(server.smtp, &inboxes, &mails, LOAD)?;
    }
    print(&format!("disk space of {} messages of 4 KB in 32 inboxes", options.mails), &server, &before)?;
    server.stop().await
}

/// Prints the growth since `before`, after indexing and VACUUM.
fn print(heading: &str, server: &Server, before: &Sizes) -> Outcome<()> {
    let database = server.database();
    until_indexed(&database)?;
    database.execute("vacuum analyze")?;
    let stored = database.execute("select count(*), sum(size) from messages")?;
    let (mails, raw) = stored.trim().split_once('|').ok_or("the messages cannot be counted")?;
    let (mails, raw): (f64, f64) = (mails.parse()?, raw.parse()?);
    let mut growth = sizes(&database)?;
    for (name, bytes) in &mut growth {
        *bytes -= before.get(name).copied().unwrap_or_default();
    }
    let total: f64 = growth.values().sum();
    let (mut shown, rest): (Vec<_>, Vec<_>) = growth.into_iter().partition(|(_, bytes)| *bytes >= total * MIN_SHARE);
    shown.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let rest: f64 = rest.iter().map(|(_, bytes)| bytes).sum();
    shown.push(("everything else".to_owned(), rest));
    shown.push(("all tables and indexes".to_owned(), total));
    let mut rows = vec![figure("raw mail".to_owned(), "B/mail", raw / mails)];
    rows.extend(shown.into_iter().map(|(name, bytes)| figure(name, "B/mail", bytes / mails)));
    rows.push(figure("all tables and indexes, to the raw mail".to_owned(), "times", total / raw));
    report::print(&format!("{heading} ({mails} messages stored)"), &rows);
    Ok(())
}

/// Returns the row of one figure.
fn figure(name: String, unit: &'static str, value: f64) -> ReportRow {
    let mut row = ReportRow::new(name, unit, "", Requirement::Nothing);
    row.add(value, None);
    row
}

/// Returns the sizes of all tables and indexes. The write-ahead log is no part of them.
fn sizes(database: &Database) -> Outcome<Sizes> {
    let list = database.execute(
        "select case when c.relkind = 'i' then 'index ' else 'table ' end
                || regexp_replace(c.relname, '_(first|from_\\d{8})', ''),
             sum(case when c.relkind = 'i' then pg_relation_size(c.oid) else pg_table_size(c.oid) end)
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') group by 1",
    )?;
    let size = |line: &str| -> Outcome<(String, f64)> {
        let (name, bytes) = line.split_once('|').ok_or_else(|| format!("no size: {line}"))?;
        Ok((name.to_owned(), bytes.parse()?))
    };
    list.lines().map(size).collect()
}

/// Waits until all inboxes are indexed and their segments no longer change.
fn until_indexed(database: &Database) -> Outcome<()> {
    let waiting =
        "select coalesce(max(waiting), 0) from (select count(*) as waiting from search_pending group by inbox_id) each";
    let segments = "select md5(string_agg(segment_id::text, ',' order by segment_id)) from search_segments";
    let mut last = String::new();
    loop {
        sleep(STABLE_TIME);
        let now = database.execute(segments)?;
        if now == last && database.execute(waiting)?.trim().parse::<usize>()? < MAX_UNINDEXED {
            return Ok(());
        }
        last = now;
    }
}

/// Reads the messages of the collection.
fn collection() -> Outcome<Vec<SignedMail>> {
    let mut files = Vec::new();
    find(Path::new(COLLECTION), &mut files)?;
    files.sort();
    files.iter().map(|file| Ok(mail(data(&fs::read(file)?)))).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "eml") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns a message as the content of DATA: lines end with CRLF, a dot at their beginning is doubled (RFC 5321,
/// section 4.5.2).
fn data(raw: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(raw.len() + raw.len() / 32);
    for line in raw.strip_suffix(b"\n").unwrap_or(raw).split(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            content.push(b'.');
        }
        content.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        content.extend_from_slice(b"\r\n");
    }
    content.extend_from_slice(b".\r\n");
    content
}

fn mail(content: Vec<u8>) -> SignedMail {
    SignedMail { sender: SENDER.to_owned(), content, message_id: String::new(), word: String::new() }
}

/// Returns a message of about [`MESSAGE_BYTES`] bytes with words in an order of its own. It has no signature.
fn made(number: usize) -> SignedMail {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut seed = u64::try_from(number).unwrap_or_default();
    let mut word = || {
        // The constants of Knuth (MMIX).
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words.get(usize::try_from(seed >> 33).unwrap_or_default() % words.len()).copied().unwrap_or_default()
    };
    let subject = [word(), word(), word(), word()].join(" ");
    let mut text = format!(
        "From: Sender <sender{}@bench.example>\r\nTo: Agent <agent@bench.example>\r\nSubject: {subject}\r\n\
         Message-ID: <{number}.disk@bench.example>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\n",
        number % 1000
    );
    while text.len() < MESSAGE_BYTES {
        let line: Vec<&str> = (0..14).map(|_| word()).collect();
        text.push_str(&line.join(" "));
        text.push_str(".\r\n");
    }
    text.push_str(".\r\n");
    mail(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_of_data_has_crlf_and_doubled_dots() {
        for raw in [&b"A: b\n\n.c\nd"[..], b"A: b\r\n\r\n.c\r\nd\r\n"] {
            assert_eq!(data(raw), b"A: b\r\n\r\n..c\r\nd\r\n.\r\n");
        }
    }

    #[test]
    fn made_messages_have_their_size_and_differ() {
        let [first, second] = [1, 2].map(|number| made(number).content);
        assert!((MESSAGE_BYTES..MESSAGE_BYTES + 150).contains(&first.len()), "{}", first.len());
        assert_ne!(first.get(1_000..), second.get(1_000..));
    }
}
