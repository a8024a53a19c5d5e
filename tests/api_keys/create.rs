//! `POST /v0/api-keys`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn new_key_shows_plaintext_once() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "laptop"})).await.ok();
    let plaintext = made["api_key"].as_str().unwrap().to_owned();
    assert!(plaintext.starts_with("am_"), "{plaintext}");
    let prefix = made["prefix"].as_str().unwrap();
    assert_eq!((prefix.len(), plaintext.starts_with(prefix)), (12, true), "{made:#}");
    let mut shape = made.clone();
    shape["prefix"] = json!("[prefix]");
    assert_snapshot!(redacted(&shape), @r#"
    {
      "api_key": "[am_… of 46]",
      "api_key_id": "[key_…]",
      "created_at": "[time]",
      "name": "laptop",
      "prefix": "[prefix]",
      "status": "active",
      "type": "bearer",
      "updated_at": "[time]"
    }
    "#);

    let id = made["api_key_id"].as_str().unwrap();
    let got = agent.get(&format!("/v0/api-keys/{id}")).await.ok();
    assert!(got.get("api_key").is_none(), "{got:#}");
    assert!(!agent.get("/v0/api-keys").await.text().contains(&plaintext));
}

#[tokio::test]
async fn key_without_name_has_default_name() {
    let (_server, agent) = server_and_agent().await;
    for body in [json!({}), json!({"name": null})] {
        for path in ["/v0/api-keys".to_owned(), agent.inbox("/api-keys")] {
            assert_eq!(agent.post(&path, body.clone()).await.ok()["name"], "API key", "{path}: {body}");
        }
    }
}

#[tokio::test]
async fn key_of_an_inbox_names_its_inbox_and_pod() {
    let (_server, agent) = server_and_agent().await;
    let body =
        json!({"name": "reader", "permissions": {"message_read": true}, "expires_at": "2999-01-01T00:00:00+01:00"});
    let made = agent.post(&agent.inbox("/api-keys"), body).await.ok();
    let mut shape = made.clone();
    shape["prefix"] = json!("[prefix]");
    assert_eq!(shape["expires_at"], "2998-12-31T23:00:00.000Z");
    assert_snapshot!(redacted(&shape), @r#"
    {
      "api_key": "[am_… of 46]",
      "api_key_id": "[key_…]",
      "created_at": "[time]",
      "expires_at": "[time]",
      "inbox_id": "scout@signup.inboxd.localhost",
      "name": "reader",
      "permissions": {
        "message_read": true
      },
      "pod_id": "[pod_…]",
      "prefix": "[prefix]",
      "status": "active",
      "type": "bearer",
      "updated_at": "[time]"
    }
    "#);
}

#[tokio::test]
async fn invalid_fields_are_all_named() {
    let (_server, agent) = server_and_agent().await;
    let table = [
        (json!({"name": ""}), vec!["name"]),
        (json!({"name": "x".repeat(201)}), vec!["name"]),
        (json!({"name": 7, "permissions": [], "expires_at": "tomorrow"}), vec!["expires_at", "name", "permissions"]),
        (json!({"name": "late", "expires_at": "2020-01-01T00:00:00Z"}), vec!["expires_at"]),
        (json!({"name": "odd", "permissions": {"fly": true}}), vec!["permissions.fly"]),
    ];
    for (body, fields) in table {
        assert_eq!(agent.post("/v0/api-keys", body.clone()).await.bad_fields(), fields, "{body}");
    }
}

#[tokio::test]
async fn sdk_only_permission_names_are_stored_without_effect() {
    let (_server, agent) = server_and_agent().await;
    let permissions = json!({"message_read": true, "message_reply": true, "calendar_read": false});
    let body = json!({"name": "sdk", "permissions": permissions});
    let made = agent.post("/v0/api-keys", body).await.ok();
    assert_eq!(made["permissions"], permissions);
}

#[tokio::test]
async fn unsupported_key_type_is_refused() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = json!({"kty": "EC", "crv": "P-256", "x": "eA", "y": "eQ"});
    for path in ["/v0/api-keys".to_owned(), agent.inbox("/api-keys"), format!("/v0/pods/{pod}/api-keys")] {
        let before = agent.get("/v0/api-keys").await.ok()["count"].clone();
        for kind in [json!("public_key"), json!("bogus"), json!(""), json!(7)] {
            let body = json!({"type": kind, "name": "pk", "public_key": key});
            agent.post(&path, body).await.require_error(422, "unsupported_field");
            assert_eq!(agent.post(&path, json!({"type": kind})).await.bad_fields(), ["type"], "{path}: {kind}");
        }
        assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], before, "{path}: a key was created");
        for kind in [json!("bearer"), json!(null)] {
            let made = agent.post(&path, json!({"type": kind, "name": "plain"})).await.ok();
            assert_eq!(made["type"], "bearer", "{path}: {kind}");
        }
    }
}
