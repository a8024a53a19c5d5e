//! `POST /v0/domains`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{add_domain, domain_path, find_record, lift_caps, server_with_dns};
use crate::support::run_concurrently;

#[tokio::test]
async fn new_domain_lists_its_records() {
    let (_dns, _server, agent) = server_with_dns().await;
    let mut domain = add_domain(&agent, "Example.ORG").await;
    assert!(domain["domain_id"].as_str().unwrap().starts_with("dom_"));
    let read = agent.get(&domain_path(&domain, "")).await.ok();
    assert_eq!(read, domain);
    let key = find_record(&domain, "TXT", "inboxd._domainkey.example.org")["value"].as_str().unwrap();
    let public = key.strip_prefix("v=DKIM1; k=rsa; p=").unwrap().to_owned();
    // SubjectPublicKeyInfo of an RSA key of 2048 bits has 294 bytes.
    assert!(public.starts_with("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A") && public.len() == 392, "{public}");
    for part in domain["records"].as_array_mut().unwrap() {
        part["value"] = json!(part["value"].as_str().unwrap().replace(&public, "[key]"));
    }
    domain["domain_id"] = json!("[dom_…]");
    assert_snapshot!(redacted(&domain), @r#"
    {
      "created_at": "[time]",
      "domain": "example.org",
      "domain_id": "[dom_…]",
      "feedback_enabled": true,
      "inbound_enabled": true,
      "reason": "not_started",
      "records": [
        {
          "name": "example.org",
          "priority": 10,
          "status": "MISSING",
          "type": "MX",
          "value": "inboxd.localhost"
        },
        {
          "name": "example.org",
          "status": "MISSING",
          "type": "TXT",
          "value": "v=spf1 include:inboxd.localhost ~all"
        },
        {
          "name": "inboxd._domainkey.example.org",
          "status": "MISSING",
          "type": "TXT",
          "value": "v=DKIM1; k=rsa; p=[key]"
        },
        {
          "name": "_dmarc.example.org",
          "status": "MISSING",
          "type": "TXT",
          "value": "v=DMARC1; p=none"
        }
      ],
      "status": "NOT_STARTED",
      "subdomains_enabled": false,
      "tracking_enabled": false,
      "updated_at": "[time]"
    }
    "#);
}

#[tokio::test]
async fn private_key_is_stored_encrypted_and_never_shown() {
    let (_dns, server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
    let shown = domain.to_string();
    assert!(!shown.contains("PRIVATE") && !shown.contains("dkim_key"), "{shown}");
    // A PKCS#8 key contains the RSA identifier, 1.2.840.113549.1.1.1; an encrypted one does not.
    let sealed = r"DO $$ BEGIN ASSERT
        (SELECT count(*) FROM domains WHERE length(dkim_key) > 1000
            AND position('\x2a864886f70d010101'::bytea IN dkim_key) = 0) = 1, 'the key is stored in the clear'; END $$";
    server.database().execute(sealed).await;
}

#[tokio::test]
async fn subdomains_add_wildcard_mx() {
    let (_dns, _server, agent) = server_with_dns().await;
    let domain = agent.post("/v0/domains", json!({"domain": "example.org", "subdomains_enabled": true})).await.ok();
    let wildcard = find_record(&domain, "MX", "*.example.org");
    assert_eq!((&wildcard["value"], &wildcard["status"]), (&json!("inboxd.localhost"), &json!("MISSING")));
}

#[tokio::test]
async fn unusable_domain_names_are_refused() {
    let (_dns, _server, agent) = server_with_dns().await;
    for name in [
        "",
        "localhost",
        "192.0.2.1",
        "2001:db8::1",
        "a b.org",
        "-a.org",
        "*.example.org",
        "inboxd.localhost",
        "mail.inboxd.localhost",
        "signup.inboxd.localhost",
        "a@example.org",
    ] {
        assert_eq!(agent.post("/v0/domains", json!({"domain": name})).await.bad_fields(), ["domain"], "{name}");
    }
    assert_eq!(agent.post("/v0/domains", json!({})).await.bad_fields(), ["domain"]);
    let bad = json!({"domain": 7, "client_id": ["a"], "pod_id": 1, "subdomains_enabled": "yes"});
    let fields = agent.post("/v0/domains", bad).await.bad_fields();
    assert_eq!(fields, ["client_id", "domain", "pod_id", "subdomains_enabled"]);
    for pod_id in ["pod_x", "pod_00000000000000000000000000000000"] {
        let asked = json!({"domain": "example.org", "pod_id": pod_id});
        assert_eq!(agent.post("/v0/domains", asked).await.bad_fields(), ["pod_id"]);
    }
}

#[tokio::test]
async fn internationalized_names_are_stored_in_ascii_form() {
    let (_dns, _server, agent) = server_with_dns().await;
    assert_eq!(add_domain(&agent, "MÜNCHEN.example").await["domain"], "xn--mnchen-3ya.example");
}

#[tokio::test]
async fn domain_is_unique_within_organization_only() {
    let (_dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let domain = add_domain(&agent, "example.org").await;
    let envelope =
        agent.post("/v0/domains", json!({"domain": "EXAMPLE.org."})).await.require_error(409, "already_exists");
    assert!(envelope["fix"].as_str().unwrap().contains(&domain_path(&domain, "")), "{envelope:#}");
    let other = server.verified("other@example.net", "other").await;
    let theirs = add_domain(&other, "example.org").await;
    assert_ne!(theirs["domain_id"], domain["domain_id"]);
    let key = |domain| find_record(domain, "TXT", "inboxd._domainkey.example.org")["value"].clone();
    assert_ne!(key(&theirs), key(&domain), "each organization has a separate key");
}

#[tokio::test]
async fn concurrent_equal_client_ids_return_one_domain() {
    let (_dns, _server, agent) = server_with_dns().await;
    let body = json!({"domain": "example.org", "client_id": "one"});
    let answers = run_concurrently((0..8).map(|_| {
        let (agent, body) = (agent.clone(), body.clone());
        async move { agent.post("/v0/domains", body).await }
    }))
    .await;
    let first = answers[0].ok();
    assert!(answers.iter().all(|answer| answer.ok() == first));
    assert_eq!(first["client_id"], "one");
    assert_eq!(agent.post("/v0/domains", json!({"domain": "other.example", "client_id": "one"})).await.ok(), first);
    assert_eq!(agent.get("/v0/domains").await.ok()["count"], 1);
    agent.delete(&domain_path(&first, "")).await.require_no_content();
    agent.post("/v0/domains", body).await.require_error(409, "conflict");
}

#[tokio::test]
async fn domain_belongs_to_at_most_one_pod() {
    let (_dns, _server, agent) = server_with_dns().await;
    let pod_id = agent.get("/v0/inboxes").await.ok()["inboxes"][0]["pod_id"].clone();
    let domain = agent.post("/v0/domains", json!({"domain": "example.org", "pod_id": pod_id})).await.ok();
    assert_eq!(domain["pod_id"], pod_id);
    assert_eq!(agent.get(&domain_path(&domain, "")).await.ok()["pod_id"], pod_id);
}

#[tokio::test]
async fn malformed_pod_id_is_refused_with_expected_form() {
    let (_dns, _server, agent) = server_with_dns().await;
    let refused = agent.post("/v0/domains", json!({"domain": "example.org", "pod_id": "pod_nope"})).await;
    assert_eq!(refused.bad_fields(), ["pod_id"]);
    let told = refused.text();
    assert!(told.contains("`pod_` and 32 hex digits"), "{told}");
}
