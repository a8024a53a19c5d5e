//! Signatures of outgoing mail, verified by another implementation.

use std::time::Duration;

use inboxd_testkit::{DnsServer, Persona, RelayServer, TestServer, eventually};
use serde_json::{Value, json};

use super::dkimpy::verify;
use crate::domains::{add_verified, domain_path, find_record, verify_domain};
use crate::support::options;

const DOMAIN: &str = "agents.example";
const OWN: &str = "inboxd._domainkey.agents.example";

/// A service on a separate domain, whose key is not in DNS yet, and a verified agent.
async fn start_service(dns: &DnsServer, relay: &RelayServer) -> (TestServer, Persona) {
    let server = options().relay(relay).dns(dns).set("INBOXD_DOMAIN", DOMAIN).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    (server, agent)
}

/// Returns the output of a command.
async fn command_output(server: &TestServer, arguments: &[&str]) -> String {
    let output = server.command(arguments).await;
    assert!(output.stderr.is_empty() || arguments == ["doctor"], "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the key record that a text asks to publish at a name, from strings in zone file syntax.
fn published_record(text: &str, name: &str) -> String {
    let (_, rest) = text.split_once(&format!("{name}. TXT ")).unwrap_or_else(|| panic!("no record in {text}"));
    let line = rest.split(['`', '\n']).next().unwrap();
    let strings: Vec<&str> =
        line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap().split("\" \"").collect();
    assert!(strings.len() > 1 && strings.iter().all(|text| text.len() <= 255 && !text.contains('"')), "{line}");
    strings.concat()
}

/// Publishes the key of the service as `inboxd doctor` shows it, waits until it is in use, and returns its record.
async fn activate_key(server: &TestServer, dns: &DnsServer) -> String {
    let record = published_record(&command_output(server, &["doctor"]).await, OWN);
    dns.txt(OWN, &record);
    let active = format!("SELECT selector AS text FROM dkim_keys WHERE name = '{DOMAIN}' AND state = 'active'");
    let mut session = server.database().session().await;
    eventually("the key is in use", async || session.texts(&active).await.pop()).await;
    let doctor = command_output(server, &["doctor"]).await;
    assert!(doctor.contains(&format!("{OWN} has the key that signs mail of {DOMAIN}")), "{doctor}");
    record
}

/// Sends a message from the first inbox and returns it as delivered.
async fn send_and_relay(agent: &Persona, relay: &RelayServer, subject: &str) -> Vec<u8> {
    agent.send(json!({"to": "bob@outside.example", "subject": subject, "text": "Hello.\n.\nBye  \n"})).await;
    relay.mail_about(subject).await.raw
}

#[tokio::test]
async fn custom_domain_signs_with_its_own_key() {
    let (dns, relay) = (DnsServer::start().await, RelayServer::start().await);
    let (_server, agent) = start_service(&dns, &relay).await;
    let domain = add_verified(&dns, &agent, "custom.example").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "custom.example"})).await.ok();
    let body = json!({"to": "bob@outside.example", "subject": "custom", "text": "Grüße", "html": "<p>Grüße</p>"});
    agent.post("/v0/inboxes/agent@custom.example/messages/send", body).await.ok();
    let raw = relay.mail_about("custom").await.raw;
    let name = "inboxd._domainkey.custom.example";
    let records = domain["records"].as_array().unwrap();
    let value = &records.iter().find(|record| record["name"] == name).unwrap()["value"];
    let found = verify(&raw, &json!({name: value}));
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([name])), "{found}");
    let signed: Vec<&str> = found["signed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let times = |name: &str| signed.iter().filter(|signed| **signed == name).count();
    for name in ["from", "to", "subject", "date", "message-id", "mime-version", "content-type"] {
        assert_eq!(times(name), 2, "another {name} could be added: {signed:?}");
    }
    assert_eq!((times("cc"), times("auto-submitted"), times("list-id")), (1, 1, 0), "{signed:?}");
    let text = String::from_utf8_lossy(&raw);
    for changed in [
        text.replacen("Subject: custom", "Subject: other", 1),
        format!("Subject: other\r\n{text}"),
        format!("Cc: other@example.org\r\n{text}"),
        format!("{text}More.\r\n"),
    ] {
        assert_ne!(verify(changed.as_bytes(), &json!({name: value}))["results"], json!([true]), "{changed}");
    }
    let listed = format!("List-Id: <list.example.org>\r\n{text}");
    assert_eq!(verify(listed.as_bytes(), &json!({name: value}))["results"], json!([true]));
}

