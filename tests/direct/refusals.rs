//! Recipients with a permanent failure before any delivery.

use inboxd_testkit::{DnsServer, RelayServer};
use serde_json::json;

use super::{DirectDelivery, direct_options, queued_mails, serve_domain, start_direct_delivery};
use crate::sending::wait_for_event;

#[tokio::test]
async fn definite_dns_failure_bounces_and_null_mx_suppresses() {
    let DirectDelivery { dns, hosts: _hosts, server: _server, agent } = start_direct_delivery(1).await;
    dns.mx("null.example", 0, ".");
    let table = [
        ("null.example", "5.1.10", "Permanent", "NoEmail"),
        // The name may exist later, so its present absence causes no suppression.
        ("nowhere.example", "5.1.2", "Transient", "NoDomain"),
    ];
    for (domain, status, kind, sub_type) in table {
        let recipient = format!("anna@{domain}");
        let sent = agent.send(json!({"to": recipient, "text": "hello"})).await;
        let bounce = wait_for_event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
        assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!(kind), &json!(sub_type)));
        assert_eq!(bounce["recipients"], json!([{"address": recipient, "status": status}]));
        let again = agent.post(&agent.inbox("/messages/send"), json!({"to": recipient, "text": "hello"})).await;
        if kind == "Permanent" {
            again.require_error(403, "recipient_suppressed");
        } else {
            again.ok();
        }
    }
}

#[tokio::test]
async fn mail_to_own_server_bounces_as_loop() {
    let DirectDelivery { dns, hosts: _hosts, server: _server, agent } = start_direct_delivery(1).await;
    dns.mx("loop.example", 10, "inboxd.localhost");
    let sent = agent.send(json!({"to": "anna@loop.example", "text": "hello"})).await;
    let bounce = wait_for_event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
    assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!("Transient"), &json!("MailLoop")));
    assert_eq!(bounce["recipients"][0]["status"], "5.4.6");
}

#[tokio::test]
async fn mx_in_operator_network_is_refused() {
    let (dns, relay) = (DnsServer::start().await, RelayServer::start().await);
    serve_domain(&dns, "example.org", 10, 1);
    let server = direct_options(&dns, relay.port()).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "").start().await;
    server.sign_up("owner@example.org", "scout").await;
    let gone = async || (queued_mails(&server, "true").await.is_empty()).then_some(());
    inboxd_testkit::eventually("the mail is no longer queued", gone).await;
    assert!(relay.mails().is_empty());
    server.log().entry("the bounce", |entry| entry.to_string().contains("\"bounced\":1")).await;
}
