//! Kills at chosen moments: between a reply and its storage, and within a delivery attempt.

use inboxd_testkit::{Persona, RelayServer, TestDatabase, TestServer, eventually};
use serde_json::{Value, json};

use crate::drafts::{create_draft, far_future, make_due};
use crate::sending::{server_with_relay, wait_for_event};
use crate::support::second_process;

/// Makes the database refuse outcomes of successful deliveries.
async fn refuse_records(database: &TestDatabase) {
    let refusing = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN RAISE EXCEPTION 'not now'; END $$; \
        CREATE TRIGGER refuse BEFORE DELETE ON outgoing FOR EACH ROW EXECUTE FUNCTION refuse()";
    database.execute(refusing).await;
}

async fn accept_records(database: &TestDatabase) {
    database.execute("DROP FUNCTION refuse() CASCADE").await;
}

/// A server whose relay has accepted a mail, with an outcome that cannot be stored.
async fn server_with_unstored_delivery(subject: &str) -> (RelayServer, TestServer, Persona, Value) {
    let (relay, server, agent) = server_with_relay().await;
    // The mail with the code has left the queue.
    wait_for_empty_queue(&server).await;
    refuse_records(server.database()).await;
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": subject, "text": "x"})).await;
    let is_kept =
        |entry: &Value| entry["message"].as_str().is_some_and(|line| line.starts_with("delivery outcome not stored"));
    server.log().entry("it cannot be stored", is_kept).await;
    (relay, server, agent, sent)
}

/// Waits until the queue is empty.
async fn wait_for_empty_queue(server: &TestServer) {
    let queued = "DO $$ BEGIN IF EXISTS (SELECT FROM outgoing) THEN RAISE EXCEPTION 'queued'; END IF; END $$";
    eventually("the queue is empty", async || server.database().try_execute(queued).await.ok()).await;
}

/// Counts the deliveries of a mail to the relay.
fn delivery_count(relay: &RelayServer, subject: &str) -> usize {
    relay.mails().iter().filter(|mail| mail.header("Subject") == subject).count()
}

#[tokio::test]
async fn accepted_delivery_is_retained_until_stored() {
    let (relay, server, agent, sent) = server_with_unstored_delivery("kept").await;
    accept_records(server.database()).await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    wait_for_empty_queue(&server).await;
    assert_eq!(delivery_count(&relay, "kept"), 1);
}

#[tokio::test]
async fn accepted_delivery_is_not_repeated_after_kill() {
    let (relay, mut server, agent, sent) = server_with_unstored_delivery("taken").await;
    server.kill().await;
    accept_records(server.database()).await;
    // The same holds after a long time, when other workers may claim the mail.
    server.database().execute("UPDATE outgoing SET due_at = now() - interval '1 hour'").await;
    server.restart().await;
    wait_for_event(&agent.at(&server), "message.delivered", &sent["message_id"]).await;
    wait_for_empty_queue(&server).await;
    assert_eq!(delivery_count(&relay, "taken"), 1);
}

#[tokio::test]
async fn outcome_unstored_at_shutdown_is_stored_at_next_start() {
    let (relay, mut server, agent, sent) = server_with_unstored_delivery("later").await;
    assert!(server.terminate().await.success());
    accept_records(server.database()).await;
    server.restart().await;
    wait_for_event(&agent.at(&server), "message.delivered", &sent["message_id"]).await;
    assert_eq!(delivery_count(&relay, "later"), 1);
}

#[tokio::test]
async fn other_process_completes_work_of_killed_one() {
    let (relay, mut server, agent, sent) = server_with_unstored_delivery("shared").await;
    let beside =
        second_process(&server).relay(&relay).set("INBOXD_DATA_DIR", server.data_dir().to_str().unwrap()).start().await;
    server.kill().await;
    accept_records(server.database()).await;
    wait_for_event(&agent.at(&beside), "message.delivered", &sent["message_id"]).await;
    assert_eq!(delivery_count(&relay, "shared"), 1);
    beside.log().entry("it was taken over", |entry| entry["message"] == "orphaned journal taken over").await;
}

