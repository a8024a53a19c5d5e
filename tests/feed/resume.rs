//! A WebSocket that goes on behind an event: everything since, in order, none twice, none missed.

use serde_json::json;

use super::{behind, events, id, mail, newest, started};
use crate::support::{receive_all, walk};

#[tokio::test]
async fn every_event_since_is_told_once_and_in_order_whatever_arrives_meanwhile() {
    let (server, agent, first) = started().await;
    let subjects: Vec<String> = (0..120).map(|number| format!("number {number}")).collect();
    let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
    // More than is read at a time lies behind the cursor, and more comes while it is told.
    receive_all(&server, &agent, &subjects[..80]).await;
    let (mut socket, _) = agent.subscribed(json!({"after_event_id": first})).await;
    let arriving = receive_all(&server, &agent, &subjects[80..]);
    let mut told = Vec::new();
    let telling = async {
        while told.len() < subjects.len() {
            told.push(id(&socket.event().await));
        }
    };
    tokio::join!(arriving, telling);
    let table = walk(&agent, &format!("{}&limit=50", behind(&first)), "events", "event_id").await;
    assert_eq!(told, table);
    receive_all(&server, &agent, &["the end"]).await;
    assert_eq!(super::subject(&socket.event().await), "the end");
}

#[tokio::test]
async fn whoever_comes_back_again_and_again_misses_nothing() {
    let (server, agent, first) = started().await;
    let mut last = first.clone();
    let mut told = Vec::new();
    for round in 0..10 {
        let (mut socket, _) = agent.subscribed(json!({"after_event_id": last})).await;
        for number in 0..3 {
            mail(&server, &agent.inbox_id, &format!("{round} {number}")).await;
        }
        // The rest is told to whoever comes next.
        for _ in 0..=(round % 3) {
            last = id(&socket.event().await);
            told.push(last.clone());
        }
    }
    let (mut socket, _) = agent.subscribed(json!({"after_event_id": last})).await;
    while told.len() < 30 {
        told.push(id(&socket.event().await));
    }
    let table: Vec<String> = events(&agent.get(&behind(&first)).await.ok()).iter().map(id).collect();
    assert_eq!(told, table);
    assert_eq!(told.last(), Some(&newest(&agent).await));
}

#[tokio::test]
async fn a_wider_subscription_in_the_middle_of_the_past_leaves_nothing_out() {
    let (server, agent, first) = started().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    for number in 0..40 {
        let inbox = if number % 2 == 0 { agent.inbox_id.as_str() } else { "desk@inboxd.localhost" };
        mail(&server, inbox, &format!("number {number}")).await;
    }
    let (mut socket, _) = agent.subscribed(json!({"after_event_id": first, "inbox_ids": [agent.inbox_id]})).await;
    socket.say(&json!({"type": "subscribe"})).await;
    let mut told = Vec::new();
    let mut is_wide = false;
    loop {
        let said = socket.json().await;
        if said["type"] == "subscribed" {
            is_wide = true;
            continue;
        }
        let number: usize = super::subject(&said).trim_start_matches("number ").parse().unwrap();
        let step = told.last().map_or(1, |last| number - last);
        assert!(step == 1 || (!is_wide && step == 2), "after {told:?} came {number}");
        told.push(number);
        if number == 39 {
            break;
        }
    }
    assert!(is_wide);
}
