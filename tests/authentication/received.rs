//! Mail that comes in: what is found out, how it is labelled, and who sees it.

use inboxd_testkit::Mail;
use serde_json::{Value, json};

use super::dkimpy::Key;
use super::{fields, received, server_with_dns};
use crate::support::subjects;

fn mail(from: &str, to: &str, subject: &str) -> Vec<u8> {
    Mail::new(from, to, subject, "Hello.\n\nThis is  a mail.").id(&format!("<{subject}@mail.example>")).raw()
}

/// What is shown of a mail that was not forged.
fn clean() -> Value {
    json!(["received", "unread"])
}

/// What is shown of one that was, or may have been.
fn unauthenticated() -> Value {
    json!(["received", "unauthenticated", "unread"])
}

#[tokio::test]
async fn a_mail_that_its_domain_vouches_for_says_so() {
    let (dns, server, agent) = server_with_dns().await;
    let key = Key::rsa(2048);
    dns.txt("news.good.example", "v=spf1 ip4:127.0.0.1 ip6:::1 -all");
    dns.txt("_dmarc.good.example", "v=DMARC1; p=reject");
    dns.txt("k1._domainkey.good.example", &key.record);
    let raw = key.sign("good.example", "k1", &mail("Ann <ann@good.example>", &agent.inbox_id, "vouched"));
    let message = received(&server, &agent, "bounces@news.good.example", &raw, "vouched").await;
    assert_eq!(message["labels"], clean());
    let wanted = json!({"spf": "pass", "dkim": "pass", "dmarc": "pass", "aligned_domain": "good.example"});
    assert_eq!(message["authentication"], wanted);
    let field = "inboxd.localhost; spf=pass smtp.mailfrom=news.good.example; \
                 dkim=pass header.d=good.example header.s=k1; dmarc=pass header.from=good.example";
    assert_eq!(fields(&agent, &message, "Authentication-Results").await, [field]);
    assert_eq!(message["headers"]["Authentication-Results"], field, "{message:#}");
}

#[tokio::test]
async fn a_forged_mail_is_labelled_left_out_and_told_of_as_what_it_is() {
    let (dns, server, agent) = server_with_dns().await;
    dns.txt("_dmarc.bank.example", "v=DMARC1; p=quarantine");
    let raw = mail("The bank <service@bank.example>", &agent.inbox_id, "forged");
    let message = received(&server, &agent, "mallory@evil.example", &raw, "forged").await;
    assert_eq!(message["labels"], unauthenticated());
    assert_eq!(message["authentication"], json!({"spf": "none", "dkim": "none", "dmarc": "fail"}));
    for list in ["/messages", "/threads"] {
        assert_eq!(subjects(&agent, list).await, [""; 0]);
        assert_eq!(subjects(&agent, &format!("{list}?include_unauthenticated=true")).await, ["forged"]);
    }
    let events = agent.get("/v0/events?event_types=message.received.unauthenticated").await.ok();
    assert_eq!((&events["count"], &events["events"][0]["message"]["subject"]), (&json!(1), &json!("forged")));
    assert_eq!(agent.get("/v0/events?event_types=message.received").await.ok()["count"], 0, "one event a mail");
    let body = json!({"name": "reader", "permissions": {"message_read": true}});
    let reader = agent.key_with("/v0/api-keys", body).await;
    reader.get(&agent.message(&message["message_id"], "")).await.refused(404, "not_found");
}

#[tokio::test]
async fn it_takes_a_failure_to_be_labelled() {
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
        let message = received(&server, &agent, envelope, &raw, subject).await;
        let verdict = &message["authentication"];
        assert_eq!(message["labels"], labels, "{subject}: {verdict}");
        assert_eq!(json!([verdict["spf"], verdict["dkim"], verdict["dmarc"]]), json!(found), "{subject}");
    }
}

#[tokio::test]
async fn weak_signatures_vouch_for_nothing() {
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
        let message = received(&server, &agent, "a@nobody.example", &mail, subject).await;
        assert_eq!((&message["authentication"]["dkim"], &message["labels"]), (&json!(found), &labels), "{subject}");
    }
}

#[tokio::test]
async fn mail_between_two_inboxes_here_came_by_no_network() {
    let (_dns, _server, agent) = server_with_dns().await;
    agent.send(json!({"to": agent.inbox_id, "subject": "to myself", "text": "Hello."})).await;
    let arrived = inboxd_testkit::eventually("it arrives", async || {
        let list = agent.get(&agent.inbox("/messages?labels=received")).await.ok();
        list["messages"].get(0).cloned()
    })
    .await;
    let message = agent.get(&agent.message(&arrived["message_id"], "")).await.ok();
    assert!(message.get("authentication").is_none(), "{message:#}");
    assert_eq!(message["labels"], clean());
}
