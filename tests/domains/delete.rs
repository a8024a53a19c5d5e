//! `DELETE /v0/domains/{domain_id}`.

use serde_json::json;

use super::{add_domain, add_verified, domain_path, server_with_dns, verify_domain};

#[tokio::test]
async fn domain_with_inboxes_cannot_be_deleted() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "example.org"})).await.ok();
    let envelope = agent.delete(&domain_path(&domain, "")).await.require_error(409, "cannot_delete");
    assert!(envelope["fix"].as_str().unwrap().contains("DELETE /v0/inboxes/"), "{envelope:#}");
    agent.get(&domain_path(&domain, "")).await.ok();
    agent.delete("/v0/inboxes/agent@example.org").await.require_no_content();
    agent.delete(&domain_path(&domain, "")).await.require_no_content();
    for rest in ["", "/zone-file"] {
        agent.get(&domain_path(&domain, rest)).await.require_error(404, "not_found");
    }
    agent.delete(&domain_path(&domain, "")).await.require_error(404, "not_found");
    let asked = json!({"username": "other", "domain": "example.org"});
    agent.post("/v0/inboxes", asked).await.require_error(403, "domain_not_verified");
}

#[tokio::test]
async fn deleted_domain_can_be_added_by_anyone_with_new_key() {
    let (dns, server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    agent.delete(&domain_path(&domain, "")).await.require_no_content();
    let again = add_domain(&agent, "example.org").await;
    assert_ne!(again["domain_id"], domain["domain_id"]);
    assert_eq!(verify_domain(&agent, &again).await["status"], "INVALID", "the old key does not verify the domain");
    let other = server.verified("other@example.net", "other").await;
    dns.remove("inboxd._domainkey.example.org");
    let theirs = add_domain(&other, "example.org").await;
    dns.publish(super::find_record(&theirs, "TXT", "inboxd._domainkey.example.org"));
    assert_eq!(verify_domain(&other, &theirs).await["status"], "VERIFIED");
}
