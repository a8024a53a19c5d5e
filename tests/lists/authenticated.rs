//! Entries of allow lists that admit authenticated mail only.

use inboxd_testkit::{DnsServer, MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use super::{add_entry, delete_entry, events_of_type, level_paths};
use crate::support::options;

const ANN: &str = "ann@good.example";

/// A server on which mail of `good.example` is authenticated if its return path is there too, its resolver, and an agent.
async fn server_and_agent() -> (TestServer, DnsServer, Persona) {
    let dns = DnsServer::start().await;
    dns.txt("good.example", "v=spf1 ip4:127.0.0.1 ip6:::1 -all");
    dns.txt("_dmarc.good.example", "v=DMARC1; p=none");
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (server, dns, agent)
}

/// Delivers a mail of Ann and returns it.
async fn deliver(server: &TestServer, agent: &Persona, envelope: &str, subject: &str) -> Value {
    let mail = MailBuilder::new(ANN, &agent.inbox_id, subject, "hello");
    server.deliver(envelope, &[&agent.inbox_id], mail.raw()).await.require_code(250, "2");
    let list = agent.get(&agent.inbox("/messages?include_blocked=true&limit=200")).await.ok();
    let messages = list["messages"].as_array().unwrap();
    messages.iter().find(|message| message["subject"] == subject).unwrap().clone()
}

fn has_reason(message: &Value) -> bool {
    let reasons = message["trust"]["reasons"].as_array().unwrap();
    reasons.iter().any(|reason| reason["name"] == "unproved_listing")
}

#[tokio::test]
async fn sender_of_allow_list_passes_with_authentication_only() {
    let (server, _dns, agent) = server_and_agent().await;
    for (number, whose) in level_paths(&agent).await.iter().enumerate() {
        let path = format!("/v0{whose}/lists/receive/allow");
        let asked = json!({"entry": "good.example", "require_authentication": true});
        let entry = agent.post(&path, asked).await.ok();
        assert_eq!(entry["require_authentication"], true);
        assert_eq!(agent.get(&path).await.ok()["entries"], json!([entry]));
        assert_eq!(agent.get(&format!("{path}/good.example")).await.ok(), entry);

        let proved = deliver(&server, &agent, ANN, &format!("proved {number}")).await;
        assert_eq!(proved["labels"], json!(["received", "unread"]), "{proved:#}");
        assert!(!has_reason(&proved));
        let forged = deliver(&server, &agent, "x@carrier.example", &format!("forged {number}")).await;
        assert_eq!(forged["labels"], json!(["blocked", "received", "unread"]), "{forged:#}");
        assert!(has_reason(&forged), "{forged:#}");
        let told = events_of_type(&agent, "message.received.blocked").await;
        assert_eq!((told.len(), &told[0]["message"]["subject"]), (number + 1, &forged["subject"]));

        delete_entry(&agent, whose, "receive/allow", "good.example").await;
        let plain = add_entry(&agent, whose, "receive/allow", "good.example").await;
        assert_eq!(plain.get("require_authentication"), None);
        let forged = deliver(&server, &agent, "x@carrier.example", &format!("admitted {number}")).await;
        assert_eq!(forged["labels"], json!(["received", "unread"]), "an entry without the requirement admits it");
        delete_entry(&agent, whose, "receive/allow", "good.example").await;
    }
}

#[tokio::test]
async fn answers_can_require_authentication_and_other_lists_cannot() {
    let (_server, _dns, agent) = server_and_agent().await;
    let asked = json!({"entry": "good.example", "require_authentication": true});
    let made = agent.post("/v0/lists/reply/allow", asked.clone()).await.ok();
    assert_eq!(made["require_authentication"], true);
    for list in ["send/allow", "send/block", "receive/block", "reply/block"] {
        let path = format!("/v0/lists/{list}");
        let refused = agent.post(&path, asked.clone()).await.require_error(422, "validation_error");
        assert_eq!(refused["errors"][0]["path"], "require_authentication", "{list}");
        let without = json!({"entry": "good.example", "require_authentication": false});
        assert_eq!(agent.post(&path, without).await.ok().get("require_authentication"), None, "{list}");
    }
}
