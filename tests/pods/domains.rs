//! Domains of a pod.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use crate::support::{options, text_fields};

#[tokio::test]
async fn pod_shows_only_its_domains() {
    let dns = inboxd_testkit::DnsServer::start().await;
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/v0/pods/{pod}/domains{rest}");
    let inside = agent.post(&path(""), json!({"domain": "inside.example"})).await.ok();
    assert_eq!(inside["pod_id"], pod.as_str());
    let outside = agent.post("/v0/domains", json!({"domain": "outside.example"})).await.ok();
    assert_eq!(text_fields(&agent.get(&path("")).await.ok(), "domains", "domain"), ["inside.example"]);
    let id = |domain: &serde_json::Value| format!("/{}", domain["domain_id"].as_str().unwrap());
    assert_eq!(agent.get(&path(&id(&inside))).await.ok(), inside);
    let changed = agent.patch(&path(&id(&inside)), json!({"feedback_enabled": false})).await.ok();
    assert_eq!(changed["feedback_enabled"], false);
    let verified = agent.call(HttpRequest::new("POST", &path(&format!("{}/verify", id(&inside))))).await.ok();
    assert_eq!(verified["status"], "PENDING");
    let zone = agent.get(&path(&format!("{}/zone-file", id(&inside)))).await;
    assert!(zone.text().contains("inside.example."), "{}", zone.text());
    // The domain of the organization is omitted, although the key may read it.
    agent.get(&path(&id(&outside))).await.require_error(404, "not_found");
    agent.patch(&path(&id(&outside)), json!({})).await.require_error(404, "not_found");
    agent.delete(&path(&id(&outside))).await.require_error(404, "not_found");
    let key = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({})).await;
    assert_eq!(text_fields(&key.get("/v0/domains").await.ok(), "domains", "domain"), ["inside.example"]);
    key.get(&format!("/v0/domains{}", id(&outside))).await.require_error(404, "not_found");
    agent.delete(&path(&id(&inside))).await.require_no_content();
    assert_eq!(agent.get(&path("")).await.ok()["count"], 0);
}
