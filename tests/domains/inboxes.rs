//! Inboxes on custom domains, which must be verified.

use serde_json::json;

use super::{add_domain, add_verified, domain_path, lift_caps, server_with_dns, verify_domain};
use crate::support::server;

#[tokio::test]
async fn inbox_on_unverified_domain_is_refused_with_remedy() {
    let (dns, _server, agent) = server_with_dns().await;
    let asked = json!({"username": "agent", "domain": "Example.org"});
    let envelope = agent.post("/v0/inboxes", asked.clone()).await.require_error(403, "domain_not_verified");
    assert!(envelope["fix"].as_str().unwrap().contains("POST /v0/domains"), "{envelope:#}");
    let domain = add_domain(&agent, "example.org").await;
    for _ in 0..2 {
        let envelope = agent.post("/v0/inboxes", asked.clone()).await.require_error(403, "domain_not_verified");
        assert!(
            envelope["fix"].as_str().unwrap().contains(&format!("POST {}", domain_path(&domain, "/verify"))),
            "{envelope:#}"
        );
        verify_domain(&agent, &domain).await;
    }
    dns.publish_all(&domain);
    verify_domain(&agent, &domain).await;
    let inbox = agent.post("/v0/inboxes", asked).await.ok();
    assert_eq!((&inbox["inbox_id"], &inbox["domain"]), (&json!("agent@example.org"), &json!("example.org")));
    // Without a domain, the inbox uses the domain of the service.
    let inbox = agent.post("/v0/inboxes", json!({"username": "agent"})).await.ok();
    assert_eq!(inbox["inbox_id"], "agent@inboxd.localhost");
}

#[tokio::test]
async fn inbox_on_domain_of_other_organization_is_refused() {
    let (dns, server, agent) = server_with_dns().await;
    add_verified(&dns, &agent, "example.org").await;
    let other = server.verified("other@example.net", "other").await;
    add_domain(&other, "example.org").await;
    for domain in ["example.org", "mail.example.org"] {
        let asked = json!({"username": "thief", "domain": domain});
        other.post("/v0/inboxes", asked).await.require_error(403, "domain_not_verified");
    }
}

#[tokio::test]
async fn inbox_on_subdomain_needs_enabled_subdomains() {
    let (dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    let asked = json!({"username": "agent", "domain": "a.b.example.org"});
    agent.post("/v0/inboxes", asked.clone()).await.require_error(403, "domain_not_verified");
    let pending = agent.patch(&domain_path(&domain, ""), json!({"subdomains_enabled": true})).await.ok();
    assert_eq!(pending["status"], "PENDING");
    agent.post("/v0/inboxes", asked.clone()).await.require_error(403, "domain_not_verified");
    // The bare name is verified, because its records are valid.
    let bare = agent.post("/v0/inboxes", json!({"username": "bare", "domain": "example.org"})).await.ok();
    assert_eq!(bare["inbox_id"], "bare@example.org");
    // Role names belong to the owner of the domain.
    let postmaster = agent.post("/v0/inboxes", json!({"username": "Postmaster", "domain": "EXAMPLE.org"})).await.ok();
    assert_eq!(postmaster["inbox_id"], "postmaster@example.org");
    dns.mx("*.example.org", 10, "inboxd.localhost");
    assert_eq!(verify_domain(&agent, &domain).await["status"], "VERIFIED");
    assert_eq!(agent.post("/v0/inboxes", asked).await.ok()["inbox_id"], "agent@a.b.example.org");
    // A subdomain that another organization verified belongs to that organization.
    let other = server.verified("other@example.net", "other").await;
    add_verified(&dns, &other, "team.example.org").await;
    let theirs = json!({"username": "agent", "domain": "team.example.org"});
    agent.post("/v0/inboxes", theirs.clone()).await.require_error(403, "domain_not_verified");
    assert_eq!(other.post("/v0/inboxes", theirs).await.ok()["inbox_id"], "agent@team.example.org");
}

#[tokio::test]
async fn names_below_service_domain_are_refused() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    for domain in ["signup.inboxd.localhost", "mail.inboxd.localhost", "localhost", "", "no domain"] {
        let asked = json!({"username": "agent", "domain": domain});
        agent.post("/v0/inboxes", asked).await.require_error(403, "domain_not_verified");
    }
}
