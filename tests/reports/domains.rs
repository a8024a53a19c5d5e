//! Return path domains, which need an SPF record for this server and alignment with the sender.

use serde_json::json;

use super::{delivery_report, recipient_group};
use crate::domains::{add_verified, lift_caps, relay_with_dns};
use crate::sending::wait_for_event;

#[tokio::test]
async fn return_path_uses_custom_domain_of_inbox() {
    let (dns, relay, server, agent) = relay_with_dns().await;
    lift_caps(&server, &agent).await;
    let domain = add_verified(&dns, &agent, "example.com").await;
    let path = format!("/v0/domains/{}", domain["domain_id"].as_str().unwrap());
    agent.patch(&path, json!({"subdomains_enabled": true})).await.ok();
    dns.mx("*.example.com", 10, "inboxd.localhost");
    let verified = agent.post(&format!("{path}/verify"), json!({})).await.ok();
    assert_eq!(verified["status"], "VERIFIED", "{verified:#}");
    for (number, domain, returns_to) in [
        (1, "example.com", "example.com"),
        (2, "deep.example.com", "example.com"),
        (3, "inboxd.localhost", "inboxd.localhost"),
    ] {
        let (inbox, to) = (format!("agent{number}@{domain}"), format!("gone{number}@outside.example"));
        agent.post("/v0/inboxes", json!({"username": format!("agent{number}"), "domain": domain})).await.ok();
        let letter = json!({"to": to, "subject": inbox, "text": "x"});
        let sent = agent.post(&format!("/v0/inboxes/{inbox}/messages/send"), letter).await.ok();
        let mail = relay.mail_about(&inbox).await;
        assert!(mail.from.ends_with(&format!("@{returns_to}")), "{inbox}: {}", mail.from);
        let report = delivery_report(&recipient_group(&to, "failed", "5.1.1"));
        server.deliver("", &[&mail.from], report.into_bytes()).await.require_code(250, "2");
        wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    }
}
