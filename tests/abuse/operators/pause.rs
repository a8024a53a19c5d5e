//! Paused inboxes: the kill switch for a misbehaving agent.

use std::time::Duration;

use inboxd_testkit::{Persona, TestServer, eventually};
use serde_json::json;
use tokio::time::sleep;

use super::slow_relay::SlowRelay;
use super::wait_for_message;
use crate::support::{mail_to, options, receive, second_process, server_and_agent};

/// Time within which all processes enforce a hold.
const SECOND: Duration = Duration::from_secs(1);

async fn set_status(agent: &Persona, status: &str) {
    let inbox = agent.patch(&agent.inbox(""), json!({"status": status})).await.ok();
    assert_eq!(inbox["status"], status);
}

async fn rcpt(server: &TestServer, address: &str) -> inboxd_testkit::SmtpReply {
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    let reply = client.command(&format!("RCPT TO:<{address}>")).await;
    client.quit().await;
    reply
}

#[tokio::test]
async fn paused_inbox_sends_nothing_through_any_endpoint() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "question")).await;
    let asked = agent.message_about("question").await;
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    let draft = agent.post(&agent.inbox("/drafts"), letter.clone()).await.ok();
    set_status(&agent, "paused").await;
    assert_eq!(agent.get(&agent.inbox("")).await.ok()["status"], "paused");
    assert_eq!(agent.get("/v0/inboxes").await.ok()["inboxes"][0]["status"], "paused");
    let text = json!({"text": "x"});
    for (path, body) in [
        (agent.inbox("/messages/send"), letter.clone()),
        (agent.message(&asked["message_id"], "/reply"), text.clone()),
        (agent.message(&asked["message_id"], "/reply-all"), text.clone()),
        (agent.message(&asked["message_id"], "/forward"), json!({"to": "bob@outside.example"})),
        (agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap())), json!({})),
    ] {
        agent.post(&path, body).await.require_error(403, "inbox_paused");
    }
    assert_eq!(
        agent.get(&agent.inbox("/messages")).await.ok()["messages"].as_array().unwrap().len(),
        1,
        "reads succeed"
    );
    set_status(&agent, "active").await;
    agent.send(letter).await;
}

#[tokio::test]
async fn inbox_key_can_pause_but_not_resume_inbox() {
    let (_server, agent) = server_and_agent().await;
    let own = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "agent"})).await;
    let path = agent.inbox("");
    own.patch(&path, json!({"status": "active"})).await.ok();
    own.patch(&path, json!({"status": "paused"})).await.ok();
    own.patch(&path, json!({"status": "active"})).await.require_error(403, "inbox_paused");
    own.patch(&path, json!({"display_name": "Scout"})).await.ok();
    own.patch(&path, json!({"status": "asleep"})).await.require_error(422, "validation_error");
    assert_eq!(agent.get(&path).await.ok()["status"], "paused");
    set_status(&agent, "active").await;
}

#[tokio::test]
async fn inbox_created_paused_is_paused() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/inboxes", json!({"username": "late", "status": "paused"})).await.ok();
    assert_eq!(made["status"], "paused");
}

#[tokio::test]
async fn mail_to_paused_inbox_is_deferred_by_every_process_without_loss() {
    let (server, agent) = server_and_agent().await;
    let other = second_process(&server).start().await;
    for one in [&server, &other] {
        rcpt(one, &agent.inbox_id).await.require_code(250, "2");
    }
    let mut waiting = other.smtp().await;
    waiting.ehlo().await;
    waiting.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    waiting.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2");
    set_status(&agent, "paused").await;
    rcpt(&server, &agent.inbox_id).await.require_code(450, "4.2.1");
    // This session named its recipient before the pause; its mail is stored or deferred.
    waiting.command("DATA").await;
    waiting.write(&mail_to(&agent, "between").raw()).await;
    waiting.write(b"\r\n.\r\n").await;
    waiting.reply().await.require_code(450, "4.2.1");
    sleep(SECOND).await;
    for address in [agent.inbox_id.clone(), agent.inbox_id.replace('@', "+tag@")] {
        rcpt(&other, &address).await.require_code(450, "4.2.1");
    }
    let second = agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let path = format!("/v0/inboxes/{}/messages/send", second["inbox_id"].as_str().unwrap());
    agent.post(&path, json!({"to": agent.inbox_id, "subject": "local", "text": "x"})).await.ok();
    server.log().entry("local mail is deferred", |entry| entry["deferred"] == 1).await;
    assert_eq!(agent.get("/v0/events?event_types=message.bounced").await.ok()["events"], json!([]));
    set_status(&agent, "active").await;
    sleep(SECOND).await;
    for one in [&server, &other] {
        rcpt(one, &agent.inbox_id).await.require_code(250, "2");
    }
    server.database().execute("UPDATE outgoing SET due_at = now()").await;
    wait_for_message(&agent, "local").await;
}

