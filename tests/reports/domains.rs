//! Where reports come back to: a domain whose SPF record names us, and which the sender is aligned with.

use serde_json::json;

use super::{dsn, group};
use crate::domains::{add_verified, enterprise, relayed_with_dns};
use crate::sending::event;

#[tokio::test]
async fn reports_come_back_to_the_custom_domain_of_the_inbox() {
    let (dns, relay, server, agent) = relayed_with_dns().await;
    enterprise(&server, &agent).await;
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
        let report = dsn(&group(&to, "failed", "5.1.1"));
        server.deliver("", &[&mail.from], report.into_bytes()).await.is(250, "2");
        event(&agent, "message.bounced", &sent["message_id"]).await;
    }
}
