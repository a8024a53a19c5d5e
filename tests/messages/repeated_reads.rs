//! Freshness of repeated reads of messages and lists.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{join, join_all};
use inboxd_testkit::{HttpClient, Persona, TestServer};
use serde_json::{Value, json};

use crate::people::{invite, member_path, sign_in};
use crate::support::{receive_all, second_process, server_and_agent};

/// Number of changes while readers look.
const CHANGES: u64 = 80;
/// Number of repetitions, so that responses are revalidated.
const AGAIN: usize = 3;

/// Returns the number in the label `v<number>` of a message.
fn version_label(message: &Value) -> u64 {
    let labels = message["labels"].as_array().unwrap().iter().filter_map(Value::as_str);
    labels.filter_map(|label| label.strip_prefix('v')?.parse().ok()).max().unwrap_or(0)
}

/// Returns the message as read alone and as listed.
async fn read_both(agent: &Persona, path: &str) -> [Value; 2] {
    let (one, list) = (agent.get(path).await.ok(), agent.get(&agent.inbox("/messages?limit=5")).await.ok());
    [one, list["messages"][0].clone()]
}

/// A server with an agent that has one message, a second process on its database, and the path of the message.
async fn two_processes() -> (TestServer, TestServer, Persona, String) {
    let (server, agent) = server_and_agent().await;
    let other = second_process(&server).start().await;
    let path = received_path(&server, &agent).await;
    (server, other, agent, path)
}

/// Delivers a mail to the agent and returns the path of its message.
async fn received_path(server: &TestServer, agent: &Persona) -> String {
    receive_all(server, agent, &["one"]).await;
    agent.message(&agent.message_about("one").await["message_id"], "")
}

/// Requests all paths repeatedly.
async fn read_repeatedly(readers: &[HttpClient], paths: &[&str]) {
    for reader in readers {
        for _ in 0..AGAIN {
            for path in paths {
                reader.get(path).await.ok();
            }
        }
    }
}

#[tokio::test]
async fn change_is_visible_to_every_later_read_in_all_processes() {
    let (_server, other, agent, path) = two_processes().await;
    let elsewhere = agent.at(&other);
    let done = AtomicU64::new(0);
    let change = async {
        for number in 1..=CHANGES {
            let labels = json!({"add_labels": [format!("v{number}")], "remove_labels": [format!("v{}", number - 1)]});
            agent.patch(&path, labels).await.ok();
            done.store(number, Ordering::SeqCst);
        }
    };
    let look = async |agent: &Persona| loop {
        let known = done.load(Ordering::SeqCst);
        for message in read_both(agent, &path).await {
            assert!(version_label(&message) >= known, "{known} was seen by its author: {message:#}");
        }
        if known == CHANGES {
            return;
        }
    };
    let readers = [&agent, &elsewhere, &agent, &elsewhere].map(look);
    join(change, join_all(readers)).await;
}

#[tokio::test]
async fn reader_without_right_is_refused_after_earlier_reads() {
    let (_server, other, agent, path) = two_processes().await;
    let made = agent.post("/v0/api-keys", json!({"name": "lost", "permissions": {"message_read": true}})).await.ok();
    let key = made["api_key"].as_str().unwrap();
    let readers = [agent.with_key(key), agent.at(&other).with_key(key)];
    let list = agent.inbox("/messages");
    read_repeatedly(&readers, &[&path, &list]).await;
    let at = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.patch(&at, json!({"permissions": {"message_read": false}})).await.ok();
    for reader in &readers {
        reader.get(&path).await.require_error(403, "missing_permission");
        reader.get(&list).await.require_error(403, "missing_permission");
    }
    agent.patch(&at, json!({"permissions": {"message_read": true}})).await.ok();
    read_repeatedly(&readers, &[&path, &list]).await;
    agent.delete(&at).await.require_no_content();
    for reader in &readers {
        reader.get(&path).await.require_error(401, "unknown_api_key");
        reader.get(&list).await.require_error(401, "unknown_api_key");
    }
}

#[tokio::test]
async fn new_deleted_and_hidden_mail_is_reflected_immediately() {
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
    agent.delete(&three).await.require_no_content();
    agent.get(&three).await.require_error(404, "not_found");
    agent.delete(&agent.inbox("")).await.require_no_content();
    agent.get(&list).await.require_error(404, "not_found");
}

#[tokio::test]
async fn reads_of_person_follow_current_role_and_inboxes() {
    let (server, agent) = server_and_agent().await;
    let path = received_path(&server, &agent).await;
    let list = agent.inbox("/messages");
    let second = agent.post("/v0/inboxes", json!({"username": "second"})).await.ok()["inbox_id"].clone();
    invite(&agent, "max@example.org", "member", json!([])).await;
    let key = sign_in(&server, "max@example.org", None).await["api_key"].clone();
    // Started after the sign-in: only the log of the process that mails a code has it.
    let other = second_process(&server).start().await;
    let people = [&server, &other].map(|server| server.http().with_key(key.as_str().unwrap()));
    let member = member_path(&agent, "max@example.org").await;
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
    agent.delete(&member).await.require_no_content();
    for person in &people {
        person.get(&path).await.require_error(401, "unknown_api_key");
        person.get(&list).await.require_error(401, "unknown_api_key");
    }
}
