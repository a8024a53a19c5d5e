//! Mailboxes on custom domains, whose codes a key of the organization can read.

use serde_json::json;

use super::{add_verified, lift_caps, server_with_dns};
use crate::people::{SIGN_IN, invite, invite_and_join, mailed_codes, sign_in, sign_in_client};

#[tokio::test]
async fn locally_hosted_address_cannot_sign_up_or_be_invited() {
    let (dns, server, agent) = server_with_dns().await;
    add_verified(&dns, &agent, "example.com").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "example.com"})).await.ok();
    let other = server.verified("other@example.net", "other").await;
    for email in ["agent@example.com", "Agent+tag@Example.com", "nobody@example.com", "x@inboxd.localhost"] {
        let body = json!({"human_email": email, "username": "thief"});
        assert_eq!(server.http().post("/v0/agent/sign-up", body).await.bad_fields(), ["human_email"], "{email}");
        for organization in [&agent, &other] {
            let body = json!({"email": email, "role": "member"});
            assert_eq!(organization.post("/v0/members", body).await.bad_fields(), ["email"], "{email}");
        }
    }
    invite(&agent, "maria@mail.example.com", "member", json!([])).await;
}

#[tokio::test]
async fn invitation_to_later_inbox_address_grants_no_access() {
    let (dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    invite(&agent, "maria@example.com", "admin", json!([])).await;
    add_verified(&dns, &agent, "example.com").await;
    agent.post("/v0/inboxes", json!({"username": "maria", "domain": "example.com"})).await.ok();
    let answer = server.http().post(SIGN_IN, json!({"email": "maria@example.com"})).await.ok();
    assert_eq!(answer, json!({"sent": true}));
    sign_in_client(&server, "owner@example.org").await;
    assert_eq!(mailed_codes(&server, "maria@example.com"), [""; 0]);
    assert_eq!(agent.get("/v0/inboxes/maria@example.com/messages").await.ok()["count"], 0);
}

#[tokio::test]
async fn member_address_cannot_become_inbox() {
    let (dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    invite_and_join(&server, &agent, "maria+news@example.org", "admin", json!([])).await;
    let other = server.verified("other@example.net", "other").await;
    invite_and_join(&server, &other, "max@example.org", "member", json!([])).await;
    add_verified(&dns, &agent, "example.org").await;
    // A key that may create inboxes and read mail could read the codes of any such address.
    let permissions = json!({"inbox_create": true, "message_read": true});
    let key = agent.create_key("/v0/api-keys", json!({"name": "maker", "permissions": permissions})).await;
    for username in ["owner", "Owner", "maria", "max"] {
        let body = json!({"username": username, "domain": "example.org"});
        key.post("/v0/inboxes", body).await.require_error(409, "address_taken");
    }
    key.post("/v0/inboxes", json!({"username": "agent", "domain": "example.org"})).await.ok();
}

#[tokio::test]
async fn code_is_not_mailed_to_existing_inbox() {
    let (dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    // These mailboxes are unverified, so they reserve no name on the domain.
    for (number, email) in ["maria@example.com", "max+news@example.com"].into_iter().enumerate() {
        server.sign_up(email, &format!("stranger-{number}")).await;
    }
    add_verified(&dns, &agent, "example.com").await;
    for (username, email) in [("maria", "maria@example.com"), ("max", "max+news@example.com")] {
        agent.post("/v0/inboxes", json!({"username": username, "domain": "example.com"})).await.ok();
        let answer = server.http().post(SIGN_IN, json!({"email": email})).await.ok();
        assert_eq!(answer, json!({"sent": true}));
        sign_in_client(&server, "owner@example.org").await;
        assert_eq!(mailed_codes(&server, email), [""; 0]);
        let messages = agent.get(&format!("/v0/inboxes/{username}@example.com/messages")).await.ok();
        assert_eq!(messages["count"], 0, "{messages:#}");
    }
}

#[tokio::test]
async fn owner_on_later_added_domain_can_still_sign_in() {
    let (dns, server, agent) = server_with_dns().await;
    add_verified(&dns, &agent, "example.org").await;
    assert_eq!(sign_in(&server, "owner@example.org", None).await["organization_id"], agent.organization_id);
}
