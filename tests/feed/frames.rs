//! WebSocket frames and messages, valid and invalid (RFC 6455, sections 5 and 7).

use inboxd_testkit::{ServerFrame, WebSocketClient};
use serde_json::json;

use super::{deliver_mail, event_subject, start_feed};

const FIRST_TEXT: u8 = 0x01;
const CONTINUED: u8 = 0x00;
const LAST: u8 = 0x80;
const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;

/// Creates a subscription of that many bytes.
fn subscription(length: usize) -> Vec<u8> {
    let [head, tail] = [r#"{"type":"subscribe","unknown":""#, r#""}"#];
    format!("{head}{}{tail}", "x".repeat(length - head.len() - tail.len())).into_bytes()
}

async fn closed_with(mut socket: WebSocketClient, code: u16) {
    assert_eq!(socket.read_until_close().await, (code, Vec::new()));
    assert_eq!(socket.next().await, ServerFrame::Disconnected);
}

#[tokio::test]
async fn message_above_64_kib_is_refused() {
    let (_server, agent, _) = start_feed().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    socket.send_frame(TEXT, &subscription(65_536)).await;
    assert_eq!(socket.next_json().await["type"], "subscribed");
    socket.send_frame(TEXT, &subscription(65_537)).await;
    closed_with(socket, 1009).await;
    // The same limit applies to a fragmented message.
    let mut socket = agent.open_socket("/v0").await.unwrap();
    let long = subscription(65_537);
    socket.send_frame(FIRST_TEXT, &long[..40_000]).await;
    socket.send_frame(CONTINUED, &long[40_000..60_000]).await;
    socket.send_frame(LAST, &long[60_000..]).await;
    closed_with(socket, 1009).await;
}

#[tokio::test]
async fn binary_messages_are_refused() {
    let (_server, agent, _) = start_feed().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    socket.send_frame(BINARY, b"{\"type\":\"subscribe\"}").await;
    closed_with(socket, 1003).await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    socket.send_frame(0x02, b"{\"type\":").await;
    closed_with(socket, 1003).await;
}

#[tokio::test]
async fn fragmented_message_may_contain_ping() {
    let (server, agent, _) = start_feed().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    socket.send_frame(FIRST_TEXT, b"{\"type\":\"subs").await;
    socket.send_frame(PING, b"are you there?").await;
    socket.send_frame(CONTINUED, b"cribe\",\"event_types\":").await;
    socket.send_frame(LAST, b"[\"message.received\"]}").await;
    assert_eq!(socket.next().await, ServerFrame::Pong(b"are you there?".to_vec()));
    assert_eq!(socket.next_json().await, json!({"type": "subscribed", "event_types": ["message.received"]}));
    deliver_mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(event_subject(&socket.next_event().await), "second");
}

#[tokio::test]
async fn pipelined_messages_are_answered_in_order() {
    let (_server, agent, _) = start_feed().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    for kind in ["message.sent", "message.flown", "message.received"] {
        socket.send_json(&json!({"type": "subscribe", "event_types": [kind]})).await;
    }
    for kind in ["subscribed", "error", "subscribed"] {
        assert_eq!(socket.next_json().await["type"], kind);
    }
    socket.send_frame(TEXT, b"\xFF\xFE").await;
    assert_eq!(socket.next_json().await["code"], "validation_error");
}

#[tokio::test]
async fn protocol_violations_close_connection() {
    let (_server, agent, _) = start_feed().await;
    // A continuation without a start, a start within a message, and an unknown opcode.
    let broken: [&[u8]; 3] = [&[CONTINUED], &[FIRST_TEXT, FIRST_TEXT], &[0x83]];
    for firsts in broken {
        let mut socket = agent.open_socket("/v0").await.unwrap();
        for first in firsts {
            socket.send_frame(*first, b"x").await;
        }
        closed_with(socket, 1002).await;
    }
}

#[tokio::test]
async fn close_is_answered_with_close() {
    let (_server, agent, _) = start_feed().await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({})).await;
    socket.send_frame(CLOSE, &[&1000u16.to_be_bytes()[..], b"done"].concat()).await;
    assert_eq!(socket.next().await, ServerFrame::Closed(1000, "done".to_owned()));
    assert_eq!(socket.next().await, ServerFrame::Disconnected);
}
