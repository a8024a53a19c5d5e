//! `PATCH /v0/domains/{domain_id}`.

use serde_json::json;

use super::{add, add_verified, path, record, server_with_dns};

#[tokio::test]
async fn what_is_not_named_stays_and_tracking_is_never_enabled() {
    let (_dns, _server, agent) = server_with_dns().await;
    let domain = add(&agent, "example.org").await;
    let switches = |domain: &serde_json::Value| {
        ["feedback_enabled", "subdomains_enabled", "tracking_enabled"].map(|name| domain[name].as_bool().unwrap())
    };
    assert_eq!(switches(&domain), [true, false, false]);
    for (change, expected) in [
        (json!({"feedback_enabled": false}), [false, false, false]),
        (json!({"subdomains_enabled": true, "domain": "other.example"}), [false, true, false]),
        (json!({"feedback_enabled": null, "tracking_enabled": false}), [false, true, false]),
        (json!({}), [false, true, false]),
    ] {
        let changed = agent.patch(&path(&domain, ""), change.clone()).await.ok();
        assert_eq!((switches(&changed), &changed["domain"]), (expected, &json!("example.org")), "{change}");
        assert_eq!(agent.get(&path(&domain, "")).await.ok(), changed);
    }
    let bad = json!({"feedback_enabled": 1, "subdomains_enabled": "no"});
    let fields = agent.patch(&path(&domain, ""), bad).await.bad_fields();
    assert_eq!(fields, ["feedback_enabled", "subdomains_enabled"]);
}

#[tokio::test]
async fn subdomains_make_a_verified_domain_pending_and_without_them_it_is_verified_again() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    let pending = agent.patch(&path(&domain, ""), json!({"subdomains_enabled": true})).await.ok();
    assert_eq!(pending["status"], "PENDING");
    assert_eq!(record(&pending, "MX", "*.example.org")["status"], "MISSING");
    assert_eq!(record(&pending, "MX", "example.org")["status"], "VALID");
    let again = agent.patch(&path(&domain, ""), json!({"subdomains_enabled": false})).await.ok();
    assert_eq!((&again["status"], &again["records"]), (&json!("VERIFIED"), &domain["records"]));
}
