//! WebSocket resumption after an event: all later events once and in order.

use serde_json::json;

use super::{deliver_mail, event_id, newest_event_id, page_events, path_after, start_feed};
use crate::support::{read_pages, receive_all};

#[tokio::test]
async fn resumed_subscription_receives_every_event_once_in_order() {
    let (server, agent, first) = start_feed().await;
    let subjects: Vec<String> = (0..120).map(|number| format!("number {number}")).collect();
    let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
    // More events than one batch follow the cursor, and more arrive during the replay.
    receive_all(&server, &agent, &subjects[..80]).await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({"after_event_id": first})).await;
    let arriving = receive_all(&server, &agent, &subjects[80..]);
    let mut told = Vec::new();
    let telling = async {
        while told.len() < subjects.len() {
            told.push(event_id(&socket.next_event().await));
        }
    };
    tokio::join!(arriving, telling);
    let table = read_pages(&agent, &format!("{}&limit=50", path_after(&first)), "events", "event_id").await;
    assert_eq!(told, table);
    receive_all(&server, &agent, &["the end"]).await;
    assert_eq!(super::event_subject(&socket.next_event().await), "the end");
}

#[tokio::test]
async fn reconnecting_subscriber_misses_no_event() {
    let (server, agent, first) = start_feed().await;
    let mut last = first.clone();
    let mut told = Vec::new();
    for round in 0..10 {
        let (mut socket, _) = agent.open_subscribed_socket(json!({"after_event_id": last})).await;
        for number in 0..3 {
            deliver_mail(&server, &agent.inbox_id, &format!("{round} {number}")).await;
        }
        // The next connection receives the rest.
        for _ in 0..=(round % 3) {
            last = event_id(&socket.next_event().await);
            told.push(last.clone());
        }
    }
    let (mut socket, _) = agent.open_subscribed_socket(json!({"after_event_id": last})).await;
    while told.len() < 30 {
        told.push(event_id(&socket.next_event().await));
    }
    let table: Vec<String> = page_events(&agent.get(&path_after(&first)).await.ok()).iter().map(event_id).collect();
    assert_eq!(told, table);
    assert_eq!(told.last(), Some(&newest_event_id(&agent).await));
}

#[tokio::test]
async fn wider_subscription_during_replay_misses_no_event() {
    let (server, agent, first) = start_feed().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    for number in 0..40 {
        let inbox = if number % 2 == 0 { agent.inbox_id.as_str() } else { "desk@inboxd.localhost" };
        deliver_mail(&server, inbox, &format!("number {number}")).await;
    }
    let (mut socket, _) =
        agent.open_subscribed_socket(json!({"after_event_id": first, "inbox_ids": [agent.inbox_id]})).await;
    socket.send_json(&json!({"type": "subscribe"})).await;
    let mut told = Vec::new();
    let mut is_wide = false;
    loop {
        let said = socket.next_json().await;
        if said["type"] == "subscribed" {
            is_wide = true;
            continue;
        }
        let number: usize = super::event_subject(&said).trim_start_matches("number ").parse().unwrap();
        let step = told.last().map_or(1, |last| number - last);
        assert!(step == 1 || (!is_wide && step == 2), "after {told:?} came {number}");
        told.push(number);
        if number == 39 {
            break;
        }
    }
    assert!(is_wide);
}
