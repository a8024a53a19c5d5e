//! Messages and lists that are asked for again and again: every answer is as new as its request.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{join, join_all};
use inboxd_testkit::{Http, Persona, Server};
use serde_json::{Value, json};

use crate::people::{invited, path_of, signed_in};
use crate::support::{beside, receive_all, server_and_agent};

/// How often something is asked for, so that it is answered again.
const AGAIN: usize = 3;

/// The number in the label `v<number>` of a message.
fn version(message: &Value) -> u64 {
    let labels = message["labels"].as_array().unwrap().iter().filter_map(Value::as_str);
    labels.filter_map(|label| label.strip_prefix('v')?.parse().ok()).max().unwrap_or(0)
}

/// The message as it is shown alone, and in the list.
async fn shown(agent: &Persona, path: &str) -> [Value; 2] {
    let (one, list) = (agent.get(path).await.ok(), agent.get(&agent.inbox("/messages?limit=5")).await.ok());
    [one, list["messages"][0].clone()]
}

/// A server with an agent who has one message, another process on its database, and the path of the message.
async fn two_processes() -> (Server, Server, Persona, String) {
    let (server, agent) = server_and_agent().await;
    let other = beside(&server).start().await;
    receive_all(&server, &agent, &["one"]).await;
    let path = agent.message(&agent.message_about("one").await["message_id"], "");
    (server, other, agent, path)
}

/// Asks for all of these until they are answered again.
async fn ask_again(readers: &[Http], paths: &[&str]) {
    for reader in readers {
        for _ in 0..AGAIN {
            for path in paths {
                reader.get(path).await.ok();
            }
        }
    }
}

#[tokio::test]
async fn every_change_is_seen_by_whoever_asks_after_it_in_every_process() {
    let (_server, other, agent, path) = two_processes().await;
    let elsewhere = agent.at(&other);
    let done = AtomicU64::new(0);
    let change = async {
        for number in 1..=200 {
            let labels = json!({"add_labels": [format!("v{number}")], "remove_labels": [format!("v{}", number - 1)]});
            agent.patch(&path, labels).await.ok();
            done.store(number, Ordering::SeqCst);
        }
    };
    let look = async |agent: &Persona| loop {
        let known = done.load(Ordering::SeqCst);
        for message in shown(agent, &path).await {
            assert!(version(&message) >= known, "{known} was seen by whoever changed it: {message:#}");
        }
        if known == 200 {
            return;
        }
    };
    let readers = [&agent, &elsewhere, &agent, &elsewhere].map(look);
    join(change, join_all(readers)).await;
}

#[tokio::test]
async fn whoever_has_lost_their_right_is_refused_whatever_they_asked_before() {
    let (_server, other, agent, path) = two_processes().await;
    let made = agent.post("/v0/api-keys", json!({"name": "lost", "permissions": {"message_read": true}})).await.ok();
    let key = made["api_key"].as_str().unwrap();
    let readers = [agent.with_key(key), agent.at(&other).with_key(key)];
    let list = agent.inbox("/messages");
    ask_again(&readers, &[&path, &list]).await;
    let at = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.patch(&at, json!({"permissions": {"message_read": false}})).await.ok();
    for reader in &readers {
        reader.get(&path).await.refused(403, "missing_permission");
        reader.get(&list).await.refused(403, "missing_permission");
    }
    agent.patch(&at, json!({"permissions": {"message_read": true}})).await.ok();
    ask_again(&readers, &[&path, &list]).await;
    agent.delete(&at).await.gone();
    for reader in &readers {
        reader.get(&path).await.refused(401, "unknown_api_key");
        reader.get(&list).await.refused(401, "unknown_api_key");
    }
}

#[tokio::test]
async fn mail_that_comes_goes_or_is_hidden_is_seen_at_once() {
    let (server, agent) = server_and_agent().await;
    let list = agent.inbox("/messages?limit=2");
    let subjects = async || {
        let mut page = Value::Null;
        for _ in 0..AGAIN {
            page = agent.get(&list).await.ok();
        }
        let subject = |message: &Value| message["subject"].as_str().unwrap().to_owned();
        let found: Vec<String> = page["messages"].as_array().unwrap().iter().map(subject).collect();
        (found, page["next_page_token"].is_string())
    };
    assert_eq!(subjects().await, (vec![], false));
    receive_all(&server, &agent, &["one", "two"]).await;
    assert_eq!(subjects().await, (vec!["two".to_owned(), "one".to_owned()], false));
    receive_all(&server, &agent, &["three"]).await;
    assert_eq!(subjects().await, (vec!["three".to_owned(), "two".to_owned()], true));
    let three = agent.message(&agent.message_about("three").await["message_id"], "");
    for _ in 0..AGAIN {
        agent.get(&three).await.ok();
    }
    agent.patch(&three, json!({"add_labels": ["trash"]})).await.ok();
    assert_eq!(subjects().await, (vec!["two".to_owned(), "one".to_owned()], false));
    agent.delete(&three).await.gone();
    agent.get(&three).await.refused(404, "not_found");
    agent.delete(&agent.inbox("")).await.gone();
    agent.get(&list).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_person_sees_no_more_than_their_role_and_inboxes_let_them_at_that_moment() {
    let (server, other, agent, path) = two_processes().await;
    let list = agent.inbox("/messages");
    let second = agent.post("/v0/inboxes", json!({"username": "second"})).await.ok()["inbox_id"].clone();
    invited(&agent, "max@example.org", "member", json!([])).await;
    let key = signed_in(&server, "max@example.org", None).await["api_key"].clone();
    let people = [&server, &other].map(|server| server.http().with_key(key.as_str().unwrap()));
    let member = path_of(&agent, "max@example.org").await;
    for (inboxes, status) in [(json!([agent.inbox_id]), 200), (json!([second]), 403), (json!([]), 200)] {
        agent.patch(&member, json!({"inbox_ids": inboxes})).await.ok();
        for person in &people {
            for uri in [&path, &list] {
                for _ in 0..AGAIN {
                    assert_eq!(person.get(uri).await.status, status, "{inboxes}");
                }
            }
        }
    }
    agent.delete(&member).await.gone();
    for person in &people {
        person.get(&path).await.refused(401, "unknown_api_key");
        person.get(&list).await.refused(401, "unknown_api_key");
    }
}
