//! Authentication results of inbound mail, its labels and its visibility.

use inboxd_testkit::MailBuilder;
use serde_json::{Value, json};

use super::dkimpy::Key;
use super::{deliver_and_read, header_values, server_with_dns};
use crate::support::subjects;

fn mail(from: &str, to: &str, subject: &str) -> Vec<u8> {
    MailBuilder::new(from, to, subject, "Hello.\n\nThis is  a mail.").id(&format!("<{subject}@mail.example>")).raw()
}

/// Fields shown of an authentic mail.
fn clean() -> Value {
    json!(["received", "unread"])
}

/// Fields shown of a forged or unauthenticated mail.
fn unauthenticated() -> Value {
    json!(["received", "unauthenticated", "unread"])
}

#[tokio::test]
async fn mail_authenticated_by_its_domain_has_pass_results() {
    let (dns, server, agent) = server_with_dns().await;
    let key = Key::rsa(2048);
    dns.txt("news.good.example", "v=spf1 ip4:127.0.0.1 ip6:::1 -all");
    dns.txt("_dmarc.good.example", "v=DMARC1; p=reject");
    dns.txt("k1._domainkey.good.example", &key.record);
    let raw = key.sign("good.example", "k1", &mail("Ann <ann@good.example>", &agent.inbox_id, "vouched"));
    let message = deliver_and_read(&server, &agent, "bounces@news.good.example", &raw, "vouched").await;
    assert_eq!(message["labels"], clean());
    let wanted = json!({"spf": "pass", "dkim": "pass", "dmarc": "pass", "aligned_domain": "good.example"});
    assert_eq!(message["authentication"], wanted);
    let field = "inboxd.localhost; spf=pass smtp.mailfrom=news.good.example; \
                 dkim=pass header.d=good.example header.s=k1; dmarc=pass header.from=good.example";
    assert_eq!(header_values(&agent, &message, "Authentication-Results").await, [field]);
    assert_eq!(message["headers"]["Authentication-Results"], field, "{message:#}");
}

