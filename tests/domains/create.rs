//! `POST /v0/domains`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{add, enterprise, path, record, server_with_dns};
use crate::support::at_once;

#[tokio::test]
async fn a_domain_comes_with_the_records_that_it_needs() {
    let (_dns, _server, agent) = server_with_dns().await;
    let mut domain = add(&agent, "Example.ORG").await;
    assert!(domain["domain_id"].as_str().unwrap().starts_with("dom_"));
    let read = agent.get(&path(&domain, "")).await.ok();
    assert_eq!(read, domain);
    let key = record(&domain, "TXT", "inboxd._domainkey.example.org")["value"].as_str().unwrap();
    let public = key.strip_prefix("v=DKIM1; k=rsa; p=").unwrap().to_owned();
    // SubjectPublicKeyInfo of an RSA key of 2048 bits has 294 octets.
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
async fn the_private_half_of_the_key_is_kept_encrypted_and_never_shown() {
    let (_dns, server, agent) = server_with_dns().await;
    let domain = add(&agent, "example.org").await;
    let shown = domain.to_string();
    assert!(!shown.contains("PRIVATE") && !shown.contains("dkim_key"), "{shown}");
    // A key of PKCS#8 names RSA in its head, 1.2.840.113549.1.1.1; a sealed one shows nothing.
    let sealed = r"DO $$ BEGIN ASSERT
        (SELECT count(*) FROM domains WHERE length(dkim_key) > 1000
            AND position('\x2a864886f70d010101'::bytea IN dkim_key) = 0) = 1, 'the key is stored in the clear'; END $$";
    server.database().execute(sealed).await;
}

#[tokio::test]
async fn wildcard_mx_for_subdomains() {
    let (_dns, _server, agent) = server_with_dns().await;
    let domain = agent.post("/v0/domains", json!({"domain": "example.org", "subdomains_enabled": true})).await.ok();
    let wildcard = record(&domain, "MX", "*.example.org");
    assert_eq!((&wildcard["value"], &wildcard["status"]), (&json!("inboxd.localhost"), &json!("MISSING")));
}

#[tokio::test]
async fn names_that_cannot_be_a_domain_of_theirs_are_refused() {
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
async fn internationalized_names_are_stored_in_their_ascii_form() {
    let (_dns, _server, agent) = server_with_dns().await;
    assert_eq!(add(&agent, "MÜNCHEN.example").await["domain"], "xn--mnchen-3ya.example");
}

#[tokio::test]
async fn an_organization_has_a_domain_once_and_another_may_add_it_too() {
    let (_dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    let domain = add(&agent, "example.org").await;
    let envelope = agent.post("/v0/domains", json!({"domain": "EXAMPLE.org."})).await.refused(409, "already_exists");
    assert!(envelope["fix"].as_str().unwrap().contains(&path(&domain, "")), "{envelope:#}");
    let other = server.verified("other@example.net", "other").await;
    let theirs = add(&other, "example.org").await;
    assert_ne!(theirs["domain_id"], domain["domain_id"]);
    let key = |domain| record(domain, "TXT", "inboxd._domainkey.example.org")["value"].clone();
    assert_ne!(key(&theirs), key(&domain), "each has a key of its own");
}

#[tokio::test]
async fn the_same_client_id_answers_the_original_under_concurrency_too() {
    let (_dns, _server, agent) = server_with_dns().await;
    let body = json!({"domain": "example.org", "client_id": "one"});
    let answers = at_once((0..8).map(|_| {
        let (agent, body) = (agent.clone(), body.clone());
        async move { agent.post("/v0/domains", body).await }
    }))
    .await;
    let first = answers[0].ok();
    assert!(answers.iter().all(|answer| answer.ok() == first));
    assert_eq!(first["client_id"], "one");
    assert_eq!(agent.post("/v0/domains", json!({"domain": "other.example", "client_id": "one"})).await.ok(), first);
    assert_eq!(agent.get("/v0/domains").await.ok()["count"], 1);
    agent.delete(&path(&first, "")).await.gone();
    agent.post("/v0/domains", body).await.refused(409, "conflict");
}

#[tokio::test]
async fn a_domain_may_belong_to_one_pod() {
    let (_dns, _server, agent) = server_with_dns().await;
    let pod_id = agent.get("/v0/inboxes").await.ok()["inboxes"][0]["pod_id"].clone();
    let domain = agent.post("/v0/domains", json!({"domain": "example.org", "pod_id": pod_id})).await.ok();
    assert_eq!(domain["pod_id"], pod_id);
    assert_eq!(agent.get(&path(&domain, "")).await.ok()["pod_id"], pod_id);
}

#[tokio::test]
async fn a_pod_id_of_another_form_is_told_the_whole_form() {
    let (_dns, _server, agent) = server_with_dns().await;
    let refused = agent.post("/v0/domains", json!({"domain": "example.org", "pod_id": "pod_nope"})).await;
    assert_eq!(refused.bad_fields(), ["pod_id"]);
    let told = refused.text();
    assert!(told.contains("`pod_` and 32 hex digits"), "{told}");
}
