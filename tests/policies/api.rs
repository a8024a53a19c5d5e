//! `GET`, `PUT` and `DELETE …/policy`.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use super::{owner, put};
use crate::people::invite_and_join;
use crate::support::server_and_agent;

#[tokio::test]
async fn policy_is_stored_read_and_deleted_at_each_scope() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    let default = agent.get("/v0/policy").await.ok();
    assert_eq!((&default["scope"], &default["content"]["secrets"]), (&json!("organization"), &json!("hold")));
    assert_eq!(default["recipients"]["first_contact"], "allow");
    let pod_id = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = agent.post("/v0/api-keys", json!({"name": "agent"})).await.ok();
    let key_id = key["api_key_id"].as_str().unwrap();
    let policy = json!({
        "applies_to": "everyone",
        "recipients": {"known": "allow", "first_contact": "hold", "allow": ["Friends.example"], "hold": [], "refuse": ["eve@x.example"]},
        "amount": {"per_hour": 10, "per_recipient_hour": 2, "beyond": "hold"},
        "content": {"attachments": "hold", "links": "allow", "secrets": "refuse", "received_codes": "refuse"},
        "hours": {"zone": "Europe/Berlin", "days": ["mon", "fri"], "from": "09:00", "until": "17:30", "outside": "hold"},
    });
    let targets = [
        ("/v0/policy".to_owned(), "organization"),
        (format!("/v0/pods/{pod_id}/policy"), "pod"),
        (agent.inbox("/policy"), "inbox"),
        (format!("/v0/api-keys/{key_id}/policy"), "api_key"),
    ];
    for (target, scope) in &targets {
        let stored = put(&person, target, &policy).await.ok();
        for (name, value) in policy.as_object().unwrap() {
            if name != "recipients" {
                assert_eq!(stored[name], *value, "{target} {name}");
            }
        }
        assert_eq!(stored["recipients"]["allow"], json!(["friends.example"]), "entries are stored in lower case");
        assert_eq!((&stored["scope"], &stored["updated_by"]["email"]), (&json!(scope), &json!("owner@example.org")));
        assert_eq!(agent.get(target).await.ok(), stored);
    }
    for (target, _) in &targets {
        assert_eq!(person.delete(target).await.status, 204);
        person.delete(target).await.require_error(404, "not_found");
        person.get(target).await.require_error(404, "not_found");
    }
}

#[tokio::test]
async fn only_administrators_change_policies() {
    let (server, agent) = server_and_agent().await;
    let member = invite_and_join(&server, &agent, "maria@example.org", "member", json!(null)).await;
    let admin = invite_and_join(&server, &agent, "ben@example.org", "admin", json!(null)).await;
    for caller in [&*agent, &member] {
        put(caller, "/v0/policy", &json!({})).await.require_error(403, "role_not_allowed");
        caller.delete("/v0/policy").await.require_error(403, "role_not_allowed");
        caller.get("/v0/policy").await.ok();
    }
    put(&admin, "/v0/policy", &json!({})).await.ok();
    let own = admin.get("/v0/auth/me").await.ok();
    if let Some(key) = own["api_key_id"].as_str() {
        assert_eq!(put(&admin, &format!("/v0/api-keys/{key}/policy"), &json!({})).await.status, 422);
    }
}

#[tokio::test]
async fn invalid_policies_are_named_by_their_fields() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    for (policy, fields) in [
        (json!({"applies_to": "robots"}), vec!["applies_to"]),
        (json!({"content": {"atachments": "hold"}}), vec!["content"]),
        (json!({"content": {"secrets": "never"}}), vec!["content"]),
        (
            json!({"recipients": {"allow": ["no body"], "refuse": ["a@b.example", "@"]}}),
            vec!["recipients.allow[0]", "recipients.refuse[1]"],
        ),
        (json!({"amount": {"per_hour": 0}}), vec!["amount.per_hour"]),
        (
            json!({"hours": {"zone": "Moon/Base", "days": [], "from": "09:00", "until": "17:00"}}),
            vec!["hours.days", "hours.zone"],
        ),
        (json!({"hours": {"zone": "UTC", "days": ["mon"], "from": "9", "until": "17:00"}}), vec!["hours.from"]),
    ] {
        let response = person.call(HttpRequest::new("PUT", "/v0/policy").json(&policy)).await;
        assert_eq!(response.bad_fields(), fields, "{policy}");
    }
    assert_eq!(agent.get("/v0/policy").await.ok()["content"]["secrets"], "hold", "nothing was stored");
}

#[tokio::test]
async fn policy_of_the_organization_is_read_with_keys_of_the_organization_alone() {
    let (_server, agent) = server_and_agent().await;
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "of an inbox"})).await;
    key.get("/v0/policy").await.require_error(403, "inbox_out_of_scope");
    key.get(&agent.inbox("/policy")).await.require_error(404, "not_found");
    agent.get("/v0/policy").await.ok();
}
