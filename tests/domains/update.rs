//! `PATCH /v0/domains/{domain_id}`.

use serde_json::json;

use super::{add_domain, add_verified, domain_path, find_record, server_with_dns};

#[tokio::test]
async fn omitted_fields_stay_and_tracking_is_never_enabled() {
    let (_dns, _server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
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
        let changed = agent.patch(&domain_path(&domain, ""), change.clone()).await.ok();
        assert_eq!((switches(&changed), &changed["domain"]), (expected, &json!("example.org")), "{change}");
        assert_eq!(agent.get(&domain_path(&domain, "")).await.ok(), changed);
    }
    let bad = json!({"feedback_enabled": 1, "subdomains_enabled": "no"});
    let fields = agent.patch(&domain_path(&domain, ""), bad).await.bad_fields();
    assert_eq!(fields, ["feedback_enabled", "subdomains_enabled"]);
}

#[tokio::test]
async fn enabling_subdomains_makes_domain_pending_until_disabled() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    let pending = agent.patch(&domain_path(&domain, ""), json!({"subdomains_enabled": true})).await.ok();
    assert_eq!(pending["status"], "PENDING");
    assert_eq!(find_record(&pending, "MX", "*.example.org")["status"], "MISSING");
    assert_eq!(find_record(&pending, "MX", "example.org")["status"], "VALID");
    let again = agent.patch(&domain_path(&domain, ""), json!({"subdomains_enabled": false})).await.ok();
    assert_eq!((&again["status"], &again["records"]), (&json!("VERIFIED"), &domain["records"]));
}
