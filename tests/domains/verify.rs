//! `POST /v0/domains/{domain_id}/verify` against a real resolver: each record has a status, and a wrong one its reason
//! and the found value.

use serde_json::{Value, json};

use super::{add_domain, add_verified, domain_path, find_record, server_with_dns, verify_domain};

const KEY: &str = "inboxd._domainkey.example.org";

#[tokio::test]
async fn domain_is_verified_when_all_records_are_published() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
    assert_eq!(domain["status"], "NOT_STARTED");
    let pending = verify_domain(&agent, &domain).await;
    assert_eq!(pending["status"], "PENDING");
    assert!(pending["updated_at"].as_str() > domain["updated_at"].as_str());
    for (published, step) in domain["records"].as_array().unwrap().iter().enumerate() {
        assert_eq!(verify_domain(&agent, &domain).await["status"], "PENDING", "{published} are published");
        dns.publish(step);
        let seen = verify_domain(&agent, &domain).await;
        let is_valid = |record: &&Value| record["status"] == "VALID";
        assert_eq!(seen["records"].as_array().unwrap().iter().filter(is_valid).count(), published + 1);
    }
    let verified = agent.get(&domain_path(&domain, "")).await.ok();
    assert_eq!(verified["status"], "VERIFIED");
    for record in verified["records"].as_array().unwrap() {
        assert!(record.get("reason").is_none() && record.get("found").is_none(), "{record:#}");
    }
}

#[tokio::test]
async fn wrong_record_returns_reason_and_found_value() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
    dns.publish_all(&domain);
    let wrong = |kind: &'static str, name: &'static str| {
        let (agent, domain) = (&agent, &domain);
        async move {
            let seen = verify_domain(agent, domain).await;
            let record = find_record(&seen, kind, name);
            assert_eq!((&seen["status"], &record["status"]), (&json!("INVALID"), &json!("INVALID")), "{seen:#}");
            (record["reason"].as_str().unwrap().to_owned(), record["found"].as_str().unwrap().to_owned())
        }
    };

    dns.remove(KEY);
    dns.txt(KEY, "v=DKIM1; k=rsa; p=b3RoZXI=");
    let (reason, found) = wrong("TXT", KEY).await;
    assert!(reason.starts_with("value_mismatch: the key is another one"), "{reason}");
    assert_eq!(found, "v=DKIM1; k=rsa; p=b3RoZXI=");
    // White space within the key is ignored.
    let value = find_record(&domain, "TXT", KEY)["value"].as_str().unwrap();
    let (first, rest) = value.split_at(200);
    dns.remove(KEY);
    dns.txt(KEY, &format!("{first} \t {rest}"));
    assert_eq!(verify_domain(&agent, &domain).await["status"], "VERIFIED");

    dns.txt("example.org", "v=spf1 -all");
    let (reason, found) = wrong("TXT", "example.org").await;
    assert!(reason.starts_with("duplicate_records: several SPF records"), "{reason}");
    assert!(found.contains("v=spf1 -all") && found.contains("include:inboxd.localhost"), "{found}");
    dns.remove("example.org");
    dns.txt("example.org", "v=spf1 mx include:inboxd.localhost -all");
    dns.txt("example.org", "some-site-verification=1");
    dns.mx("example.org", 5, "mx.example.net");
    dns.mx("example.org", 10, "inboxd.localhost");
    let (reason, found) = wrong("MX", "example.org").await;
    assert!(reason.starts_with("duplicate_records: mail also goes to other hosts"), "{reason}");
    assert!(found.contains("5 mx.example.net") && found.contains("10 inboxd.localhost"), "{found}");
    dns.remove("example.org");
    dns.txt("example.org", "v=spf1 mx include:inboxd.localhost -all");
    dns.mx("example.org", 3, "inboxd.localhost");
    dns.mx("example.org", 5, "backup.example.net");

    dns.remove("_dmarc.example.org");
    dns.txt("_dmarc.example.org", "v=DMARC1");
    let (reason, found) = wrong("TXT", "_dmarc.example.org").await;
    assert!(reason.starts_with("value_mismatch: "), "{reason}");
    assert_eq!(found, "v=DMARC1");
    dns.remove("_dmarc.example.org");
    dns.txt("_dmarc.example.org", "v=DMARC1; p=reject; rua=mailto:a@example.org");
    assert_eq!(verify_domain(&agent, &domain).await["status"], "VERIFIED");
}

#[tokio::test]
async fn silent_dns_never_turns_valid_record_into_missing() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
    dns.publish_all(&domain);
    dns.fail("_dmarc.example.org");
    let verifying = verify_domain(&agent, &domain).await;
    assert_eq!(verifying["status"], "VERIFYING", "{verifying:#}");
    let reason = find_record(&verifying, "TXT", "_dmarc.example.org")["reason"].as_str().unwrap();
    assert!(reason.starts_with("no_answer: "), "{reason}");
    dns.txt("_dmarc.example.org", "v=DMARC1; p=none");
    let verified = verify_domain(&agent, &domain).await;
    assert_eq!(verified["status"], "VERIFIED");

    dns.silence(KEY);
    dns.fail("example.org");
    let silent = verify_domain(&agent, &domain).await;
    assert_eq!((&silent["status"], &silent["records"]), (&json!("VERIFIED"), &verified["records"]));
    dns.remove(KEY);
    let lost = verify_domain(&agent, &domain).await;
    assert_eq!((&lost["status"], &find_record(&lost, "TXT", KEY)["status"]), (&json!("PENDING"), &json!("MISSING")));
}

