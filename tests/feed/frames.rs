//! Frames and messages, right and wrong (RFC 6455, sections 5 and 7).

use inboxd_testkit::{Heard, Socket};
use serde_json::json;

use super::{mail, started, subject};

const FIRST_TEXT: u8 = 0x01;
const CONTINUED: u8 = 0x00;
const LAST: u8 = 0x80;
const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;

/// A subscription that is so many octets long.
fn subscription(length: usize) -> Vec<u8> {
    let [head, tail] = [r#"{"type":"subscribe","unknown":""#, r#""}"#];
    format!("{head}{}{tail}", "x".repeat(length - head.len() - tail.len())).into_bytes()
}

async fn closed_with(mut socket: Socket, code: u16) {
    assert_eq!(socket.closed().await, (code, Vec::new()));
    assert_eq!(socket.next().await, Heard::Gone);
}

#[tokio::test]
async fn a_message_has_at_most_64_kib() {
    let (_server, agent, _) = started().await;
    let mut socket = agent.socket("/v0").await.unwrap();
    socket.frame(TEXT, &subscription(65_536)).await;
    assert_eq!(socket.json().await["type"], "subscribed");
    socket.frame(TEXT, &subscription(65_537)).await;
    closed_with(socket, 1009).await;
    // Nor has one that comes in parts.
    let mut socket = agent.socket("/v0").await.unwrap();
    let long = subscription(65_537);
    socket.frame(FIRST_TEXT, &long[..40_000]).await;
    socket.frame(CONTINUED, &long[40_000..60_000]).await;
    socket.frame(LAST, &long[60_000..]).await;
    closed_with(socket, 1009).await;
}

#[tokio::test]
async fn binary_messages_are_not_understood() {
    let (_server, agent, _) = started().await;
    let mut socket = agent.socket("/v0").await.unwrap();
    socket.frame(BINARY, b"{\"type\":\"subscribe\"}").await;
    closed_with(socket, 1003).await;
    let mut socket = agent.socket("/v0").await.unwrap();
    socket.frame(0x02, b"{\"type\":").await;
    closed_with(socket, 1003).await;
}

#[tokio::test]
async fn a_message_may_come_in_parts_with_a_ping_between() {
    let (server, agent, _) = started().await;
    let mut socket = agent.socket("/v0").await.unwrap();
    socket.frame(FIRST_TEXT, b"{\"type\":\"subs").await;
    socket.frame(PING, b"are you there?").await;
    socket.frame(CONTINUED, b"cribe\",\"event_types\":").await;
    socket.frame(LAST, b"[\"message.received\"]}").await;
    assert_eq!(socket.next().await, Heard::Pong(b"are you there?".to_vec()));
    assert_eq!(socket.json().await, json!({"type": "subscribed", "event_types": ["message.received"]}));
    mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(subject(&socket.event().await), "second");
}

#[tokio::test]
async fn several_messages_at_once_are_answered_one_by_one() {
    let (_server, agent, _) = started().await;
    let mut socket = agent.socket("/v0").await.unwrap();
    for kind in ["message.sent", "message.flown", "message.received"] {
        socket.say(&json!({"type": "subscribe", "event_types": [kind]})).await;
    }
    for kind in ["subscribed", "error", "subscribed"] {
        assert_eq!(socket.json().await["type"], kind);
    }
    socket.frame(TEXT, b"\xFF\xFE").await;
    assert_eq!(socket.json().await["code"], "validation_error");
}

#[tokio::test]
async fn frames_that_break_the_protocol_end_the_connection() {
    let (_server, agent, _) = started().await;
    // Parts without a beginning, a beginning within a message, and an operation that there is not.
    let broken: [&[u8]; 3] = [&[CONTINUED], &[FIRST_TEXT, FIRST_TEXT], &[0x83]];
    for firsts in broken {
        let mut socket = agent.socket("/v0").await.unwrap();
        for first in firsts {
            socket.frame(*first, b"x").await;
        }
        closed_with(socket, 1002).await;
    }
}

#[tokio::test]
async fn a_close_is_answered_with_a_close() {
    let (_server, agent, _) = started().await;
    let (mut socket, _) = agent.subscribed(json!({})).await;
    socket.frame(CLOSE, &[&1000u16.to_be_bytes()[..], b"done"].concat()).await;
    assert_eq!(socket.next().await, Heard::Closed(1000, "done".to_owned()));
    assert_eq!(socket.next().await, Heard::Gone);
}