#[tokio::test]
async fn interrupted_attempt_is_repeated_immediately() {
    let (relay, mut server, agent) = server_with_relay().await;
    relay.hold();
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "cut short", "text": "x"})).await;
    relay.mail_about("cut short").await;
    server.kill().await;
    relay.release();
    server.restart().await;
    // The outcome of the first attempt at the relay is unknown.
    wait_for_event(&agent.at(&server), "message.delivered", &sent["message_id"]).await;
    assert_eq!(delivery_count(&relay, "cut short"), 2);
    let ids: Vec<String> = relay
        .mails()
        .iter()
        .filter(|mail| mail.header("Subject") == "cut short")
        .map(|mail| mail.header("Message-ID"))
        .collect();
    assert_eq!(ids[0], ids[1], "both copies have one Message-ID");
}

#[tokio::test]
async fn partly_delivered_local_mail_is_stored_once_per_recipient() {
    let (relay, server, agent) = server_with_relay().await;
    wait_for_empty_queue(&server).await;
    drop(relay);
    let mut others = Vec::new();
    for username in ["first", "second"] {
        let inbox = agent.post("/v0/inboxes", json!({"username": username})).await.ok();
        others.push(inbox["inbox_id"].as_str().unwrap().to_owned());
    }
    // The mail is queued again while the first inbox has it and the second does not, as after a kill in between.
    let keeping = "CREATE TABLE kept (LIKE outgoing); \
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
    let first = eventually("all inboxes have it", async || {
        let [one, two, own] = [stored(to[0]).await, stored(to[1]).await, stored(to[2]).await];
        (one.len() + two.len() + own.len() == 3).then_some(two)
    })
    .await;
    wait_for_empty_queue(&server).await;
    let id = inboxd_testkit::encoded(first[0]["message_id"].as_str().unwrap());
    agent.delete(&format!("/v0/inboxes/{}/messages/{id}", to[1])).await.require_no_content();
    // The share is computed anew.
    let again = "DROP TRIGGER keep ON outgoing; ALTER TABLE kept DROP COLUMN share_id; \
        UPDATE kept SET due_at = now(); INSERT INTO outgoing SELECT * FROM kept";
    server.database().execute(again).await;
    eventually("the second inbox has it", async || (stored(to[1]).await.len() == 1).then_some(())).await;
    wait_for_empty_queue(&server).await;
    assert_eq!([stored(to[0]).await.len(), stored(to[1]).await.len(), stored(to[2]).await.len()], [1, 1, 1]);
}

#[tokio::test]
async fn claimed_draft_of_killed_process_is_sent_once_without_delay() {
    let (relay, mut server, agent) = server_with_relay().await;
    let slow = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_sleep(20); RETURN NEW; END $$; \
        CREATE TRIGGER slow BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION slow()";
    server.database().execute(slow).await;
    let body = json!({"to": "bob@outside.example", "subject": "scheduled", "text": "x", "send_at": far_future()});
    create_draft(&agent, body).await;
    make_due(&server).await;
    eventually("the draft is claimed", async || {
        let drafts = agent.get("/v0/drafts").await.ok();
        (drafts["drafts"][0]["send_status"] == "sending").then_some(())
    })
    .await;
    server.kill().await;
    server.database().execute("DROP FUNCTION slow() CASCADE").await;
    server.restart().await;
    let is_released = |entry: &Value| {
        entry["message"] == "interrupted work due again" && entry["work"].as_str().unwrap().starts_with("draft ")
    };
    server.log().entry("its claim is given up", is_released).await;
    relay.mail_about("scheduled").await;
    let agent = agent.at(&server);
    eventually("the draft is deleted", async || (agent.get("/v0/drafts").await.ok()["count"] == 0).then_some(())).await;
    assert_eq!((delivery_count(&relay, "scheduled"), agent.messages().await.len()), (1, 1));
}