#[tokio::test]
async fn first_verification_appends_domain_verified() {
    let (dns, _server, agent) = server_with_dns().await;
    let domain = add_verified(&dns, &agent, "example.org").await;
    verify_domain(&agent, &domain).await;
    dns.remove("_dmarc.example.org");
    verify_domain(&agent, &domain).await;
    dns.txt("_dmarc.example.org", "v=DMARC1; p=none");
    assert_eq!(verify_domain(&agent, &domain).await["status"], "VERIFIED");
    let list = agent.get("/v0/events?event_types=domain.verified").await.ok();
    assert_eq!(list["count"], 1, "{list:#}");
    let event = &list["events"][0];
    assert_eq!((&event["type"], &event["event_type"]), (&json!("event"), &json!("domain.verified")));
    assert_eq!(event["domain"], domain, "the domain at that time");
    for absent in ["pod_id", "inbox_id", "thread_id", "message_id"] {
        assert!(event.get(absent).is_none(), "{absent}: {event:#}");
    }
    let all = agent.get("/v0/events").await.ok();
    assert_eq!(all["events"][0]["event_id"], event["event_id"]);
    let of_inbox = agent.get(&format!("/v0/events?inbox_id={}", agent.inbox_id)).await.ok();
    assert_eq!(of_inbox["count"], 0);
}

#[tokio::test]
async fn published_key_claims_domain_from_holder_without_key() {
    let (dns, server, agent) = server_with_dns().await;
    let other = server.verified("other@example.net", "other").await;
    let ours = add_verified(&dns, &agent, "example.org").await;
    let theirs = add_domain(&other, "example.org").await;
    // While the key of the holder is published, the claim fails.
    assert_eq!(verify_domain(&other, &theirs).await["status"], "INVALID");
    assert_eq!(agent.get(&domain_path(&ours, "")).await.ok(), ours);
    dns.remove(KEY);
    dns.fail(KEY);
    assert_ne!(verify_domain(&other, &theirs).await["status"], "VERIFIED");
    assert_eq!(agent.get(&domain_path(&ours, "")).await.ok(), ours, "failing DNS releases no domain");

    dns.remove(KEY);
    dns.publish(find_record(&theirs, "TXT", KEY));
    let taken = verify_domain(&other, &theirs).await;
    assert_eq!(taken["status"], "VERIFIED", "{taken:#}");
    let lost = agent.get(&domain_path(&ours, "")).await.ok();
    let key = find_record(&lost, "TXT", KEY);
    assert_eq!((&lost["status"], &key["status"]), (&json!("INVALID"), &json!("INVALID")), "{lost:#}");
    assert!(key["reason"].as_str().unwrap().starts_with("value_mismatch: "), "{key:#}");
    assert_eq!(find_record(&lost, "MX", "example.org")["status"], "VALID");
    let asked = json!({"username": "agent", "domain": "example.org"});
    agent.post("/v0/inboxes", asked.clone()).await.require_error(403, "domain_not_verified");
    other.post("/v0/inboxes", asked).await.ok();
    assert_eq!(verify_domain(&agent, &ours).await["status"], "INVALID", "a repeated verification restores nothing");
    assert_eq!(verify_domain(&other, &theirs).await["status"], "VERIFIED");
}

#[tokio::test]
async fn only_verification_changes_status() {
    let (dns, mut server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
    let seen = async |agent: &inboxd_testkit::Persona| {
        let listed = agent.get("/v0/domains").await.ok()["domains"][0].clone();
        agent.get(&domain_path(&domain, "/zone-file")).await;
        agent.patch(&domain_path(&domain, ""), json!({"feedback_enabled": true})).await.ok();
        let shown = agent.get(&domain_path(&domain, "")).await.ok();
        let states = |domain: &Value| {
            let records = domain["records"].as_array().unwrap();
            let each: Vec<Value> = records.iter().map(|record| record["status"].clone()).collect();
            json!([domain["status"], each])
        };
        assert_eq!(states(&listed), states(&shown));
        states(&shown)
    };
    let before = seen(&agent).await;
    assert_eq!(before[0], "NOT_STARTED");
    dns.publish_all(&domain);
    assert_eq!(seen(&agent).await, before, "all records are published, but no verification ran");
    server.terminate().await;
    server.restart().await;
    let agent = agent.at(&server);
    assert_eq!(seen(&agent).await, before, "a start runs no verification");
    assert_eq!(verify_domain(&agent, &domain).await["status"], "VERIFIED");
    let verified = seen(&agent).await;
    assert_eq!(verified[0], "VERIFIED");
    for record in domain["records"].as_array().unwrap() {
        dns.remove(record["name"].as_str().unwrap());
    }
    assert_eq!(seen(&agent).await, verified, "the records are removed, but no verification ran");
    server.terminate().await;
    server.restart().await;
    let agent = agent.at(&server);
    assert_eq!(seen(&agent).await, verified);
    assert_ne!(verify_domain(&agent, &domain).await["status"], "VERIFIED");
}
