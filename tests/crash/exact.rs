//! Kills at chosen moments: between what the world answers and what is stored of it, and in the middle of an attempt.

use inboxd_testkit::{Persona, Relay, Server, TestDatabase, eventually};
use serde_json::{Value, json};

use crate::drafts::{come_due, later, write};
use crate::sending::{event, relayed};
use crate::support::beside;

/// From now on the database takes no word of a delivery that succeeded.
async fn refuse_records(database: &TestDatabase) {
    let refusing = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN RAISE EXCEPTION 'not now'; END $$; \
        CREATE TRIGGER refuse BEFORE DELETE ON outgoing FOR EACH ROW EXECUTE FUNCTION refuse()";
    database.execute(refusing).await;
}

async fn take_records_again(database: &TestDatabase) {
    database.execute("DROP FUNCTION refuse() CASCADE").await;
}

/// A server of which the relay has taken a mail, and that could not store it.
async fn with_a_delivery_that_is_not_stored(subject: &str) -> (Relay, Server, Persona, Value) {
    let (relay, server, agent) = relayed().await;
    // The mail with the code has left the queue.
    an_empty_queue(&server).await;
    refuse_records(server.database()).await;
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": subject, "text": "x"})).await;
    let is_kept =
        |entry: &Value| entry["message"].as_str().is_some_and(|line| line.starts_with("delivery outcome not stored"));
    server.log().entry("it cannot be stored", is_kept).await;
    (relay, server, agent, sent)
}

/// Waits until nothing is queued.
async fn an_empty_queue(server: &Server) {
    let queued = "DO $$ BEGIN IF EXISTS (SELECT FROM outgoing) THEN RAISE EXCEPTION 'queued'; END IF; END $$";
    eventually("the queue is empty", async || server.database().try_execute(queued).await.ok()).await;
}

/// How many times the relay was given a mail.
fn times(relay: &Relay, subject: &str) -> usize {
    relay.mails().iter().filter(|mail| mail.header("Subject") == subject).count()
}

#[tokio::test]
async fn what_the_relay_took_is_kept_until_it_can_be_stored() {
    let (relay, server, agent, sent) = with_a_delivery_that_is_not_stored("kept").await;
    take_records_again(server.database()).await;
    event(&agent, "message.delivered", &sent["message_id"]).await;
    an_empty_queue(&server).await;
    assert_eq!(times(&relay, "kept"), 1);
}

#[tokio::test]
async fn what_the_relay_took_is_not_sent_again_after_a_kill() {
    let (relay, mut server, agent, sent) = with_a_delivery_that_is_not_stored("taken").await;
    server.kill_9().await;
    take_records_again(server.database()).await;
    // Also when it is long ago, and others may have the mail.
    server.database().execute("UPDATE outgoing SET due_at = now() - interval '1 hour'").await;
    server.restart().await;
    event(&agent.at(&server), "message.delivered", &sent["message_id"]).await;
    an_empty_queue(&server).await;
    assert_eq!(times(&relay, "taken"), 1);
}

#[tokio::test]
async fn what_cannot_be_stored_at_the_end_is_left_to_the_next_start() {
    let (relay, mut server, agent, sent) = with_a_delivery_that_is_not_stored("later").await;
    assert!(server.terminate().await.success());
    take_records_again(server.database()).await;
    server.restart().await;
    event(&agent.at(&server), "message.delivered", &sent["message_id"]).await;
    assert_eq!(times(&relay, "later"), 1);
}

#[tokio::test]
async fn another_process_finishes_what_a_killed_one_leaves() {
    let (relay, mut server, agent, sent) = with_a_delivery_that_is_not_stored("shared").await;
    let beside =
        beside(&server).relay(&relay).set("INBOXD_DATA_DIR", server.data_dir().to_str().unwrap()).start().await;
    server.kill_9().await;
    take_records_again(server.database()).await;
    event(&agent.at(&beside), "message.delivered", &sent["message_id"]).await;
    assert_eq!(times(&relay, "shared"), 1);
    beside.log().entry("it was taken over", |entry| entry["message"] == "orphaned journal taken over").await;
}

