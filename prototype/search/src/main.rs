//! Tries the search structure on a database of generated mail; see docs/search.md.
//!
//! search-prototype <address> load <from> <to> [pending]   messages, at once; `pending` notes them as pending
//! search-prototype <address> index                        all that is pending, and merges
//! search-prototype <address> query [rounds]               latencies
//! search-prototype <address> check <messages>             answers against the texts themselves
//! search-prototype <address> receive <seconds> <clients>  off and on in turn

mod index;
mod mail;
mod measure;
mod search;

use std::error::Error;
use std::pin::pin;
use std::time::Instant;

use bytes::Bytes;
use futures_util::SinkExt;
use time::OffsetDateTime;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

pub struct Inbox {
    pub organization_id: Uuid,
    pub inbox_id: String,
}

impl Inbox {
    pub fn first() -> Self {
        Self { organization_id: Uuid::from_u128(1), inbox_id: "agent@inbox.example".to_owned() }
    }
}

pub async fn connect(address: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// The time of a message: a second apart from the next.
pub fn time_of(number: u64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(1_700_000_000 + number as i64).unwrap()
}

pub fn id_of(number: u64) -> String {
    format!("<{:016x}.{number}@mail.sender.example>", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [address, "load", from, to, rest @ ..] => load(address, from.parse()?, to.parse()?, !rest.is_empty()).await,
        [address, "index"] => index(address).await,
        [address, "query"] => measure::queries(address, 30, true).await,
        [address, "query", rounds] => measure::queries(address, rounds.parse()?, true).await,
        [address, "query", rounds, "alone"] => measure::queries(address, rounds.parse()?, false).await,
        [address, "check", messages] => measure::check(address, messages.parse()?).await,
        [address, "receive", seconds, clients] => measure::receiving(address, seconds.parse()?, clients.parse()?).await,
        _ => Err("see the head of main.rs".into()),
    }
}

async fn load(address: &str, from: u64, to: u64, pending: bool) -> Result<(), Box<dyn Error>> {
    let client = connect(address).await?;
    client.batch_execute("SET synchronous_commit = off").await?;
    let words = mail::Words::new();
    let inbox = Inbox::first();
    let organization = inbox.organization_id;
    let mut number = from;
    while number < to {
        let end = (number + 5_000).min(to);
        client.batch_execute("BEGIN").await?;
        copy(&client, "messages (organization_id, inbox_id, message_id, thread_id, labels, hidden, timestamp, from_, to_, cc,
            bcc, reply_to, attachments, references_, size, created_at, updated_at, subject, preview)", (number..end).map(|n| {
            let (id, time) = (id_of(n), time_of(n));
            format!("{organization}\t{}\t{id}\t{}\t{{received,unread}}\t0\t{time}\tAnna <anna@sender.example>\t\
                {{agent@inbox.example}}\t{{}}\t{{}}\t{{}}\t[]\t{{}}\t5000\t{time}\t{time}\tsubject {n}\tpreview of {n}\n",
                inbox.inbox_id, Uuid::from_u128(u128::from(n) << 64))
        })).await?;
        copy(
            &client,
            "message_bodies (organization_id, inbox_id, message_id, headers, search_text, folded_from, folded_to,
            folded_subject, raw)",
            (number..end).map(|n| {
                let text = words.search_text(n).replace('\n', "\\n");
                format!("{organization}\t{}\t{}\t[]\t{text}\t\t{{}}\t\t\n", inbox.inbox_id, id_of(n))
            }),
        )
        .await?;
        if pending {
            copy(
                &client,
                "search_pending",
                (number..end).map(|n| format!("{organization}\t{}\t0\t{}\t{}\n", inbox.inbox_id, time_of(n), id_of(n))),
            )
            .await?;
        }
        client.batch_execute("COMMIT").await?;
        number = end;
    }
    Ok(())
}

async fn copy(client: &Client, into: &str, lines: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let mut sink = pin!(client.copy_in::<_, Bytes>(&format!("COPY {into} FROM STDIN")).await?);
    let mut buffer = String::new();
    for line in lines {
        buffer += &line;
        if buffer.len() > 1 << 20 {
            sink.send(Bytes::from(std::mem::take(&mut buffer))).await?;
        }
    }
    sink.send(Bytes::from(buffer)).await?;
    sink.close().await?;
    Ok(())
}

async fn index(address: &str) -> Result<(), Box<dyn Error>> {
    let mut client = connect(address).await?;
    let inbox = Inbox::first();
    let mut spent = index::Spent::default();
    let (began, mut indexed, mut flushes) = (Instant::now(), 0, 0);
    loop {
        let flushed = index::flush(&mut client, &inbox, 0, &mut spent).await?;
        while index::merge_some(&mut client, &inbox, 0, &mut spent).await? {}
        indexed += flushed;
        if flushes % 10 == 0 {
            index::tidy(&client).await?;
        }
        flushes += 1;
        if flushed == 0 {
            break;
        }
    }
    let each = |time: std::time::Duration, of: usize| time.as_secs_f64() * 1e6 / of.max(1) as f64;
    println!(
        "{indexed} messages in {:.1} s, {:.1} us each: read {:.1}, build {:.1}, write {:.1}; \
        {} merged: read {:.1} us each, merge {:.1}, write {:.1}; longest unit of work {:.0} ms",
        began.elapsed().as_secs_f64(),
        each(began.elapsed(), indexed),
        each(spent.read, indexed),
        each(spent.build, indexed),
        each(spent.write, indexed),
        spent.merged,
        each(spent.merge_read, spent.merged),
        each(spent.merge, spent.merged),
        each(spent.merge_write, spent.merged),
        spent.longest.as_secs_f64() * 1e3
    );
    measure::sizes(&client, indexed).await
}
