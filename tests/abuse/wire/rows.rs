//! Bounds of rows that a tenant can create: drafts, notes, list entries, keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_testkit::{HttpClient, Persona};
use serde_json::{Value, json};

use crate::support::{count, mail_to, options, receive, run_concurrently, server_and_agent};

async fn stored_bytes(agent: &HttpClient) -> u64 {
    agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64().unwrap()
}

async fn draft(agent: &Persona, body: Value) -> Value {
    agent.post(&agent.inbox("/drafts"), body).await.ok()
}

fn draft_path(agent: &Persona, draft: &Value, rest: &str) -> String {
    agent.inbox(&format!("/drafts/{}{rest}", draft["draft_id"].as_str().unwrap()))
}

#[tokio::test]
async fn draft_counts_as_storage_until_it_is_deleted_or_sent() {
    let (server, agent) = server_and_agent().await;
    let before = stored_bytes(&agent).await;
    let file = json!({"filename": "a.bin", "content": STANDARD.encode(vec![7_u8; 300_000])});
    let first = draft(&agent, json!({"text": "x".repeat(100_000), "attachments": [file]})).await;
    let grown = stored_bytes(&agent).await;
    assert_eq!(grown - before, 400_000);

    let attachment = &first["attachments"][0]["attachment_id"];
    let change = json!({"text": "short", "remove_attachments": [attachment]});
    agent.patch(&draft_path(&agent, &first, ""), change).await.ok();
    assert_eq!(stored_bytes(&agent).await - before, 5);
    agent.delete(&draft_path(&agent, &first, "")).await.require_no_content();
    assert_eq!(stored_bytes(&agent).await, before);

    let second = draft(&agent, json!({"to": "bob@outside.example", "text": "y".repeat(50_000)})).await;
    let sent = agent.post(&draft_path(&agent, &second, "/send"), json!({})).await.ok();
    let size = agent.get(&agent.message(&sent["message_id"], "")).await.ok()["size"].as_u64().unwrap();
    assert_eq!(stored_bytes(&agent).await, before + size, "only the message counts");
    drop(server);
}

#[tokio::test]
async fn draft_over_storage_limit_is_refused_unless_it_shrinks() {
    let (server, agent) = server_and_agent().await;
    let kept = draft(&agent, json!({"text": "a long enough text"})).await;
    server.database().execute("UPDATE inbox_usage SET storage_bytes = storage_bytes + 1000000000").await;
    agent.post(&agent.inbox("/drafts"), json!({"text": "one more"})).await.require_error(429, "storage_limit_reached");
    let path = draft_path(&agent, &kept, "");
    agent.patch(&path, json!({"text": "a longer text than it was"})).await.require_error(429, "storage_limit_reached");
    agent.patch(&path, json!({"text": "short"})).await.ok();
    agent.delete(&path).await.require_no_content();
}

#[tokio::test]
async fn note_counts_as_storage_until_its_thread_is_deleted() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let thread = agent.thread(&message["thread_id"], "");
    let before = stored_bytes(&agent).await;
    let note = agent.post(&format!("{thread}/notes"), json!({"text": "n".repeat(10_000)})).await.ok();
    agent.post(&format!("{thread}/notes"), json!({"text": "ten bytes."})).await.ok();
    assert_eq!(stored_bytes(&agent).await - before, 10_010);
    agent.delete(&format!("{thread}/notes/{}", note["note_id"].as_str().unwrap())).await.require_no_content();
    assert_eq!(stored_bytes(&agent).await - before, 10);
    server.database().execute("UPDATE inbox_usage SET storage_bytes = storage_bytes + 1000000000").await;
    agent.post(&format!("{thread}/notes"), json!({"text": "more"})).await.require_error(429, "storage_limit_reached");
    server.database().execute("UPDATE inbox_usage SET storage_bytes = storage_bytes - 1000000000").await;
    agent.delete(&thread).await.require_no_content();
    assert_eq!(stored_bytes(&agent).await, 0);
}

