//! Suspending an organization.

use std::time::Duration;

use inboxd_testkit::{Persona, Receiver, eventually};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{admin, arrives, refused};
use crate::drafts::{come_due, later};
use crate::support::{beside, options};

const REASON: &str = "unpaid invoice 17";

/// Checks that an answer refuses for the suspension, and says why in message and fix.
fn says_why(envelope: &Value) {
    for field in ["message", "fix"] {
        assert!(envelope[field].as_str().unwrap().contains(REASON), "{envelope}");
    }
}

async fn rcpt(server: &inboxd_testkit::Server, agent: &Persona) -> inboxd_testkit::Reply {
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    let reply = client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await;
    client.quit().await;
    reply
}

#[tokio::test]
async fn suspended_organization_reads_sends_nothing_and_hears_why() {
    let receiver = Receiver::start().await;
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let other = beside(&server).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let neighbour = server.verified("neighbour@example.org", "neighbour").await;
    agent.post("/v0/webhooks", json!({"url": receiver.url(), "event_types": ["message.sent"]})).await.ok();
    let letter = json!({"to": "bob@outside.example", "subject": "due", "text": "x", "send_at": later()});
    let draft = agent.post(&agent.inbox("/drafts"), letter).await.ok();
    rcpt(&other, &agent).await.is(250, "2");
    let output = admin(&server, &["suspend", &agent.organization_id, "--reason", REASON]).await;
    assert!(output.contains(&agent.organization_id) && output.contains(REASON), "{output}");
    assert!(admin(&server, &["organizations"]).await.contains("suspended"));
    sleep(Duration::from_secs(1)).await;
    for one in [&server, &other] {
        let at = agent.at(one);
        let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
        says_why(&at.post(&agent.inbox("/messages/send"), letter).await.refused(403, "organization_suspended"));
        says_why(&at.post("/v0/inboxes", json!({})).await.refused(403, "organization_suspended"));
        says_why(&at.patch(&agent.inbox(""), json!({})).await.refused(403, "organization_suspended"));
        at.get(&agent.inbox("/messages")).await.ok();
        at.get("/v0/api-keys").await.ok();
        let reply = rcpt(one, &agent).await;
        reply.is(450, "4.2.1");
        assert!(reply.lines.concat().contains(REASON), "{reply:?}");
        rcpt(one, &neighbour).await.is(250, "2");
    }
    neighbour.send(json!({"to": "bob@outside.example", "subject": "x", "text": "x"})).await;
    come_due(&server).await;
    sleep(Duration::from_secs(2)).await;
    let waiting = agent.get(&agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()))).await.ok();
    assert_eq!(waiting["send_status"], "scheduled", "it waits, and does not fail");
    let said = admin(&server, &["resume", &agent.organization_id]).await;
    assert!(said.contains("active"), "{said}");
    arrives(&agent, "due").await;
    assert_eq!(receiver.until(1).await.len(), 1);
    rcpt(&server, &agent).await.is(250, "2");
}

#[tokio::test]
async fn queued_mail_of_a_suspended_organization_waits() {
    let relay = inboxd_testkit::Relay::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    relay.answer_once("bob@outside.example", "451 4.3.0 later");
    agent.send(json!({"to": "bob@outside.example", "subject": "queued", "text": "x"})).await;
    server.log().entry("the first attempt", |entry| entry["deferred"] == 1).await;
    admin(&server, &["suspend", &agent.organization_id, "--reason", REASON]).await;
    // Both what is due and what a retry would make due.
    server.database().execute("UPDATE outgoing SET held_due_at = now() WHERE held_due_at IS NOT NULL").await;
    sleep(Duration::from_millis(1500)).await;
    assert!(relay.mails().iter().all(|mail| !mail.text().contains("Subject: queued")));
    admin(&server, &["resume", &agent.organization_id]).await;
    relay.mail_about("queued").await;
}

#[tokio::test]
async fn reason_that_cannot_be_shown_is_refused() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for reason in ["", "two\nlines", &"x".repeat(301)] {
        let line = refused(&server, &["suspend", &agent.organization_id, "--reason", reason]).await;
        assert!(line.contains("300 characters"), "{line}");
    }
    let nobody = "org_00000000000000000000000000000000";
    assert!(refused(&server, &["suspend", nobody, "--reason", "x"]).await.contains(nobody));
    assert!(refused(&server, &["resume", nobody]).await.contains(nobody));
    eventually("nothing changed", async || (agent.get("/v0/inboxes").await.status == 200).then_some(())).await;
}

#[tokio::test]
async fn operator_revokes_a_key_by_id_or_prefix_everywhere() {
    let server = crate::support::server().await;
    let other = beside(&server).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let made = agent.post("/v0/api-keys", json!({"name": "stray"})).await.ok();
    let stray = agent.with_key(made["api_key"].as_str().unwrap());
    stray.get("/v0/inboxes").await.ok();
    assert!(refused(&server, &["keys", "revoke", "am_"]).await.contains("several"));
    let said = admin(&server, &["keys", "revoke", made["prefix"].as_str().unwrap()]).await;
    assert!(said.contains(made["api_key_id"].as_str().unwrap()), "{said}");
    for one in [&server, &other] {
        let stray = one.http().with_key(made["api_key"].as_str().unwrap());
        stray.get("/v0/inboxes").await.refused(401, "unknown_api_key");
    }
    let line = refused(&server, &["keys", "revoke", made["api_key_id"].as_str().unwrap()]).await;
    assert!(line.contains("no key"), "{line}");
    let leaked = agent.post("/v0/api-keys", json!({"name": "leaked"})).await.ok();
    let whole = leaked["api_key"].as_str().unwrap();
    for said in [admin(&server, &["keys", "revoke", whole]).await, refused(&server, &["keys", "revoke", whole]).await] {
        assert!(!said.contains(whole), "{said}");
    }
    agent.with_key(whole).get("/v0/inboxes").await.refused(401, "unknown_api_key");
    agent.get("/v0/inboxes").await.ok();
}
