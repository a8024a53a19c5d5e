//! Suspended organizations.

use std::time::Duration;

use inboxd_testkit::{Persona, WebhookReceiver, eventually};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{admin, refused_command, wait_for_message};
use crate::drafts::{far_future, make_due};
use crate::support::{options, second_process};

const REASON: &str = "unpaid invoice 17";

/// Requires a refusal for suspension, with its reason in message and fix.
fn require_suspension_reason(envelope: &Value) {
    for field in ["message", "fix"] {
        assert!(envelope[field].as_str().unwrap().contains(REASON), "{envelope}");
    }
}

async fn rcpt(server: &inboxd_testkit::TestServer, agent: &Persona) -> inboxd_testkit::SmtpReply {
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    let reply = client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await;
    client.quit().await;
    reply
}

#[tokio::test]
async fn suspended_organization_reads_but_sends_nothing_with_reason() {
    let receiver = WebhookReceiver::start().await;
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let other = second_process(&server).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let neighbour = server.verified("neighbour@example.org", "neighbour").await;
    agent.post("/v0/webhooks", json!({"url": receiver.url(), "event_types": ["message.sent"]})).await.ok();
    let letter = json!({"to": "bob@outside.example", "subject": "due", "text": "x", "send_at": far_future()});
    let draft = agent.post(&agent.inbox("/drafts"), letter).await.ok();
    rcpt(&other, &agent).await.require_code(250, "2");
    let output = admin(&server, &["suspend", &agent.organization_id, "--reason", REASON]).await;
    assert!(output.contains(&agent.organization_id) && output.contains(REASON), "{output}");
    assert!(admin(&server, &["organizations"]).await.contains("suspended"));
    sleep(Duration::from_secs(1)).await;
    for one in [&server, &other] {
        let at = agent.at(one);
        let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
        require_suspension_reason(
            &at.post(&agent.inbox("/messages/send"), letter).await.require_error(403, "organization_suspended"),
        );
        require_suspension_reason(
            &at.post("/v0/inboxes", json!({})).await.require_error(403, "organization_suspended"),
        );
        require_suspension_reason(
            &at.patch(&agent.inbox(""), json!({})).await.require_error(403, "organization_suspended"),
        );
        at.get(&agent.inbox("/messages")).await.ok();
        at.get("/v0/api-keys").await.ok();
        let reply = rcpt(one, &agent).await;
        reply.require_code(450, "4.2.1");
        assert!(reply.lines.concat().contains(REASON), "{reply:?}");
        rcpt(one, &neighbour).await.require_code(250, "2");
    }
    neighbour.send(json!({"to": "bob@outside.example", "subject": "x", "text": "x"})).await;
    make_due(&server).await;
    sleep(Duration::from_secs(2)).await;
    let waiting = agent.get(&agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()))).await.ok();
    assert_eq!(waiting["send_status"], "scheduled", "the message waits without failing");
    let said = admin(&server, &["resume", &agent.organization_id]).await;
    assert!(said.contains("active"), "{said}");
    wait_for_message(&agent, "due").await;
    assert_eq!(receiver.wait_for_requests(1).await.len(), 1);
    rcpt(&server, &agent).await.require_code(250, "2");
}

#[tokio::test]
async fn queued_mail_of_suspended_organization_waits() {
    let relay = inboxd_testkit::RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    relay.reply_once("bob@outside.example", "451 4.3.0 later");
    agent.send(json!({"to": "bob@outside.example", "subject": "queued", "text": "x"})).await;
    server.log().entry("the first attempt", |entry| entry["deferred"] == 1).await;
    admin(&server, &["suspend", &agent.organization_id, "--reason", REASON]).await;
    // Due messages and those that a retry would make due.
    server.database().execute("UPDATE outgoing SET held_due_at = now() WHERE held_due_at IS NOT NULL").await;
    sleep(Duration::from_millis(1500)).await;
    assert!(relay.mails().iter().all(|mail| !mail.text().contains("Subject: queued")));
    admin(&server, &["resume", &agent.organization_id]).await;
    relay.mail_about("queued").await;
}

#[tokio::test]
async fn unprintable_suspension_reason_is_refused() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for reason in ["", "two\nlines", &"x".repeat(301)] {
        let line = refused_command(&server, &["suspend", &agent.organization_id, "--reason", reason]).await;
        assert!(line.contains("300 characters"), "{line}");
    }
    let nobody = "org_00000000000000000000000000000000";
    assert!(refused_command(&server, &["suspend", nobody, "--reason", "x"]).await.contains(nobody));
    assert!(refused_command(&server, &["resume", nobody]).await.contains(nobody));
    eventually("nothing changed", async || (agent.get("/v0/inboxes").await.status == 200).then_some(())).await;
}

#[tokio::test]
async fn operator_revokes_key_by_id_or_prefix_in_every_process() {
    let server = crate::support::server().await;
    let other = second_process(&server).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let made = agent.post("/v0/api-keys", json!({"name": "stray"})).await.ok();
    let stray = agent.with_key(made["api_key"].as_str().unwrap());
    stray.get("/v0/inboxes").await.ok();
    assert!(refused_command(&server, &["keys", "revoke", "am_"]).await.contains("several"));
    let said = admin(&server, &["keys", "revoke", made["prefix"].as_str().unwrap()]).await;
    assert!(said.contains(made["api_key_id"].as_str().unwrap()), "{said}");
    for one in [&server, &other] {
        let stray = one.http().with_key(made["api_key"].as_str().unwrap());
        stray.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    }
    let line = refused_command(&server, &["keys", "revoke", made["api_key_id"].as_str().unwrap()]).await;
    assert!(line.contains("no key"), "{line}");
    let leaked = agent.post("/v0/api-keys", json!({"name": "leaked"})).await.ok();
    let whole = leaked["api_key"].as_str().unwrap();
    for said in
        [admin(&server, &["keys", "revoke", whole]).await, refused_command(&server, &["keys", "revoke", whole]).await]
    {
        assert!(!said.contains(whole), "{said}");
    }
    agent.with_key(whole).get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    agent.get("/v0/inboxes").await.ok();
}
