//! `DELETE /v0/domains/{domain_id}`.

use serde_json::json;

use super::{add, add_verified, path, server_with_dns, verify};

#[tokio::test]
async fn a_domain_with_live_inboxes_cannot_be_deleted() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "example.org"})).await.ok();
    let envelope = agent.delete(&path(&domain, "")).await.refused(409, "cannot_delete");
    assert!(envelope["fix"].as_str().unwrap().contains("DELETE /v0/inboxes/"), "{envelope:#}");
    agent.get(&path(&domain, "")).await.ok();
    agent.delete("/v0/inboxes/agent@example.org").await.gone();
    agent.delete(&path(&domain, "")).await.gone();
    for rest in ["", "/zone-file"] {
        agent.get(&path(&domain, rest)).await.refused(404, "not_found");
    }
    agent.delete(&path(&domain, "")).await.refused(404, "not_found");
    let asked = json!({"username": "other", "domain": "example.org"});
    agent.post("/v0/inboxes", asked).await.refused(403, "domain_not_verified");
}

#[tokio::test]
async fn a_deleted_domain_can_be_added_again_with_a_new_key_and_by_anyone() {
    let (dns, server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    agent.delete(&path(&domain, "")).await.gone();
    let again = add(&agent, "example.org").await;
    assert_ne!(again["domain_id"], domain["domain_id"]);
    assert_eq!(verify(&agent, &again).await["status"], "INVALID", "the old key proves nothing");
    let other = server.verified("other@example.net", "other").await;
    dns.forget("inboxd._domainkey.example.org");
    let theirs = add(&other, "example.org").await;
    dns.publish(super::record(&theirs, "TXT", "inboxd._domainkey.example.org"));
    assert_eq!(verify(&other, &theirs).await["status"], "VERIFIED");
}
