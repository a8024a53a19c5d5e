//! `POST /v0/inboxes`.

use inboxd_testkit::{HttpRequest, redacted};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{run_concurrently, server_and_agent};

#[tokio::test]
async fn inbox_id_is_its_address() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({
        "username": "Support.Desk",
        "domain": null,
        "display_name": "The support desk",
        "client_id": "desk-1",
        "metadata": {"customer": "acme", "seats": 4, "trial": true},
    });
    let made = agent.post("/v0/inboxes", body).await.ok();
    assert_snapshot!(redacted(&made), @r#"
    {
      "client_id": "desk-1",
      "created_at": "[time]",
      "display_name": "The support desk",
      "domain": "inboxd.localhost",
      "email": "support.desk@inboxd.localhost",
      "inbox_id": "support.desk@inboxd.localhost",
      "metadata": {
        "customer": "acme",
        "seats": 4,
        "trial": true
      },
      "pod_id": "[pod_…]",
      "status": "active",
      "updated_at": "[time]",
      "username": "support.desk"
    }
    "#);
    assert_eq!(agent.get("/v0/inboxes/SUPPORT.desk@Inboxd.localhost").await.ok(), made);
}

#[tokio::test]
async fn missing_body_generates_username() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.call(HttpRequest::new("POST", "/v0/inboxes")).await.ok();
    let username = made["username"].as_str().unwrap();
    assert!(username.len() >= 8 && username.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{made:#}");
    assert_eq!(made["email"], format!("{username}@inboxd.localhost"));
    assert_eq!(made["inbox_id"], made["email"]);
    agent.post("/v0/inboxes", json!({})).await.ok();
}

#[tokio::test]
async fn repeated_client_id_returns_same_inbox() {
    let (_server, agent) = server_and_agent().await;
    let first = agent.post("/v0/inboxes", json!({"client_id": "a", "username": "first"})).await.ok();
    let again = agent.post("/v0/inboxes", json!({"client_id": "a"})).await.ok();
    assert_eq!(first, again);
    assert_eq!(agent.get("/v0/inboxes").await.ok()["count"], 2);
}

#[tokio::test]
async fn concurrent_equal_client_ids_create_one_inbox() {
    let (_server, agent) = server_and_agent().await;
    let answers = run_concurrently((0..30).map(|_| {
        let agent = agent.clone();
        async move { agent.post("/v0/inboxes", json!({"client_id": "a"})).await }
    }))
    .await;
    let ids: std::collections::BTreeSet<String> =
        answers.iter().map(|answer| answer.ok()["inbox_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(agent.get("/v0/inboxes").await.ok()["count"], 2);
}

#[tokio::test]
async fn client_id_of_deleted_inbox_conflicts() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"client_id": "a", "username": "first"})).await.ok();
    agent.delete("/v0/inboxes/first@inboxd.localhost").await.require_no_content();
    agent.post("/v0/inboxes", json!({"client_id": "a"})).await.require_error(409, "conflict");
}

#[tokio::test]
async fn client_id_is_unique_within_organization_only() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    let one = agent.post("/v0/inboxes", json!({"client_id": "a"})).await.ok();
    let two = other.post("/v0/inboxes", json!({"client_id": "a"})).await.ok();
    assert_ne!(one["inbox_id"], two["inbox_id"]);
}

#[tokio::test]
async fn address_in_use_is_refused() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    other.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    agent.post("/v0/inboxes", json!({"username": "Desk"})).await.require_error(409, "address_taken");
}

#[tokio::test]
async fn foreign_domain_is_refused() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"username": "desk", "domain": "example.org"});
    agent.post("/v0/inboxes", body).await.require_error(403, "domain_not_verified");
    agent.post("/v0/inboxes", json!({"username": "desk", "domain": "INBOXD.localhost"})).await.ok();
}

#[tokio::test]
async fn invalid_fields_are_all_named() {
    let (_server, agent) = server_and_agent().await;
    let pairs: serde_json::Map<String, Value> = (0..257).map(|number| (number.to_string(), json!(true))).collect();
    let table = [
        (
            json!({"username": "a+b", "client_id": "a b", "display_name": ""}),
            vec!["client_id", "display_name", "username"],
        ),
        (json!({"username": "abuse"}), vec!["username"]),
        (json!({"display_name": "two\r\nlines"}), vec!["display_name"]),
        (json!({"metadata": pairs}), vec!["metadata"]),
        (json!({"username": 1, "domain": 2}), vec!["domain", "username"]),
        (json!({"metadata": "text"}), vec!["metadata"]),
    ];
    for (body, fields) in table {
        assert_eq!(agent.post("/v0/inboxes", body.clone()).await.bad_fields(), fields, "{body}");
    }
    assert_eq!(agent.get("/v0/inboxes").await.ok()["count"], 1, "an inbox was created");
}

#[tokio::test]
async fn client_id_is_separate_for_each_resource_kind() {
    let (_server, agent) = server_and_agent().await;
    let kinds = [
        ("/v0/inboxes".to_owned(), json!({}), "inbox_id"),
        ("/v0/pods".to_owned(), json!({}), "pod_id"),
        ("/v0/domains".to_owned(), json!({"domain": "example.net"}), "domain_id"),
        ("/v0/members".to_owned(), json!({"email": "maria@example.org", "role": "member"}), "member_id"),
        (agent.inbox("/drafts"), json!({"subject": "hello"}), "draft_id"),
    ];
    for (path, mut body, id) in kinds {
        body["client_id"] = json!("one");
        let first = agent.post(&path, body.clone()).await.ok();
        assert!(first[id].is_string(), "{first:#}");
        assert_eq!(agent.post(&path, body).await.ok()[id], first[id], "{path}");
    }
    let organization = agent.get("/v0/organizations").await.ok();
    let counts = ["inbox_count", "pod_count", "domain_count"].map(|count| organization[count].as_u64());
    assert_eq!(counts, [Some(2), Some(2), Some(1)], "the first inbox and the default pod, and one new of each");
}
