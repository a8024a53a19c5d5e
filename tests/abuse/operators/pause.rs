//! Pausing an inbox: the kill switch of an agent that went wrong.

use std::time::Duration;

use inboxd_testkit::{Persona, Server, eventually};
use serde_json::json;
use tokio::time::sleep;

use super::arrives;
use super::slow_relay::SlowRelay;
use crate::support::{beside, mail_to, options, receive, server_and_agent};

/// How long a hold may take to be in force everywhere.
const SECOND: Duration = Duration::from_secs(1);

async fn set_status(agent: &Persona, status: &str) {
    let inbox = agent.patch(&agent.inbox(""), json!({"status": status})).await.ok();
    assert_eq!(inbox["status"], status);
}

async fn rcpt(server: &Server, address: &str) -> inboxd_testkit::Reply {
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    let reply = client.command(&format!("RCPT TO:<{address}>")).await;
    client.quit().await;
    reply
}

#[tokio::test]
async fn paused_inbox_sends_nothing_by_any_endpoint() {
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
        agent.post(&path, body).await.refused(403, "inbox_paused");
    }
    assert_eq!(agent.get(&agent.inbox("/messages")).await.ok()["messages"].as_array().unwrap().len(), 1, "reads work");
    set_status(&agent, "active").await;
    agent.send(letter).await;
}

#[tokio::test]
async fn key_of_the_inbox_pauses_it_and_does_not_resume_it() {
    let (_server, agent) = server_and_agent().await;
    let own = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "agent"})).await;
    let path = agent.inbox("");
    own.patch(&path, json!({"status": "active"})).await.ok();
    own.patch(&path, json!({"status": "paused"})).await.ok();
    own.patch(&path, json!({"status": "active"})).await.refused(403, "inbox_paused");
    own.patch(&path, json!({"display_name": "Scout"})).await.ok();
    own.patch(&path, json!({"status": "asleep"})).await.refused(422, "validation_error");
    assert_eq!(agent.get(&path).await.ok()["status"], "paused");
    set_status(&agent, "active").await;
}

#[tokio::test]
async fn inbox_made_paused_begins_so() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/inboxes", json!({"username": "late", "status": "paused"})).await.ok();
    assert_eq!(made["status"], "paused");
}

#[tokio::test]
async fn mail_to_a_paused_inbox_is_deferred_by_every_process_and_nothing_is_lost() {
    let (server, agent) = server_and_agent().await;
    let other = beside(&server).start().await;
    for one in [&server, &other] {
        rcpt(one, &agent.inbox_id).await.is(250, "2");
    }
    let mut waiting = other.smtp().await;
    waiting.ehlo().await;
    waiting.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    waiting.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.is(250, "2");
    set_status(&agent, "paused").await;
    rcpt(&server, &agent.inbox_id).await.is(450, "4.2.1");
    // This one was named before the pause, and is stored or deferred.
    waiting.command("DATA").await;
    waiting.write(&mail_to(&agent, "between").raw()).await;
    waiting.write(b"\r\n.\r\n").await;
    waiting.reply().await.is(450, "4.2.1");
    sleep(SECOND).await;
    for address in [agent.inbox_id.clone(), agent.inbox_id.replace('@', "+tag@")] {
        rcpt(&other, &address).await.is(450, "4.2.1");
    }
    let second = agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let path = format!("/v0/inboxes/{}/messages/send", second["inbox_id"].as_str().unwrap());
    agent.post(&path, json!({"to": agent.inbox_id, "subject": "local", "text": "x"})).await.ok();
    server.log().entry("local mail is deferred", |entry| entry["deferred"] == 1).await;
    assert_eq!(agent.get("/v0/events?event_types=message.bounced").await.ok()["events"], json!([]));
    set_status(&agent, "active").await;
    sleep(SECOND).await;
    for one in [&server, &other] {
        rcpt(one, &agent.inbox_id).await.is(250, "2");
    }
    server.database().execute("UPDATE outgoing SET due_at = now()").await;
    arrives(&agent, "local").await;
}

#[tokio::test]
async fn queued_letter_of_a_paused_inbox_is_recalled_and_leaves_when_it_is_resumed() {
    let relay = SlowRelay::start().await;
    let relayed = |options: inboxd_testkit::ServerOptions| {
        options.set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", relay.url())
    };
    // One process is asked, the other one delivers: a hold is in force between processes.
    let api = options().set("INBOXD_ROLES", "http").start().await;
    let worker = relayed(beside(&api)).start().await;
    let agent = api.sign_up("owner@example.org", "scout").await;
    eventually("the code leaves", async || relay.has("code").then_some(())).await;
    relay.set_slow(true);
    for (place, sender) in [(1, agent.clone()), (2, agent.at(&worker))] {
        let subject = format!("letter {place}");
        let before = relay.clients();
        sender.send(json!({"to": "owner@example.org", "subject": subject, "text": "x"})).await;
        eventually("the worker calls the relay", async || (relay.clients() > before).then_some(())).await;
        set_status(&agent, "paused").await;
        sleep(Duration::from_millis(2500)).await;
        assert!(!relay.has(&subject), "it left while the inbox was paused");
        relay.set_slow(false);
        sleep(Duration::from_millis(1200)).await;
        assert!(!relay.has(&subject), "it left at the next attempt");
        set_status(&agent, "active").await;
        eventually("the letter leaves", async || relay.has(&subject).then_some(())).await;
        relay.set_slow(true);
    }
}

#[tokio::test]
async fn deleted_paused_inbox_leaves_nothing_in_the_queue() {
    let (server, agent) = server_and_agent().await;
    set_status(&agent, "paused").await;
    let queued = "INSERT INTO outgoing (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, route, \
        envelope_from, recipients, attempts, created_at, due_at, destination, is_delay_told, held_due_at) \
        SELECT organization_id, gen_random_uuid(), pod_id, inbox_id, gen_random_uuid(), '<1@x>', 'remote', \
            'b@inboxd.example', '{a@example.org}', 0, now(), '9999-01-01', '', false, now() FROM inboxes LIMIT 1";
    server.database().execute(queued).await;
    agent.delete(&agent.inbox("")).await.gone();
    let is_there = "DO $$ BEGIN IF EXISTS (SELECT FROM outgoing WHERE message_id = '<1@x>') THEN \
        RAISE EXCEPTION 'it waits for ever'; END IF; END $$";
    server.database().execute(is_there).await;
}

#[tokio::test]
async fn pause_holds_while_arriving_mail_waits_for_a_locked_thread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first").id("<first@outside.example>")).await;
    let mut session = server.database().session().await;
    session.execute("BEGIN; SELECT 1 FROM threads FOR UPDATE").await;
    // This message holds the inbox while it waits for the thread.
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
    agent.post(&agent.inbox("/messages/send"), letter).await.refused(403, "inbox_paused");
    assert_eq!(rcpt(&server, &agent.inbox_id).await.code, 450);
    session.execute("ROLLBACK").await;
    waiting.await.unwrap();
    assert_eq!(pausing.await.unwrap().ok()["status"], "paused");
}