#[tokio::test]
async fn rows_beyond_their_bounds_are_refused_with_remedy() {
    let server = options()
        .set("INBOXD_MAX_DRAFTS", "3")
        .set("INBOXD_MAX_LIST_ENTRIES", "3")
        .set("INBOXD_MAX_API_KEYS", "4")
        .start()
        .await;
    let agent = server.verified("owner@example.org", "scout").await;
    let inbox = agent.inbox("");
    for (path, body, room) in
        [(format!("{inbox}/drafts"), json!({"text": "hi"}), 3), ("/v0/api-keys".to_owned(), json!({}), 3)]
    {
        let calls = (0..10).map(|_| {
            let (agent, path, body) = (agent.clone(), path.clone(), body.clone());
            async move { agent.post(&path, body).await }
        });
        let answers = run_concurrently(calls).await;
        assert_eq!((count(&answers, 200), count(&answers, 429)), (room, 10 - room), "{path}");
        let refusal = agent.post(&path, body).await.require_error(429, "resource_limit_reached");
        assert!(refusal["fix"].as_str().unwrap().contains("DELETE"), "{refusal:#}");
    }
    for (place, list) in ["/v0/lists/send/block", "/v0/lists/receive/allow"].into_iter().enumerate() {
        for number in 0..2 {
            let entry = json!({"entry": format!("a{number}@x{place}.example")});
            let answer = agent.post(list, entry).await;
            if (place, number) == (1, 1) {
                answer.require_error(429, "resource_limit_reached");
            } else {
                answer.ok();
            }
        }
    }
    let listed = agent.get(&format!("{inbox}/drafts")).await.ok();
    agent.delete(&draft_path(&agent, &listed["drafts"][0], "")).await.require_no_content();
    agent.post(&format!("{inbox}/drafts"), json!({"text": "room again"})).await.ok();
}

#[tokio::test]
async fn creations_that_outlive_deletion_have_a_daily_bound() {
    let server = options().set("INBOXD_MAX_DAILY_CREATIONS", "6").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut refused = 0;
    for number in 0..8 {
        let body = json!({"entry": "bob@example.org", "client_id": format!("c{number}")});
        let answer = agent.post("/v0/lists/send/block", body).await;
        if answer.status == 429 {
            let refusal = answer.require_error(429, "resource_limit_reached");
            assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() > 1, "{refusal:#}");
            refused += 1;
        } else {
            answer.ok();
            agent.delete("/v0/lists/send/block/bob@example.org").await.require_no_content();
        }
    }
    assert_eq!(refused, 2);
    agent.post("/v0/api-keys", json!({})).await.require_error(429, "resource_limit_reached");
}

#[tokio::test]
async fn label_history_of_inbox_has_bounded_number_of_events() {
    let server = options().set("INBOXD_MAX_LABEL_EVENTS", "100").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let other = server.verified("neighbour@example.org", "neighbour").await;
    receive(&server, &other, &mail_to(&other, "theirs")).await;
    let theirs = other.message_about("theirs").await;
    other.patch(&other.message(&theirs["message_id"], ""), json!({"add_labels": ["kept"]})).await.ok();
    let labels: Vec<String> = (0..40).map(|number| format!("label-{number}")).collect();
    // The history outlives the messages.
    for subject in ["first", "second"] {
        receive(&server, &agent, &mail_to(&agent, subject)).await;
        let message = agent.message_about(subject).await;
        let path = agent.message(&message["message_id"], "");
        agent.patch(&path, json!({"add_labels": labels})).await.ok();
        agent.patch(&path, json!({"remove_labels": labels})).await.ok();
        agent.patch(&path, json!({"add_labels": [subject]})).await.ok();
        agent.delete(&path).await.require_no_content();
    }
    let history = agent.get(&agent.inbox("/events?limit=200")).await.ok();
    assert_eq!((&history["count"], &history["events"][0]["label"]), (&json!(100), &json!("second")), "{history:#}");
    assert_eq!(other.get(&other.inbox("/events")).await.ok()["count"], 1);
}

#[tokio::test]
async fn pending_invitations_beyond_bound_are_refused_until_one_is_withdrawn() {
    let server = options().set("INBOXD_MAX_PENDING_INVITATIONS", "3").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let invite = |number: usize| {
        let agent = agent.clone();
        async move { agent.post("/v0/members", json!({"email": format!("m{number}@example.org"), "role": "member"})).await }
    };
    let answers = run_concurrently((0..8).map(invite)).await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (3, 5), "the owner has joined");
    let refusal = invite(9).await.require_error(429, "resource_limit_reached");
    assert!(refusal["fix"].as_str().unwrap().contains("DELETE /v0/members"), "{refusal:#}");
    let member = answers.iter().find(|answer| answer.status == 200).unwrap().json();
    agent.delete(&format!("/v0/members/{}", member["member_id"].as_str().unwrap())).await.require_no_content();
    invite(9).await.ok();
}
