//! A mailbox on a custom domain is one of this service: whoever has a key may read the codes that are mailed to it.

use serde_json::json;

use super::{add_verified, enterprise, server_with_dns};
use crate::people::{SIGN_IN, codes, invited, joined, person, signed_in};

#[tokio::test]
async fn nobody_signs_up_or_is_invited_with_an_address_whose_mail_comes_here() {
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
    invited(&agent, "maria@mail.example.com", "member", json!([])).await;
}

#[tokio::test]
async fn an_invitation_is_no_way_in_for_an_address_that_has_become_an_inbox() {
    let (dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    invited(&agent, "maria@example.com", "admin", json!([])).await;
    add_verified(&dns, &agent, "example.com").await;
    agent.post("/v0/inboxes", json!({"username": "maria", "domain": "example.com"})).await.ok();
    let answer = server.http().post(SIGN_IN, json!({"email": "maria@example.com"})).await.ok();
    assert_eq!(answer, json!({"sent": true}));
    person(&server, "owner@example.org").await;
    assert_eq!(codes(&server, "maria@example.com"), [""; 0]);
    assert_eq!(agent.get("/v0/inboxes/maria@example.com/messages").await.ok()["count"], 0);
}

#[tokio::test]
async fn the_mailbox_of_somebody_who_belongs_becomes_no_inbox() {
    let (dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    joined(&server, &agent, "maria+news@example.org", "admin", json!([])).await;
    let other = server.verified("other@example.net", "other").await;
    joined(&server, &other, "max@example.org", "member", json!([])).await;
    add_verified(&dns, &agent, "example.org").await;
    // A key that may make inboxes and read mail could read the code of whoever it likes.
    let permissions = json!({"inbox_create": true, "message_read": true});
    let key = agent.key_with("/v0/api-keys", json!({"name": "maker", "permissions": permissions})).await;
    for username in ["owner", "Owner", "maria", "max"] {
        let body = json!({"username": username, "domain": "example.org"});
        key.post("/v0/inboxes", body).await.refused(409, "address_taken");
    }
    key.post("/v0/inboxes", json!({"username": "agent", "domain": "example.org"})).await.ok();
}

#[tokio::test]
async fn no_code_is_mailed_to_a_live_inbox() {
    let (dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    // Nobody has shown that these mailboxes are theirs, so that they hold no name of the domain.
    for (number, email) in ["maria@example.com", "max+news@example.com"].into_iter().enumerate() {
        server.sign_up(email, &format!("stranger-{number}")).await;
    }
    add_verified(&dns, &agent, "example.com").await;
    for (username, email) in [("maria", "maria@example.com"), ("max", "max+news@example.com")] {
        agent.post("/v0/inboxes", json!({"username": username, "domain": "example.com"})).await.ok();
        let answer = server.http().post(SIGN_IN, json!({"email": email})).await.ok();
        assert_eq!(answer, json!({"sent": true}));
        person(&server, "owner@example.org").await;
        assert_eq!(codes(&server, email), [""; 0]);
        let messages = agent.get(&format!("/v0/inboxes/{username}@example.com/messages")).await.ok();
        assert_eq!(messages["count"], 0, "{messages:#}");
    }
}

#[tokio::test]
async fn an_owner_whose_domain_came_here_later_still_gets_in() {
    let (dns, server, agent) = server_with_dns().await;
    add_verified(&dns, &agent, "example.org").await;
    assert_eq!(signed_in(&server, "owner@example.org", None).await["organization_id"], agent.organization_id);
}
