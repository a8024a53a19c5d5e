//! Uniform pages in all lists, and uniform responses of all deletions.

use inboxd_testkit::{HttpRequest, MailBuilder, encoded};
use serde_json::{Value, json};

use super::document::{Operation, operations};
use crate::oauth::insert_connection;
use crate::pages::{Stage, item_path};
use crate::people::sign_in_client;
use crate::send_methods::invitation_to;
use crate::support::server;

#[tokio::test]
async fn lists_accept_limit_of_1_to_200_and_only_own_tokens() {
    let server = server().await;
    let stage = Stage::of(&server, "scout").await;
    let of_inboxes = stage.agent.get("/v0/inboxes?limit=1").await.ok()["next_page_token"].clone();
    let of_inboxes = encoded(of_inboxes.as_str().unwrap());
    let object = invitation_to("scout@outside.example", "alice@outside.example")
        .replace("SUMMARY", "RRULE:FREQ=DAILY\r\nSUMMARY");
    let mail = MailBuilder::new("alice@outside.example", "scout@outside.example", "Oak", "Please come.");
    stage.receive(0, &mail.attach("invite.ics", "text/calendar", object.as_bytes())).await;
    let event = stage.agent.get(&stage.inbox(0, "/calendar/events")).await.ok()["events"][0]["event_id"].clone();
    let values: Vec<_> = stage.values().into_iter().chain([("event_id", event.as_str().unwrap())]).collect();
    let mut tried = 0;
    for operation in operations(&server).await {
        if operation.is_open() || !operation.query.iter().any(|parameter| parameter == "page_token") {
            continue;
        }
        let path = operation.target(&values);
        let sought = if operation.path.ends_with("/search") { "q=a&" } else { "" };
        let list = async |query: &str| stage.agent.get(&format!("{path}?{sought}{query}")).await;
        for good in ["", "limit=1", "limit=200"] {
            list(good).await.ok();
        }
        for bad in ["limit=0", "limit=201", "limit=-1", "limit=x"] {
            assert_eq!(list(bad).await.bad_fields(), ["limit"], "{path} {bad}");
        }
        assert_eq!(list("page_token=x").await.bad_fields(), ["page_token"], "{path}");
        assert_eq!(list("limit=201&page_token=x").await.bad_fields(), ["limit", "page_token"], "{path}");
        if path != "/v0/inboxes" {
            let foreign = list(&format!("page_token={of_inboxes}")).await;
            assert_eq!(foreign.bad_fields(), ["page_token"], "{path}: a token of another list");
        }
        tried += 1;
    }
    assert!(tried > 25, "only {tried} lists were tried");
}

#[tokio::test]
async fn deletions_return_204_or_202_and_repetitions_404() {
    let server = server().await;
    let stage = Stage::of(&server, "scout").await;
    let mut tried = 0;
    let owner = sign_in_client(&server, "scout@example.org").await;
    for operation in operations(&server).await.into_iter().filter(|operation| operation.method == "DELETE") {
        if operation.path.ends_with("/policy") {
            let key = stage.agent.post("/v0/api-keys", json!({"name": "bound by a policy"})).await.ok();
            let mut values = stage.values().to_vec();
            values.push(("api_key_id", key["api_key_id"].as_str().unwrap()));
            let path = operation.target(&values);
            owner.call(HttpRequest::new("PUT", &path).json(&json!({}))).await.ok();
            owner.delete(&path).await.require_no_content();
            owner.delete(&path).await.require_error(404, "not_found");
            tried += 1;
            continue;
        }
        if operation.path.ends_with("/calendar/feed") {
            let path = stage.target(&operation.path);
            owner.post(&path, json!({})).await.ok();
            stage.agent.delete(&path).await.require_no_content();
            stage.agent.delete(&path).await.require_error(404, "not_found");
            tried += 1;
            continue;
        }
        let path = create_deletable(&stage, &operation, tried).await;
        if operation.path.ends_with("/calendar/events/{event_id}") {
            // AgentMail answers with the id of the deletion.
            let deleted = stage.agent.delete(&path).await;
            assert_eq!((deleted.status, deleted.json()["deletion_id"].is_string()), (202, true), "{}", deleted.text());
        } else {
            stage.agent.delete(&path).await.require_no_content();
        }
        stage.agent.delete(&path).await.require_error(404, "not_found");
        tried += 1;
    }
    assert!(tried > 15, "only {tried} operations were tried");
}

/// Creates a resource that an operation can delete and returns its path.
async fn create_deletable(stage: &Stage<'_>, operation: &Operation, number: usize) -> String {
    let (collection, parameter) = operation.path.rsplit_once('/').unwrap();
    let collection = stage.target(collection);
    let field = parameter.trim_matches(['{', '}']);
    let name = format!("one{number}");
    let body = match field {
        "file_id" => json!({"path": name, "size": 1, "sha256": "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="}),
        "webhook_id" if collection.ends_with("/polling") => json!({"client_id": name, "event_types": ["message.sent"]}),
        "message_id" | "thread_id" => {
            let mail = MailBuilder::new("alice@outside.example", "scout@outside.example", &name, "hello");
            let message = stage.receive(0, &mail.id(&format!("<{name}@outside.example>"))).await;
            return item_path(&collection, as_text(&message, field));
        }
        "address" => {
            let address = format!("{name}@outside.example");
            stage.receive(0, &MailBuilder::new(&address, "scout@outside.example", &name, "hello")).await;
            return item_path(&collection, &address);
        }
        "connection_id" => {
            let connection_id = insert_connection(stage.server, &stage.agent.organization_id).await;
            return item_path(&collection, &connection_id);
        }
        "inbox_id" => json!({"username": name}),
        "api_key_id" | "pod_id" => json!({"name": name}),
        "member_id" => json!({"email": format!("{name}@example.org"), "role": "member"}),
        "domain_id" => json!({"domain": format!("{name}.example")}),
        "draft_id" => json!({"subject": name}),
        "webhook_id" => json!({"url": format!("https://hooks.example.invalid/{name}")}),
        "note_id" => json!({"text": name}),
        "event_id" => json!({"title": name, "start": "2026-10-15", "end": "2026-10-15", "all_day": true}),
        "entry" => json!({"entry": format!("{name}@outside.example")}),
        _ => panic!("no test creates the resource that {} deletes", operation.path),
    };
    let made = stage.agent.post(&collection, body).await;
    let made = if field == "event_id" { made.json()["event"].clone() } else { made.ok() };
    item_path(&collection, as_text(&made, field))
}

fn as_text<'a>(made: &'a Value, field: &str) -> &'a str {
    made[field].as_str().unwrap_or_else(|| panic!("no {field}: {made:#}"))
}
