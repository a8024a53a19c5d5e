//! The domains that belong to a pod.

use inboxd_testkit::Request;
use serde_json::json;

use crate::support::{each, options};

#[tokio::test]
async fn a_pod_shows_its_own_domains_alone() {
    let dns = inboxd_testkit::Dns::start().await;
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/v0/pods/{pod}/domains{rest}");
    let inside = agent.post(&path(""), json!({"domain": "inside.example"})).await.ok();
    assert_eq!(inside["pod_id"], pod.as_str());
    let outside = agent.post("/v0/domains", json!({"domain": "outside.example"})).await.ok();
    assert_eq!(each(&agent.get(&path("")).await.ok(), "domains", "domain"), ["inside.example"]);
    let id = |domain: &serde_json::Value| format!("/{}", domain["domain_id"].as_str().unwrap());
    assert_eq!(agent.get(&path(&id(&inside))).await.ok(), inside);
    let changed = agent.patch(&path(&id(&inside)), json!({"feedback_enabled": false})).await.ok();
    assert_eq!(changed["feedback_enabled"], false);
    let verified = agent.call(Request::new("POST", &path(&format!("{}/verify", id(&inside))))).await.ok();
    assert_eq!(verified["status"], "PENDING");
    let zone = agent.get(&path(&format!("{}/zone-file", id(&inside)))).await;
    assert!(zone.text().contains("inside.example."), "{}", zone.text());
    // The domain of the organization is not there, though the key reaches it.
    agent.get(&path(&id(&outside))).await.refused(404, "not_found");
    agent.patch(&path(&id(&outside)), json!({})).await.refused(404, "not_found");
    agent.delete(&path(&id(&outside))).await.refused(404, "not_found");
    let key = agent.key_with(&format!("/v0/pods/{pod}/api-keys"), json!({})).await;
    assert_eq!(each(&key.get("/v0/domains").await.ok(), "domains", "domain"), ["inside.example"]);
    key.get(&format!("/v0/domains{}", id(&outside))).await.refused(404, "not_found");
    agent.delete(&path(&id(&inside))).await.gone();
    assert_eq!(agent.get(&path("")).await.ok()["count"], 0);
}
