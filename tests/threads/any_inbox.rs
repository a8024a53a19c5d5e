//! `/v0/threads` and `/v0/pods/{pod_id}/threads`: threads of many inboxes.

use inboxd_testkit::{HttpClient, MailBuilder, Persona, TestServer};
use serde_json::json;

use crate::support::{read_pages, server_and_agent, text_fields};

/// An agent with the inbox `desk` in a separate pod, and a mail in each inbox. Returns the pod.
async fn two_pods() -> (TestServer, Persona, String) {
    let (server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    for (inbox, subject) in [(&*agent.inbox_id, "one"), ("desk@inboxd.localhost", "two"), (&*agent.inbox_id, "three")] {
        let mail = MailBuilder::new("Alice <alice@outside.example>", inbox, subject, "Shall we?").attach(
            "a.txt",
            "text/plain",
            b"attached",
        );
        let reply = server.deliver("alice@outside.example", &[inbox], mail.raw()).await;
        assert_eq!(reply.code, 250, "{reply:?}");
    }
    (server, agent, pod)
}

async fn listed_subjects(key: &HttpClient, target: &str) -> Vec<String> {
    text_fields(&key.get(target).await.ok(), "threads", "subject").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn threads_are_listed_across_the_organization_with_every_filter() {
    let (_server, agent, pod) = two_pods().await;
    assert_eq!(read_pages(&agent, "/v0/threads?limit=1", "threads", "subject").await, ["three", "two", "one"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads?ascending=true").await, ["one", "two", "three"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads?inbox_id=desk@inboxd.localhost").await, ["two"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads?subject=TWO").await, ["two"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads?labels=unread&senders=alice").await, ["three", "two", "one"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads?recipients=desk").await, ["two"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads/search?q=shall").await, ["three", "two", "one"]);
    assert_eq!(listed_subjects(&agent, "/v0/threads/search?q=shall&inbox_id=desk@inboxd.localhost").await, ["two"]);
    assert_eq!(agent.get("/v0/threads/search").await.bad_fields(), ["q"]);
    agent.get("/v0/threads?inbox_id=nobody@inboxd.localhost").await.require_error(404, "not_found");
    assert_eq!(listed_subjects(&agent, &format!("/v0/pods/{pod}/threads")).await, ["two"]);
    assert_eq!(listed_subjects(&agent, &format!("/v0/pods/{pod}/threads/search?q=shall")).await, ["two"]);
}

#[tokio::test]
async fn inbox_and_pod_keys_see_only_threads_in_scope() {
    let (_server, agent, pod) = two_pods().await;
    let theirs =
        agent.get("/v0/threads?subject=one").await.ok()["threads"][0]["thread_id"].as_str().unwrap().to_owned();
    let of_pod = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({})).await;
    let of_desk = agent.create_key("/v0/inboxes/desk@inboxd.localhost/api-keys", json!({})).await;
    for key in [&of_pod, &of_desk] {
        assert_eq!(listed_subjects(key, "/v0/threads").await, ["two"]);
        assert_eq!(listed_subjects(key, "/v0/threads/search?q=shall").await, ["two"]);
        for path in [
            format!("/v0/threads/{theirs}"),
            format!("/v0/threads/{theirs}/attachments/att_00000000000000000000000000000000"),
        ] {
            key.get(&path).await.require_error(404, "not_found");
        }
        key.patch(&format!("/v0/threads/{theirs}"), json!({"add_labels": ["x"]})).await.require_error(404, "not_found");
        key.delete(&format!("/v0/threads/{theirs}")).await.require_error(404, "not_found");
    }
    of_desk.get(&format!("/v0/threads?inbox_id={}", agent.inbox_id)).await.require_error(403, "inbox_out_of_scope");
    of_pod.get(&format!("/v0/threads?inbox_id={}", agent.inbox_id)).await.require_error(403, "pod_out_of_scope");
    // For an organization key, the thread of another pod is not below this pod.
    agent.get(&format!("/v0/pods/{pod}/threads/{theirs}")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn thread_is_read_changed_and_deleted_by_id_alone() {
    let (_server, agent, pod) = two_pods().await;
    for (base, subject) in [("/v0/threads".to_owned(), "one"), (format!("/v0/pods/{pod}/threads"), "two")] {
        let item = agent.get(&format!("{base}?subject={subject}")).await.ok()["threads"][0].clone();
        let path = format!("{base}/{}", item["thread_id"].as_str().unwrap());
        let thread = agent.get(&path).await.ok();
        assert_eq!((&thread["count"], &thread["inbox_id"]), (&json!(1), &item["inbox_id"]));
        assert!(thread["messages"][0]["text"].as_str().unwrap().contains("Shall we?"));
        let attachment = thread["attachments"][0]["attachment_id"].as_str().unwrap();
        let link = agent.get(&format!("{path}/attachments/{attachment}")).await.ok();
        assert_eq!((&link["filename"], link.get("download_url").is_some()), (&json!("a.txt"), true));
        let changed = agent.patch(&path, json!({"add_labels": ["seen"], "assignee_id": "me"})).await.ok();
        assert!(changed["labels"].as_array().unwrap().contains(&json!("seen")), "{changed:#}");
        assert_eq!(listed_subjects(&agent, &format!("{base}?assignee=me")).await, [subject]);
        agent.delete(&path).await.require_no_content();
        agent.get(&path).await.require_error(404, "not_found");
    }
}
