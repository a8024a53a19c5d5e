//! A reader who stops reading costs the server nothing that grows, and misses nothing.

use inboxd_testkit::{Heard, Mail, Persona, Server};
use serde_json::{Value, json};

use super::{behind, id, started, subject};
use crate::support::walk;

/// How many mails come while nobody reads, and how large each is: far more than connections hold.
const MAILS: usize = 340;
const OCTETS: usize = 100_000;
/// By how many KiB the memory of the server may grow meanwhile; what the readers have not read is several times as much.
const ROOM: u64 = 112 * 1024;

/// The memory that a process has now, in KiB.
fn resident(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Delivers large mails over two connections.
async fn flood(server: &Server, agent: &Persona, mails: usize) {
    let text = "A long line of a large mail, which many others follow.\n".repeat(OCTETS / 55);
    let stream = async |connection: usize| {
        let mut client = server.smtp().await;
        client.ehlo().await;
        for number in 0..mails / 2 {
            let subject = format!("{connection} {number}");
            let mail = Mail::new("alice@outside.example", &agent.inbox_id, &subject, &text).raw();
            client.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.is(250, "2");
        }
        client.quit().await;
    };
    tokio::join!(stream(0), stream(1));
}

#[tokio::test]
async fn a_reader_who_stops_reading_is_closed_and_goes_on_without_a_gap() {
    let (server, agent, first) = started().await;
    // The server has seen such mails before it is measured.
    flood(&server, &agent, 40).await;
    let start = super::newest(&agent).await;
    let mut readers = Vec::new();
    for _ in 0..5 {
        let (socket, _) = agent.subscribed(json!({"after_event_id": start})).await;
        readers.push(socket);
    }
    let before = resident(&server);
    flood(&server, &agent, MAILS).await;
    let grown = resident(&server).saturating_sub(before);
    assert!(grown < ROOM, "the memory has grown by {grown} KiB");

    let table = walk(&agent, &format!("{}&limit=100", behind(&start)), "events", "event_id").await;
    assert_eq!(table.len(), MAILS);
    let mut socket = readers.pop().unwrap();
    let mut told = Vec::new();
    loop {
        match socket.next().await {
            Heard::Json(event) => told.push(id(&event)),
            Heard::Closed(code, why) => {
                assert_eq!(code, 1013, "{why}");
                break;
            }
            other => panic!("{other:?} after {} events", told.len()),
        }
    }
    assert!(told.len() < MAILS, "it was not slow");
    let last: Value = told.last().map_or(json!(start), |last| json!(last));
    let (mut socket, _) = agent.subscribed(json!({"after_event_id": last})).await;
    while told.len() < MAILS {
        told.push(id(&socket.event().await));
    }
    assert_eq!(told, table);
    super::mail(&server, &agent.inbox_id, "the end").await;
    assert_eq!(subject(&socket.event().await), "the end");
    assert_ne!(first, start);
}