#[tokio::test]
async fn service_key_rotation_leaves_no_gap() {
    let (dns, relay) = (DnsServer::start().await, RelayServer::start().await);
    let (server, agent) = start_service(&dns, &relay).await;
    let code = relay.mail_about("Your verification code").await.raw;
    assert!(!String::from_utf8_lossy(&code).contains("DKIM-Signature"), "its key is not published yet");
    let mut records = json!({OWN: activate_key(&server, &dns).await});
    let found = verify(&send_and_relay(&agent, &relay, "before").await, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([OWN])), "{found}");

    let rotate = ["admin", "rotate-dkim", DOMAIN];
    let begun = command_output(&server, &rotate).await;
    let next = begun.lines().last().unwrap().split_once(". TXT").unwrap().0.to_owned();
    assert_ne!(next, OWN);
    assert_eq!(
        command_output(&server, &rotate).await.lines().last(),
        begun.lines().last(),
        "a repeated request creates no other key"
    );
    let during = send_and_relay(&agent, &relay, "during").await;
    assert_eq!(verify(&during, &records)["results"], json!([true]), "the old key signs until the new one is published");

    let value = published_record(&begun, &next);
    records[&next] = json!(value);
    dns.txt(&next, &value);
    let switched = command_output(&server, &rotate).await;
    assert!(switched.contains(&next) && switched.contains(&format!("leave the record of {OWN} until")), "{switched}");
    key_is_read_again().await;
    let after = send_and_relay(&agent, &relay, "after").await;
    let found = verify(&after, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([next])), "{found}");
    assert_eq!(verify(&during, &records)["results"], json!([true]), "mail in transit still verifies");
    assert!(
        command_output(&server, &["doctor"]).await.contains(&format!("{next} has the key")),
        "the new record is checked"
    );

    let stranger = server.command(&["admin", "rotate-dkim", "example.org"]).await;
    assert!(!stranger.status.success(), "{stranger:?}");
}

/// Waits until the server reads a signing key again, which it does once a second.
async fn key_is_read_again() {
    tokio::time::sleep(Duration::from_millis(1_100)).await;
}

#[tokio::test]
async fn custom_domain_stays_verified_during_rotation() {
    let (dns, relay) = (DnsServer::start().await, RelayServer::start().await);
    let (server, agent) = start_service(&dns, &relay).await;
    let domain = add_verified(&dns, &agent, "custom.example").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "custom.example"})).await.ok();
    let old = "inboxd._domainkey.custom.example";
    let send = async |subject: &str| {
        let body = json!({"to": "bob@outside.example", "subject": subject, "text": "Hello."});
        agent.post("/v0/inboxes/agent@custom.example/messages/send", body).await.ok();
        relay.mail_about(subject).await.raw
    };
    let begun = command_output(&server, &["admin", "rotate-dkim", "Custom.example"]).await;
    let next = begun.lines().last().unwrap().split_once(". TXT").unwrap().0.to_owned();
    let shown = agent.get(&domain_path(&domain, "")).await.ok();
    assert_eq!(
        (&shown["status"], &find_record(&shown, "TXT", &next)["status"]),
        (&json!("VERIFIED"), &json!("MISSING"))
    );
    let value = find_record(&shown, "TXT", &next)["value"].clone();
    assert_eq!(json!(published_record(&begun, &next)), value);
    let records = json!({old: find_record(&domain, "TXT", old)["value"], next.as_str(): value});

    let waiting = verify_domain(&agent, &domain).await;
    assert_eq!(
        (&waiting["status"], &find_record(&waiting, "TXT", &next)["status"]),
        (&json!("VERIFIED"), &json!("MISSING"))
    );
    let during = send("during").await;
    let found = verify(&during, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([old])), "{found}");

    dns.txt(&next, value.as_str().unwrap());
    let switched = verify_domain(&agent, &domain).await;
    assert_eq!(switched["status"], "VERIFIED", "{switched:#}");
    for name in [old, &next] {
        assert_eq!(find_record(&switched, "TXT", name)["status"], "VALID", "both records are published: {switched:#}");
    }
    key_is_read_again().await;
    let found = verify(&send("after").await, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([next])), "{found}");
    dns.remove(old);
    let without = verify_domain(&agent, &domain).await;
    assert_eq!(without["status"], "VERIFIED", "the old record is not needed: {without:#}");
}

#[tokio::test]
async fn captured_mail_equals_delivered_mail() {
    let dns = DnsServer::start().await;
    let server = options().dns(&dns).set("INBOXD_DOMAIN", DOMAIN).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let record = activate_key(&server, &dns).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "captured", "text": "Hello."})).await;
    let raw = eventually("the mail is captured", async || {
        let output = server.command(&["admin", "captured", "--limit", "1"]).await;
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, raw) = text.split_once('\n')?;
        raw.contains("Subject: captured").then(|| raw.strip_suffix('\n').unwrap_or(raw).to_owned())
    })
    .await;
    assert_eq!(verify(raw.as_bytes(), &json!({OWN: record}))["results"], json!([true]), "{raw}");
}
