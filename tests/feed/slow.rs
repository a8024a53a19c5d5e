//! Slow subscribers: bounded memory in the server, and no missed event.

use inboxd_testkit::{MailBuilder, Persona, ServerFrame, TestServer};
use serde_json::{Value, json};

use super::{event_id, event_subject, path_after, start_feed};
use crate::support::read_pages;

/// Number and size of the mails while no subscriber reads; far more than the connections buffer.
const MAILS: usize = 240;
const BYTES: usize = 100_000;
/// Permitted growth of the server memory in KiB; the unread data of all subscribers is twice as large.
const ROOM: u64 = 112 * 1024;

/// Returns the memory of a process in KiB.
fn resident_kib(server: &TestServer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Delivers large mails over two connections.
async fn flood(server: &TestServer, agent: &Persona, mails: usize) {
    let text = "A long line of a large mail, which many others follow.\n".repeat(BYTES / 55);
    let stream = async |connection: usize| {
        let mut client = server.smtp().await;
        client.ehlo().await;
        for number in 0..mails / 2 {
            let subject = format!("{connection} {number}");
            let mail = MailBuilder::new("alice@outside.example", &agent.inbox_id, &subject, &text).raw();
            client.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.require_code(250, "2");
        }
        client.quit().await;
    };
    tokio::join!(stream(0), stream(1));
}

#[tokio::test]
async fn subscriber_that_stops_reading_is_closed_and_resumes_without_gap() {
    let (server, agent, first) = start_feed().await;
    // The server has processed such mails before the first measurement.
    flood(&server, &agent, 40).await;
    let start = super::newest_event_id(&agent).await;
    let mut readers = Vec::new();
    for _ in 0..5 {
        let (socket, _) = agent.open_subscribed_socket(json!({"after_event_id": start})).await;
        readers.push(socket);
    }
    let before = resident_kib(&server);
    flood(&server, &agent, MAILS).await;
    let grown = resident_kib(&server).saturating_sub(before);
    assert!(grown < ROOM, "the memory has grown by {grown} KiB");

    let table = read_pages(&agent, &format!("{}&limit=100", path_after(&start)), "events", "event_id").await;
    assert_eq!(table.len(), MAILS);
    let mut socket = readers.pop().unwrap();
    let mut told = Vec::new();
    loop {
        match socket.next().await {
            ServerFrame::Json(event) => told.push(event_id(&event)),
            ServerFrame::Closed(code, why) => {
                assert_eq!(code, 1013, "{why}");
                break;
            }
            other => panic!("{other:?} after {} events", told.len()),
        }
    }
    assert!(told.len() < MAILS, "the subscriber was not closed as slow");
    let last: Value = told.last().map_or(json!(start), |last| json!(last));
    let (mut socket, _) = agent.open_subscribed_socket(json!({"after_event_id": last})).await;
    while told.len() < MAILS {
        told.push(event_id(&socket.next_event().await));
    }
    assert_eq!(told, table);
    super::deliver_mail(&server, &agent.inbox_id, "the end").await;
    assert_eq!(event_subject(&socket.next_event().await), "the end");
    assert_ne!(first, start);
}
