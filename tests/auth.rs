//! `/v0/auth`: identity of a key.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{invite, member_path, sign_in_client};
use crate::support::{server, server_and_agent};

#[tokio::test]
async fn sign_up_key_has_organization_scope() {
    let (_server, agent) = server_and_agent().await;
    let me = agent.get("/v0/auth/me").await.ok();
    assert_snapshot!(redacted(&me), @r#"
    {
      "api_key_id": "[key_…]",
      "organization_id": "[org_…]",
      "organizations": [
        {
          "organization_id": "[org_…]",
          "role": "owner"
        }
      ],
      "scope_id": "[org_…]",
      "scope_type": "organization"
    }
    "#);
    assert_eq!(me["scope_id"], agent.organization_id);
}

#[tokio::test]
async fn inbox_key_has_inbox_scope() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"name": "reader", "permissions": {"message_read": true}});
    let key = agent.create_key(&agent.inbox("/api-keys"), body).await;
    assert_snapshot!(redacted(&key.get("/v0/auth/me").await.ok()), @r#"
    {
      "api_key_id": "[key_…]",
      "inbox_id": "scout@signup.inboxd.localhost",
      "organization_id": "[org_…]",
      "organizations": [
        {
          "organization_id": "[org_…]",
          "role": "member"
        }
      ],
      "permissions": {
        "message_read": true
      },
      "pod_id": "[pod_…]",
      "scope_id": "scout@signup.inboxd.localhost",
      "scope_type": "inbox"
    }
    "#);
}

#[tokio::test]
async fn pod_key_has_pod_scope() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok();
    let key = agent.create_key(&format!("/v0/pods/{}/api-keys", pod["pod_id"].as_str().unwrap()), json!({})).await;
    let me = key.get("/v0/auth/me").await.ok();
    assert_snapshot!(redacted(&me), @r#"
    {
      "api_key_id": "[key_…]",
      "organization_id": "[org_…]",
      "organizations": [
        {
          "organization_id": "[org_…]",
          "role": "member"
        }
      ],
      "pod_id": "[pod_…]",
      "scope_id": "[pod_…]",
      "scope_type": "pod"
    }
    "#);
    assert_eq!((&me["scope_id"], &me["pod_id"]), (&pod["pod_id"], &pod["pod_id"]));
}

#[tokio::test]
async fn switch_returns_key_of_other_organization_without_code() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    invite(&one, "two@example.org", "member", json!([])).await;
    let there = sign_in_client(&server, "two@example.org").await;
    let answer = there.post("/v0/auth/switch", json!({"organization_id": one.organization_id})).await.ok();
    assert_eq!(answer["organization_id"], one.organization_id);
    assert!(answer["name"].as_str().unwrap().starts_with("Sign-in "), "{answer:#}");
    let here = server.http().with_key(answer["api_key"].as_str().unwrap());
    let me = here.get("/v0/auth/me").await.ok();
    assert_eq!(
        (me["organization_id"].as_str(), me["role"].as_str()),
        (Some(one.organization_id.as_str()), Some("member"))
    );
    assert_eq!(me["api_key_id"], answer["api_key_id"]);
    assert_eq!(me["organizations"].as_array().unwrap().len(), 2);
    here.post("/v0/api-keys", json!({"name": "x"})).await.require_error(403, "role_not_allowed");
    // Back to the first organization.
    let back = here.post("/v0/auth/switch", json!({"organization_id": two.organization_id})).await.ok();
    assert_eq!(back["organization_id"], two.organization_id);
}

#[tokio::test]
async fn key_of_switch_during_member_removal_is_revoked() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    server.verified("two@example.org", "two").await;
    for _ in 0..5 {
        invite(&one, "two@example.org", "member", json!([])).await;
        let there = sign_in_client(&server, "two@example.org").await;
        let path = member_path(&one, "two@example.org").await;
        let body = json!({"organization_id": one.organization_id});
        let (switched, removed) = tokio::join!(there.post("/v0/auth/switch", body), one.delete(&path));
        removed.require_no_content();
        if switched.status == 200 {
            let here = server.http().with_key(switched.ok()["api_key"].as_str().unwrap());
            here.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
        } else {
            switched.require_error(404, "not_found");
        }
        assert_eq!(one.get("/v0/api-keys").await.ok()["count"], 1);
        there.get("/v0/auth/me").await.ok();
    }
}

#[tokio::test]
async fn only_sign_in_key_can_switch_to_own_organizations() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    let body = json!({"organization_id": agent.organization_id});
    let envelope = agent.post("/v0/auth/switch", body).await.require_error(403, "role_not_allowed");
    assert!(envelope["fix"].as_str().unwrap().contains("POST /v0/agent/sign-in"), "{envelope:#}");
    let owner = sign_in_client(&server, "owner@example.org").await;
    let invitation = json!({"email": "owner@example.org", "role": "admin"});
    for organization_id in [other.organization_id.as_str(), "org_00000000000000000000000000000000", "nonsense"] {
        let answer = owner.post("/v0/auth/switch", json!({"organization_id": organization_id})).await;
        answer.require_error(404, "not_found");
    }
    // An invitation counts only after the next sign-in.
    other.post("/v0/members", invitation).await.ok();
    let there = json!({"organization_id": other.organization_id});
    owner.post("/v0/auth/switch", there.clone()).await.require_error(404, "not_found");
    let again = sign_in_client(&server, "owner@example.org").await;
    again.post("/v0/auth/switch", there).await.ok();
    assert_eq!(owner.post("/v0/auth/switch", json!({})).await.bad_fields(), ["organization_id"]);
}