#[tokio::test]
async fn queued_message_of_paused_inbox_is_recalled_until_resumed() {
    let relay = SlowRelay::start().await;
    let relayed = |options: inboxd_testkit::ServerOptions| {
        options.set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", relay.url())
    };
    // One process pauses the inbox and the other one delivers: a hold applies across processes.
    let api = options().set("INBOXD_ROLES", "http").start().await;
    let worker = relayed(second_process(&api)).start().await;
    let agent = api.sign_up("owner@example.org", "scout").await;
    eventually("the code is delivered", async || relay.has("code").then_some(())).await;
    relay.set_slow(true);
    for (place, sender) in [(1, agent.clone()), (2, agent.at(&worker))] {
        let subject = format!("letter {place}");
        let before = relay.clients();
        sender.send(json!({"to": "owner@example.org", "subject": subject, "text": "x"})).await;
        eventually("the worker calls the relay", async || (relay.clients() > before).then_some(())).await;
        set_status(&agent, "paused").await;
        sleep(Duration::from_millis(2500)).await;
        assert!(!relay.has(&subject), "sent while the inbox was paused");
        relay.set_slow(false);
        sleep(Duration::from_millis(1200)).await;
        assert!(!relay.has(&subject), "sent at the next attempt");
        set_status(&agent, "active").await;
        eventually("the message is delivered", async || relay.has(&subject).then_some(())).await;
        relay.set_slow(true);
    }
}

#[tokio::test]
async fn deleted_paused_inbox_has_no_queued_messages() {
    let (server, agent) = server_and_agent().await;
    set_status(&agent, "paused").await;
    let queued = "INSERT INTO outgoing (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, route, \
        envelope_from, recipients, attempts, created_at, due_at, destination, is_delay_told, held_due_at) \
        SELECT organization_id, gen_random_uuid(), pod_id, inbox_id, gen_random_uuid(), '<1@x>', 'remote', \
            'b@inboxd.example', '{a@example.org}', 0, now(), '9999-01-01', '', false, now() FROM inboxes LIMIT 1";
    server.database().execute(queued).await;
    agent.delete(&agent.inbox("")).await.require_no_content();
    let is_there = "DO $$ BEGIN IF EXISTS (SELECT FROM outgoing WHERE message_id = '<1@x>') THEN \
        RAISE EXCEPTION 'it waits for ever'; END IF; END $$";
    server.database().execute(is_there).await;
}

#[tokio::test]
async fn pause_takes_effect_while_inbound_mail_waits_for_locked_thread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first").id("<first@outside.example>")).await;
    let mut session = server.database().session().await;
    session.execute("BEGIN; SELECT 1 FROM threads FOR UPDATE").await;
    // This message locks the inbox while it waits for the thread.
    let answer = mail_to(&agent, "answer").header("In-Reply-To", "<first@outside.example>").raw();
    let mut client = server.smtp().await;
    client.ehlo().await;
    let recipient = agent.inbox_id.clone();
    let waiting = tokio::spawn(async move { client.deliver("alice@outside.example", &[&recipient], &answer).await });
    sleep(Duration::from_millis(300)).await;
    let pausing = tokio::spawn({
        let agent = agent.clone();
        async move { agent.patch(&agent.inbox(""), json!({"status": "paused"})).await }
    });
    sleep(SECOND).await;
    assert!(!waiting.is_finished());
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    agent.post(&agent.inbox("/messages/send"), letter).await.require_error(403, "inbox_paused");
    assert_eq!(rcpt(&server, &agent.inbox_id).await.code, 450);
    session.execute("ROLLBACK").await;
    waiting.await.unwrap();
    assert_eq!(pausing.await.unwrap().ok()["status"], "paused");
}