#[tokio::test]
async fn an_attempt_that_was_cut_short_is_made_again_at_once() {
    let (relay, mut server, agent) = relayed().await;
    relay.hold();
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "cut short", "text": "x"})).await;
    relay.mail_about("cut short").await;
    server.kill_9().await;
    relay.release();
    server.restart().await;
    // Nobody knows whether the relay took it the first time.
    event(&agent.at(&server), "message.delivered", &sent["message_id"]).await;
    assert_eq!(times(&relay, "cut short"), 2);
    let ids: Vec<String> = relay
        .mails()
        .iter()
        .filter(|mail| mail.header("Subject") == "cut short")
        .map(|mail| mail.header("Message-ID"))
        .collect();
    assert_eq!(ids[0], ids[1], "whoever gets it twice can tell");
}

#[tokio::test]
async fn a_mail_inside_of_which_a_part_was_delivered_is_stored_once_for_everybody() {
    let (relay, server, agent) = relayed().await;
    an_empty_queue(&server).await;
    drop(relay);
    let mut others = Vec::new();
    for username in ["first", "second"] {
        let inbox = agent.post("/v0/inboxes", json!({"username": username})).await.ok();
        others.push(inbox["inbox_id"].as_str().unwrap().to_owned());
    }
    // The mail is in the queue again when the first inbox has it and the second has not: so it is after a kill between.
    let keeping = "CREATE TABLE kept (LIKE outgoing INCLUDING GENERATED); \
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN INSERT INTO kept SELECT OLD.*; RETURN OLD; END $$; \
        CREATE TRIGGER keep BEFORE DELETE ON outgoing FOR EACH ROW EXECUTE FUNCTION keep()";
    server.database().execute(keeping).await;
    let to = [others[0].as_str(), others[1].as_str(), agent.inbox_id.as_str()];
    agent.send(json!({"to": to, "subject": "inside", "text": "hello"})).await;
    let stored = async |inbox: &str| {
        let list = agent.get(&format!("/v0/inboxes/{inbox}/messages?labels=received")).await.ok();
        list["messages"].as_array().unwrap().clone()
    };
    let first = eventually("all have it", async || {
        let [one, two, own] = [stored(to[0]).await, stored(to[1]).await, stored(to[2]).await];
        (one.len() + two.len() + own.len() == 3).then_some(two)
    })
    .await;
    an_empty_queue(&server).await;
    let id = inboxd_testkit::encoded(first[0]["message_id"].as_str().unwrap());
    agent.delete(&format!("/v0/inboxes/{}/messages/{id}", to[1])).await.gone();
    server.database().execute("UPDATE kept SET due_at = now(); INSERT INTO outgoing SELECT * FROM kept").await;
    eventually("the second has it again", async || (stored(to[1]).await.len() == 1).then_some(())).await;
    an_empty_queue(&server).await;
    assert_eq!([stored(to[0]).await.len(), stored(to[1]).await.len(), stored(to[2]).await.len()], [1, 1, 1]);
}

#[tokio::test]
async fn a_draft_that_was_being_sent_at_a_kill_is_sent_once_without_waiting_for_its_claim() {
    let (relay, mut server, agent) = relayed().await;
    let slow = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_sleep(20); RETURN NEW; END $$; \
        CREATE TRIGGER slow BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION slow()";
    server.database().execute(slow).await;
    let body = json!({"to": "bob@outside.example", "subject": "scheduled", "text": "x", "send_at": later()});
    write(&agent, body).await;
    come_due(&server).await;
    eventually("it is being sent", async || {
        let drafts = agent.get("/v0/drafts").await.ok();
        (drafts["drafts"][0]["send_status"] == "sending").then_some(())
    })
    .await;
    server.kill_9().await;
    server.database().execute("DROP FUNCTION slow() CASCADE").await;
    server.restart().await;
    let is_released = |entry: &Value| {
        entry["message"] == "interrupted work due again" && entry["work"].as_str().unwrap().starts_with("draft ")
    };
    server.log().entry("its claim is given up", is_released).await;
    relay.mail_about("scheduled").await;
    let agent = agent.at(&server);
    eventually("the draft has gone", async || (agent.get("/v0/drafts").await.ok()["count"] == 0).then_some(())).await;
    assert_eq!((times(&relay, "scheduled"), agent.messages().await.len()), (1, 1));
}
