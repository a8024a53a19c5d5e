//! Error envelope.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn refusal_has_message_and_fix() {
    let (_server, agent) = server_and_agent().await;
    let envelope = agent.get("/v0/inboxes/nobody@inboxd.localhost").await.require_error(404, "not_found");
    assert_snapshot!(redacted(&envelope), @r#"
    {
      "code": "not_found",
      "docs": "[base_url]/docs/errors#not_found",
      "fix": "list the inboxes with GET /v0/inboxes",
      "message": "no such inbox: nobody@inboxd.localhost",
      "name": "NotFoundError"
    }
    "#);
}

#[tokio::test]
async fn validation_error_names_every_field_in_both_forms() {
    let (_server, agent) = server_and_agent().await;
    let answer = agent.post("/v0/inboxes", json!({"username": "a+b", "client_id": "a b"})).await;
    assert_snapshot!(redacted(&answer.require_error(422, "validation_error")), @r#"
    {
      "code": "validation_error",
      "detail": [
        {
          "loc": [
            "body",
            "client_id"
          ],
          "msg": "a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`",
          "type": "value_error"
        },
        {
          "loc": [
            "body",
            "username"
          ],
          "msg": "a username holds letters a to z, digits, dots, hyphens and underscores only",
          "type": "value_error"
        }
      ],
      "docs": "[base_url]/docs/errors#validation_error",
      "errors": [
        {
          "message": "a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`",
          "path": "client_id"
        },
        {
          "message": "a username holds letters a to z, digits, dots, hyphens and underscores only",
          "path": "username"
        }
      ],
      "fix": "correct client_id, username",
      "message": "client_id: a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`; username: a username holds letters a to z, digits, dots, hyphens and underscores only",
      "name": "ValidationError"
    }
    "#);
}

#[tokio::test]
async fn invalid_types_and_values_are_named_together() {
    let (_server, agent) = server_and_agent().await;
    let answer = agent.post("/v0/inboxes", json!({"username": "a+b", "client_id": 7})).await;
    assert_eq!(answer.bad_fields(), ["client_id", "username"]);
}

#[tokio::test]
async fn detail_loc_is_path_of_field() {
    let (_server, agent) = server_and_agent().await;
    for (path, body, expected) in [
        (agent.inbox("/messages/send"), json!({"to": ["x"], "text": "y"}), json!(["body", "to", 0])),
        (
            agent.inbox("/messages/send"),
            json!({"to": "a@example.org", "attachments": [{"content": "?"}]}),
            json!(["body", "attachments", 0, "content"]),
        ),
        (
            "/v0/api-keys".to_owned(),
            json!({"permissions": {"fly.high": true}}),
            json!(["body", "permissions", "fly.high"]),
        ),
        ("/v0/inboxes".to_owned(), json!([]), json!(["body"])),
    ] {
        let envelope = agent.post(&path, body.clone()).await.require_error(422, "validation_error");
        assert_eq!(envelope["detail"][0]["loc"], expected, "{body}: {envelope:#}");
    }
    let envelope = agent.get("/v0/inboxes?limit=0").await.require_error(422, "validation_error");
    assert_eq!(envelope["detail"][0]["loc"], json!(["query", "limit"]));
}

#[tokio::test]
async fn fix_contains_ids_of_path() {
    let (_server, agent) = server_and_agent().await;
    for (plural, missing) in [("messages", "none@outside.example"), ("threads", "none")] {
        let envelope = agent.get(&agent.inbox(&format!("/{plural}/{missing}"))).await.require_error(404, "not_found");
        assert_eq!(envelope["fix"], format!("list the {plural} with GET {}", agent.inbox(&format!("/{plural}"))));
    }
}
