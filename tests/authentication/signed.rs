//! Mail that leaves is signed; another implementation verifies it.

use inboxd_testkit::{Dns, Persona, Relay, Server, eventually};
use serde_json::{Value, json};

use super::dkimpy::verify;
use crate::domains::{add_verified, path, record, verify as verified};
use crate::support::options;

const DOMAIN: &str = "agents.example";
const OWN: &str = "inboxd._domainkey.agents.example";

/// A service on a domain of its own, whose key does not stand in DNS yet, and a verified agent.
async fn service(dns: &Dns, relay: &Relay) -> (Server, Persona) {
    let server = options().relay(relay).dns(dns).set("INBOXD_DOMAIN", DOMAIN).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    (server, agent)
}

/// What a command says.
async fn said(server: &Server, arguments: &[&str]) -> String {
    let output = server.command(arguments).await;
    assert!(output.stderr.is_empty() || arguments == ["doctor"], "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The key record that a text asks to be published at a name, in strings that a zone takes.
fn record_in(text: &str, name: &str) -> String {
    let (_, rest) = text.split_once(&format!("{name}. TXT ")).unwrap_or_else(|| panic!("no record in {text}"));
    let line = rest.split(['`', '\n']).next().unwrap();
    let strings: Vec<&str> =
        line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap().split("\" \"").collect();
    assert!(strings.len() > 1 && strings.iter().all(|text| text.len() <= 255 && !text.contains('"')), "{line}");
    strings.concat()
}

/// Publishes the key of the service as `inboxd doctor` shows it, waits until it signs, and answers its record.
async fn begin_signing(server: &Server, dns: &Dns) -> String {
    let record = record_in(&said(server, &["doctor"]).await, OWN);
    dns.txt(OWN, &record);
    eventually("the key signs", async || {
        let doctor = said(server, &["doctor"]).await;
        doctor.contains(&format!("{OWN} has the key that signs mail of {DOMAIN}")).then_some(())
    })
    .await;
    record
}

/// Sends a mail from the first inbox and answers it as it left.
async fn sent(agent: &Persona, relay: &Relay, subject: &str) -> Vec<u8> {
    agent.send(json!({"to": "bob@outside.example", "subject": subject, "text": "Hello.\n.\nBye  \n"})).await;
    relay.mail_about(subject).await.raw
}

#[tokio::test]
async fn a_custom_domain_signs_its_mail_with_its_own_key() {
    let (dns, relay) = (Dns::start().await, Relay::start().await);
    let (_server, agent) = service(&dns, &relay).await;
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
async fn one_key_of_the_service_follows_another_without_a_gap() {
    let (dns, relay) = (Dns::start().await, Relay::start().await);
    let (server, agent) = service(&dns, &relay).await;
    let code = relay.mail_about("Your verification code").await.raw;
    assert!(!String::from_utf8_lossy(&code).contains("DKIM-Signature"), "nobody could look its key up");
    let mut records = json!({OWN: begin_signing(&server, &dns).await});
    let found = verify(&sent(&agent, &relay, "before").await, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([OWN])), "{found}");

    let rotate = ["admin", "rotate-dkim", DOMAIN];
    let begun = said(&server, &rotate).await;
    let next = begun.lines().last().unwrap().split_once(". TXT").unwrap().0.to_owned();
    assert_ne!(next, OWN);
    assert_eq!(said(&server, &rotate).await.lines().last(), begun.lines().last(), "to ask again makes no other key");
    let during = sent(&agent, &relay, "during").await;
    assert_eq!(verify(&during, &records)["results"], json!([true]), "the old key signs until the new one stands");

    let value = record_in(&begun, &next);
    records[&next] = json!(value);
    dns.txt(&next, &value);
    let switched = said(&server, &rotate).await;
    assert!(switched.contains(&next) && switched.contains(&format!("leave the record of {OWN} until")), "{switched}");
    let after = sent(&agent, &relay, "after").await;
    let found = verify(&after, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([next])), "{found}");
    assert_eq!(verify(&during, &records)["results"], json!([true]), "mail on its way still verifies");
    assert!(said(&server, &["doctor"]).await.contains(&format!("{next} has the key")), "the new one is looked for");

    let stranger = server.command(&["admin", "rotate-dkim", "example.org"]).await;
    assert!(!stranger.status.success(), "{stranger:?}");
}

#[tokio::test]
async fn a_custom_domain_rotates_while_it_stays_verified() {
    let (dns, relay) = (Dns::start().await, Relay::start().await);
    let (server, agent) = service(&dns, &relay).await;
    let domain = add_verified(&dns, &agent, "custom.example").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "custom.example"})).await.ok();
    let old = "inboxd._domainkey.custom.example";
    let send = async |subject: &str| {
        let body = json!({"to": "bob@outside.example", "subject": subject, "text": "Hello."});
        agent.post("/v0/inboxes/agent@custom.example/messages/send", body).await.ok();
        relay.mail_about(subject).await.raw
    };
    let begun = said(&server, &["admin", "rotate-dkim", "Custom.example"]).await;
    let next = begun.lines().last().unwrap().split_once(". TXT").unwrap().0.to_owned();
    let shown = agent.get(&path(&domain, "")).await.ok();
    assert_eq!((&shown["status"], &record(&shown, "TXT", &next)["status"]), (&json!("VERIFIED"), &json!("MISSING")));
    let value = record(&shown, "TXT", &next)["value"].clone();
    assert_eq!(json!(record_in(&begun, &next)), value);
    let records = json!({old: record(&domain, "TXT", old)["value"], next.as_str(): value});

    let waiting = verified(&agent, &domain).await;
    assert_eq!(
        (&waiting["status"], &record(&waiting, "TXT", &next)["status"]),
        (&json!("VERIFIED"), &json!("MISSING"))
    );
    let during = send("during").await;
    let found = verify(&during, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([old])), "{found}");

    dns.txt(&next, value.as_str().unwrap());
    let switched = verified(&agent, &domain).await;
    assert_eq!(switched["status"], "VERIFIED", "{switched:#}");
    for name in [old, &next] {
        assert_eq!(record(&switched, "TXT", name)["status"], "VALID", "both stand: {switched:#}");
    }
    let found = verify(&send("after").await, &records);
    assert_eq!((&found["results"], &found["names"]), (&json!([true]), &json!([next])), "{found}");
    dns.forget(old);
    let without = verified(&agent, &domain).await;
    assert_eq!(without["status"], "VERIFIED", "the old one is not needed: {without:#}");
}

#[tokio::test]
async fn captured_mail_is_what_would_have_left() {
    let dns = Dns::start().await;
    let server = options().dns(&dns).set("INBOXD_DOMAIN", DOMAIN).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let record = begin_signing(&server, &dns).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "captured", "text": "Hello."})).await;
    let raw = eventually("it is captured", async || {
        let output = server.command(&["admin", "captured", "--limit", "1"]).await;
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, raw) = text.split_once('\n')?;
        raw.contains("Subject: captured").then(|| raw.strip_suffix('\n').unwrap_or(raw).to_owned())
    })
    .await;
    assert_eq!(verify(raw.as_bytes(), &json!({OWN: record}))["results"], json!([true]), "{raw}");
}