#[tokio::test]
async fn forged_mail_is_labelled_and_hidden_with_own_event() {
    let (dns, server, agent) = server_with_dns().await;
    dns.txt("_dmarc.bank.example", "v=DMARC1; p=quarantine");
    let raw = mail("The bank <service@bank.example>", &agent.inbox_id, "forged");
    let message = deliver_and_read(&server, &agent, "mallory@evil.example", &raw, "forged").await;
    assert_eq!(message["labels"], unauthenticated());
    assert_eq!(message["authentication"], json!({"spf": "none", "dkim": "none", "dmarc": "fail"}));
    for list in ["/messages", "/threads"] {
        assert_eq!(subjects(&agent, list).await, [""; 0]);
        assert_eq!(subjects(&agent, &format!("{list}?include_unauthenticated=true")).await, ["forged"]);
    }
    let events = agent.get("/v0/events?event_types=message.received.unauthenticated").await.ok();
    assert_eq!((&events["count"], &events["events"][0]["message"]["subject"]), (&json!(1), &json!("forged")));
    assert_eq!(agent.get("/v0/events?event_types=message.received").await.ok()["count"], 0, "one event for each mail");
    let body = json!({"name": "reader", "permissions": {"message_read": true}});
    let reader = agent.create_key("/v0/api-keys", body).await;
    reader.get(&agent.message(&message["message_id"], "")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn only_failed_authentication_adds_label() {
    let (dns, server, agent) = server_with_dns().await;
    let key = Key::ed25519();
    dns.txt("k1._domainkey.signs.example", &key.record);
    dns.txt("refuses.example", "v=spf1 -all");
    dns.txt("softly.example", "v=spf1 ~all");
    dns.txt("refuses-and-signs.example", "v=spf1 -all");
    dns.txt("k1._domainkey.refuses-and-signs.example", &key.record);
    dns.txt("_dmarc.refuses-and-signs.example", "v=DMARC1; p=reject");
    dns.txt("_dmarc.watches.example", "v=DMARC1; p=none");
    let from = |domain: &str, subject: &str| mail(&format!("ann@{domain}"), &agent.inbox_id, subject);
    let signed = |domain: &str, subject: &str| key.sign(domain, "k1", &from(domain, subject));
    let changed = |raw: Vec<u8>| String::from_utf8(raw).unwrap().replace("Hello", "Goodbye").into_bytes();
    let two = |subject: &str| [b"From: mallory@evil.example\r\n", from("signs.example", subject).as_slice()].concat();
    for (envelope, subject, raw, labels, found) in [
        ("a@nobody.example", "unknown", from("nobody.example", "unknown"), clean(), ["none", "none", "none"]),
        ("a@softly.example", "soft", from("softly.example", "soft"), clean(), ["softfail", "none", "none"]),
        (
            "a@refuses.example",
            "refused",
            from("refuses.example", "refused"),
            unauthenticated(),
            ["fail", "none", "none"],
        ),
        ("a@nobody.example", "signed", signed("signs.example", "signed"), clean(), ["none", "pass", "none"]),
        (
            "a@nobody.example",
            "changed",
            changed(signed("signs.example", "changed")),
            unauthenticated(),
            ["none", "fail", "none"],
        ),
        (
            "a@refuses-and-signs.example",
            "forwarded",
            signed("refuses-and-signs.example", "forwarded"),
            clean(),
            ["fail", "pass", "pass"],
        ),
        ("a@nobody.example", "watched", from("watches.example", "watched"), clean(), ["none", "none", "fail"]),
        ("a@nobody.example", "two", two("two"), unauthenticated(), ["none", "none", "fail"]),
    ] {
        let message = deliver_and_read(&server, &agent, envelope, &raw, subject).await;
        let verdict = &message["authentication"];
        assert_eq!(message["labels"], labels, "{subject}: {verdict}");
        assert_eq!(json!([verdict["spf"], verdict["dkim"], verdict["dmarc"]]), json!(found), "{subject}");
    }
}

#[tokio::test]
async fn weak_signatures_do_not_authenticate() {
    let (dns, server, agent) = server_with_dns().await;
    let (strong, weak, sha1) = (Key::rsa(1024), Key::rsa(768), Key::rsa(2048).with_sha1());
    for (selector, key) in [("strong", &strong), ("weak", &weak), ("sha1", &sha1)] {
        dns.txt(&format!("{selector}._domainkey.signs.example"), &key.record);
    }
    let raw = |subject: &str| mail("ann@signs.example", &agent.inbox_id, subject);
    let simple = json!({"canonical": "simple/simple"});
    let partly = json!({"length": true});
    for (subject, mail, found, labels) in [
        ("strong", strong.sign("signs.example", "strong", &raw("strong")), "pass", clean()),
        ("simple", strong.sign_with("signs.example", "strong", &raw("simple"), &simple), "pass", clean()),
        ("weak", weak.sign("signs.example", "weak", &raw("weak")), "fail", unauthenticated()),
        ("sha1", sha1.sign("signs.example", "sha1", &raw("sha1")), "policy", unauthenticated()),
        ("partly", strong.sign_with("signs.example", "strong", &raw("partly"), &partly), "policy", unauthenticated()),
    ] {
        let message = deliver_and_read(&server, &agent, "a@nobody.example", &mail, subject).await;
        assert_eq!((&message["authentication"]["dkim"], &message["labels"]), (&json!(found), &labels), "{subject}");
    }
}

#[tokio::test]
async fn mail_between_local_inboxes_has_no_network_results() {
    let (_dns, _server, agent) = server_with_dns().await;
    agent.send(json!({"to": agent.inbox_id, "subject": "to myself", "text": "Hello."})).await;
    let arrived = inboxd_testkit::eventually("the message arrives", async || {
        let list = agent.get(&agent.inbox("/messages?labels=received")).await.ok();
        list["messages"].get(0).cloned()
    })
    .await;
    let message = agent.get(&agent.message(&arrived["message_id"], "")).await.ok();
    assert!(message.get("authentication").is_none(), "{message:#}");
    assert_eq!(message["labels"], clean());
}
