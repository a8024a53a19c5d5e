//! Inboxes are made on verified domains only.

use serde_json::json;

use super::{add, add_verified, enterprise, path, server_with_dns, verify};
use crate::support::server;

#[tokio::test]
async fn an_inbox_on_a_domain_that_is_not_verified_is_refused_with_the_way_to_verify_it() {
    let (dns, _server, agent) = server_with_dns().await;
    let asked = json!({"username": "agent", "domain": "Example.org"});
    let envelope = agent.post("/v0/inboxes", asked.clone()).await.refused(403, "domain_not_verified");
    assert!(envelope["fix"].as_str().unwrap().contains("POST /v0/domains"), "{envelope:#}");
    let domain = add(&agent, "example.org").await;
    for _ in 0..2 {
        let envelope = agent.post("/v0/inboxes", asked.clone()).await.refused(403, "domain_not_verified");
        assert!(
            envelope["fix"].as_str().unwrap().contains(&format!("POST {}", path(&domain, "/verify"))),
            "{envelope:#}"
        );
        verify(&agent, &domain).await;
    }
    dns.publish_all(&domain);
    verify(&agent, &domain).await;
    let inbox = agent.post("/v0/inboxes", asked).await.ok();
    assert_eq!((&inbox["inbox_id"], &inbox["domain"]), (&json!("agent@example.org"), &json!("example.org")));
    // Without a domain the service's own is still the one.
    let inbox = agent.post("/v0/inboxes", json!({"username": "agent"})).await.ok();
    assert_eq!(inbox["inbox_id"], "agent@inboxd.localhost");
}

#[tokio::test]
async fn nobody_makes_inboxes_on_the_domain_of_another_organization() {
    let (dns, server, agent) = server_with_dns().await;
    add_verified(&dns, &agent, "example.org").await;
    let other = server.verified("other@example.net", "other").await;
    add(&other, "example.org").await;
    for domain in ["example.org", "mail.example.org"] {
        let asked = json!({"username": "thief", "domain": domain});
        other.post("/v0/inboxes", asked).await.refused(403, "domain_not_verified");
    }
}

#[tokio::test]
async fn inboxes_on_subdomains_when_they_are_enabled() {
    let (dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    let asked = json!({"username": "agent", "domain": "a.b.example.org"});
    agent.post("/v0/inboxes", asked.clone()).await.refused(403, "domain_not_verified");
    let pending = agent.patch(&path(&domain, ""), json!({"subdomains_enabled": true})).await.ok();
    assert_eq!(pending["status"], "PENDING");
    agent.post("/v0/inboxes", asked.clone()).await.refused(403, "domain_not_verified");
    // The bare name waits for nothing: its own records are right.
    let bare = agent.post("/v0/inboxes", json!({"username": "bare", "domain": "example.org"})).await.ok();
    assert_eq!(bare["inbox_id"], "bare@example.org");
    // The names of roles belong to the owner of the domain.
    let postmaster = agent.post("/v0/inboxes", json!({"username": "Postmaster", "domain": "EXAMPLE.org"})).await.ok();
    assert_eq!(postmaster["inbox_id"], "postmaster@example.org");
    dns.mx("*.example.org", 10, "inboxd.localhost");
    assert_eq!(verify(&agent, &domain).await["status"], "VERIFIED");
    assert_eq!(agent.post("/v0/inboxes", asked).await.ok()["inbox_id"], "agent@a.b.example.org");
    // A subdomain that somebody else proves to be theirs is theirs.
    let other = server.verified("other@example.net", "other").await;
    add_verified(&dns, &other, "team.example.org").await;
    let theirs = json!({"username": "agent", "domain": "team.example.org"});
    agent.post("/v0/inboxes", theirs.clone()).await.refused(403, "domain_not_verified");
    assert_eq!(other.post("/v0/inboxes", theirs).await.ok()["inbox_id"], "agent@team.example.org");
}

#[tokio::test]
async fn what_lies_below_the_services_own_domain_is_nobodys() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    for domain in ["signup.inboxd.localhost", "mail.inboxd.localhost", "localhost", "", "no domain"] {
        let asked = json!({"username": "agent", "domain": domain});
        agent.post("/v0/inboxes", asked).await.refused(403, "domain_not_verified");
    }
}
