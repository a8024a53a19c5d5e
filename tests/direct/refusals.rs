//! Recipients whom no server will ever take mail for.

use inboxd_testkit::{Dns, Relay};
use serde_json::json;

use super::{World, directly, queued, serve, world};
use crate::sending::event;

#[tokio::test]
async fn what_dns_says_for_sure_bounces_and_a_null_mx_suppresses() {
    let World { dns, hosts: _hosts, server: _server, agent } = world(1).await;
    dns.mx("null.example", 0, ".");
    let table = [
        ("null.example", "5.1.10", "Permanent", "NoEmail"),
        // The name may come back: what DNS says today is not held against the address.
        ("nowhere.example", "5.1.2", "Transient", "NoDomain"),
    ];
    for (domain, status, kind, sub_type) in table {
        let recipient = format!("anna@{domain}");
        let sent = agent.send(json!({"to": recipient, "text": "hello"})).await;
        let bounce = event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
        assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!(kind), &json!(sub_type)));
        assert_eq!(bounce["recipients"], json!([{"address": recipient, "status": status}]));
        let again = agent.post(&agent.inbox("/messages/send"), json!({"to": recipient, "text": "hello"})).await;
        if kind == "Permanent" {
            again.refused(403, "recipient_suppressed");
        } else {
            again.ok();
        }
    }
}

#[tokio::test]
async fn mail_that_leads_back_to_us_bounces_as_a_loop() {
    let World { dns, hosts: _hosts, server: _server, agent } = world(1).await;
    dns.mx("loop.example", 10, "inboxd.localhost");
    let sent = agent.send(json!({"to": "anna@loop.example", "text": "hello"})).await;
    let bounce = event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
    assert_eq!((&bounce["type"], &bounce["sub_type"]), (&json!("Transient"), &json!("MailLoop")));
    assert_eq!(bounce["recipients"][0]["status"], "5.4.6");
}

#[tokio::test]
async fn nobody_leads_mail_into_the_operators_network() {
    let (dns, relay) = (Dns::start().await, Relay::start().await);
    serve(&dns, "example.org", 10, 1);
    let server = directly(&dns, relay.port()).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "").start().await;
    server.sign_up("owner@example.org", "scout").await;
    let gone = async || (queued(&server, "true").await.is_empty()).then_some(());
    inboxd_testkit::eventually("the mail has left the queue", gone).await;
    assert!(relay.mails().is_empty());
    server.log().entry("the bounce", |entry| entry.to_string().contains("\"bounced\":1")).await;
}
