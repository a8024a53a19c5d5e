//! DANE: hosts that TLSA records of real signed zones authenticate, with a real Postfix.

use std::fmt::Write as _;
use std::net::SocketAddr;

use inboxd_testkit::{ForgingDns, Persona, Postfix, RelayServer, ServerOptions, SignedDns, encoded, eventually};
use serde_json::{Value, json};

use super::loopback_address;
use crate::support::options;

/// Options of a server that validates the zones of the test, through the resolver at an address.
fn dane_options(zones: &SignedDns, resolver: SocketAddr, port: u16) -> ServerOptions {
    options()
        .set("INBOXD_DELIVERY", "direct")
        .set("INBOXD_DIRECT_PORT", port.to_string())
        .set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8")
        .set("INBOXD_DNS_ADDR", resolver.to_string())
        .set("INBOXD_DNSSEC_TRUST_ANCHOR", zones.trust_anchor_file().display().to_string())
}

/// Sends a message to an address, and returns the result of the first attempt from its trace.
async fn first_result(agent: &Persona, to: &str) -> Value {
    let sent = agent.send(json!({"to": to, "subject": format!("for {to}"), "text": "hello"})).await;
    let message = encoded(sent["message_id"].as_str().unwrap());
    let target = format!("/v0/inboxes/{}/trace?ascending=true&message_id={message}", encoded(&agent.inbox_id));
    eventually(&format!("an attempt for {to}"), async || {
        let entries = agent.get(&target).await.ok()["trace"].clone();
        let attempt = entries.as_array()?.iter().find(|entry| entry["kind"] == "delivery.attempted")?.clone();
        Some(attempt["detail"]["results"][0].clone())
    })
    .await
}

#[tokio::test]
async fn tlsa_records_decide_about_hosts_of_signed_zones() {
    let hosts = RelayServer::start_many(1).await;
    let port = hosts[0].port();
    let postfix = Postfix::start(SocketAddr::new(loopback_address(7), port), "ee.signed.example", &["anna"]).await;
    let certificate = postfix.certificate().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    let host = |name: &str, number: u8| format!("{name} MX 10 mx.{name}\nmx.{name} A 127.0.0.{number}\n");
    let signed = [
        host("owner", 1),
        host("ee", 7),
        format!("_{port}._tcp.mx.ee TLSA 3 0 0 {certificate}\n"),
        host("wrong", 7),
        format!("_{port}._tcp.mx.wrong TLSA 3 1 1 {}\n", "00".repeat(32)),
    ]
    .concat();
    let other = "@ MX 10 mx\nmx A 127.0.0.1\n";
    let zones = SignedDns::start(&signed, other, other).await;
    let server = dane_options(&zones, zones.address(), port).start().await;
    let agent = server.sign_up("owner@owner.signed.example", "scout").await;
    agent.verify_with(&hosts[0].code_for("owner@owner.signed.example").await).await;

    let result = first_result(&agent, "anna@ee.signed.example").await;
    assert_eq!(
        (&result["result"], &result["tls"], &result["tls_level"]),
        (&json!("delivered"), &json!(true), &json!("dane"))
    );
    let mail = postfix.wait_for_mail("anna").await;
    assert!(mail.contains("(using TLSv1.3 with cipher"), "{mail}");

    let result = first_result(&agent, "ben@unsigned.example").await;
    assert_eq!((&result["result"], &result["tls_level"]), (&json!("delivered"), &json!("none")));
    assert_eq!(hosts[0].mail_about("for ben@unsigned.example").await.to, ["ben@unsigned.example"]);

    for (to, reason) in [
        ("carl@broken.example", "the MX records of broken.example: its DNSSEC signatures are missing or not valid"),
        ("dora@wrong.signed.example", "because its TLSA records (DANE) demand TLS: "),
    ] {
        let result = first_result(&agent, to).await;
        assert_eq!(result["result"], "deferred", "{result:#}");
        assert!(result["reply"].as_str().unwrap().contains(reason), "{result:#}");
    }
    assert!(hosts[0].mails().iter().all(|mail| !mail.to.contains(&"carl@broken.example".to_owned())));
    assert!(!postfix.log().contains("dora@"), "{}", postfix.log());
}

#[tokio::test]
async fn resolver_without_dnssec_stops_no_mail() {
    let hosts = RelayServer::start_many(1).await;
    let port = hosts[0].port();
    let signed = format!("wrong MX 10 mx\nmx A 127.0.0.1\n_{port}._tcp.mx TLSA 3 1 1 {}\n", "00".repeat(32));
    let zones = SignedDns::start(&signed, "", "").await;
    let resolver = ForgingDns::stripping(zones.address()).await;
    let server = dane_options(&zones, resolver.address(), port).start().await;
    let agent = server.sign_up("owner@wrong.signed.example", "scout").await;
    agent.verify_with(&hosts[0].code_for("owner@wrong.signed.example").await).await;
    let is_warning = |entry: &Value| entry["message"] == "DNSSEC unavailable, DANE not in use";
    let warning = server.log().entry("the warning", is_warning).await;
    assert!(warning["reason"].as_str().unwrap().contains("root zone"), "{warning}");
}
