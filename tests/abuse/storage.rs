//! Races, full disks and unreadable rows.

use std::time::{Duration, Instant};

use inboxd_testkit::{Proxy, Relay, Session, TestDatabase, database, eventually};
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{beside, mail_to, options, receive, server_and_agent};

/// Has claims of workers wait, with their rows locked, while a session holds the advisory lock 7.
const SLOW_CLAIMS: &str = "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS \
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$; \
    CREATE TRIGGER dawdle AFTER UPDATE OF claim_id ON outgoing FOR EACH STATEMENT EXECUTE FUNCTION dawdle()";

/// Waits until a backend of the database waits for locks of this kind.
async fn until_one_waits(session: &mut Session, kinds: &str) {
    let waiting = format!(
        "SELECT 'waits' AS text FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND wait_event IN ({kinds}) LIMIT 1"
    );
    eventually("a backend waits", async || (session.texts(&waiting).await.len() == 1).then_some(())).await;
}

#[tokio::test]
async fn threads_deleted_at_delivery_bounce_no_letter() {
    const LETTERS: usize = 12;
    let relay = Relay::start().await;
    let api = options().set("INBOXD_ROLES", "http").start().await;
    let worker = || beside(&api).relay(&relay).set("INBOXD_ROLES", "worker");
    let mut first = worker().start().await;
    let agent = api.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    assert!(first.terminate().await.success());
    let mut sent = Vec::new();
    for letter in 0..LETTERS {
        let to = format!("bob@outside{letter}.example");
        sent.push(agent.send(json!({"to": to, "subject": "kept", "text": "x"})).await);
    }
    let mut session = api.database().session().await;
    session.execute(SLOW_CLAIMS).await;
    session.execute("DO $$ BEGIN PERFORM pg_advisory_lock(7); END $$").await;
    let _worker = worker().start().await;
    // The worker has locked all letters, and deletions have seen them as they were before.
    until_one_waits(&mut session, "'advisory'").await;
    let mut deletions = JoinSet::new();
    for letter in sent {
        let (agent, path) = (agent.clone(), agent.thread(&letter["thread_id"], ""));
        deletions.spawn(async move { agent.delete(&path).await.gone() });
    }
    until_one_waits(&mut session, "'transactionid', 'tuple'").await;
    session.execute("DO $$ BEGIN PERFORM pg_advisory_unlock(7); END $$").await;
    deletions.join_all().await;
    let queued = "DO $$ BEGIN IF EXISTS (SELECT FROM outgoing) THEN RAISE EXCEPTION 'queued'; END IF; END $$";
    eventually("the queue is empty", async || api.database().try_execute(queued).await.ok()).await;
    let arrived = relay.mails().iter().filter(|mail| mail.header("Subject") == "kept").count();
    assert_eq!(arrived, LETTERS);
}

#[tokio::test]
async fn silent_database_host_is_answered_503_and_mail_deferred() {
    let database = database().await;
    let proxy = Proxy::start(&database.url()).await;
    let options = options().set("INBOXD_DATABASE_URL", proxy.url()).set("INBOXD_DATABASE_TIMEOUT_SECONDS", "4");
    let server = options.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    agent.get("/v0/inboxes").await.ok();
    proxy.fall_silent();
    let began = Instant::now();
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    let (inboxes, path) = ([agent.inbox_id.as_str()], agent.inbox("/messages/send"));
    let stranger = server.http().with_key("am_unknown");
    let (reply, sent, listed, refused) = tokio::join!(
        server.deliver("alice@outside.example", &inboxes, "Subject: x\r\n\r\nx\r\n"),
        agent.post(&path, letter),
        agent.get("/v0/inboxes"),
        stranger.get("/v0/inboxes"),
    );
    assert!((400..500).contains(&reply.code), "{reply:?}");
    for answer in [sent, listed, refused] {
        assert!(answer.header("Retry-After").is_some());
        answer.refused(503, "service_unavailable");
    }
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    proxy.answer_again();
    eventually("it answers again", async || (agent.get("/v0/inboxes").await.status == 200).then_some(())).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "x", "text": "x"})).await;
}

/// Has writes of messages, and of the tables that look for space, fail as on a full disk.
const FULL_DISK: &str = "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS \
    $$ BEGIN RAISE EXCEPTION 'kein Platz' USING ERRCODE = '53100'; END $$; \
    CREATE TRIGGER fill BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION fill(); \
    CREATE FUNCTION fill_tables() RETURNS event_trigger LANGUAGE plpgsql AS \
    $$ BEGIN RAISE EXCEPTION 'kein Platz' USING ERRCODE = '53100'; END $$; \
    CREATE EVENT TRIGGER fill_tables ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') \
    EXECUTE FUNCTION fill_tables()";

async fn free_disk(database: &TestDatabase) {
    database.execute("DROP EVENT TRIGGER fill_tables; DROP FUNCTION fill() CASCADE").await;
}

#[tokio::test]
async fn full_disk_is_answered_503_until_there_is_space() {
    let (server, agent) = server_and_agent().await;
    server.database().execute(FULL_DISK).await;
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    let sent = agent.post(&agent.inbox("/messages/send"), letter.clone()).await;
    assert!(sent.header("Retry-After").is_some());
    sent.refused(503, "service_unavailable");
    let reply = server.deliver("alice@outside.example", &[&agent.inbox_id], "Subject: x\r\n\r\nx\r\n").await;
    assert!([451, 452].contains(&reply.code), "{reply:?}");
    server.http().get("/ready").await.refused(503, "service_unavailable");
    agent.get(&agent.inbox("/messages")).await.ok();
    free_disk(server.database()).await;
    assert_eq!(server.http().get("/ready").await.status, 200);
    agent.send(letter).await;
}

#[tokio::test]
async fn low_disk_space_refuses_what_grows_and_nothing_else() {
    let (server, agent) = server_and_agent().await;
    let draft = agent.post(&agent.inbox("/drafts"), json!({"subject": "x"})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let low = beside(&server)
        .set("INBOXD_DATA_DIR", server.data_dir().to_str().unwrap())
        .set("INBOXD_MIN_FREE_BYTES", "9000000000000000000")
        .start()
        .await;
    let agent = agent.at(&low);
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    for path in [agent.inbox("/messages/send"), agent.inbox("/drafts"), "/v0/inboxes".to_owned()] {
        let refused = agent.post(&path, letter.clone()).await;
        assert!(refused.header("Retry-After").is_some(), "{path}");
        refused.refused(503, "service_unavailable");
    }
    let labels = json!({"add_labels": ["seen"]});
    for path in [agent.thread(&message["thread_id"], ""), agent.message(&message["message_id"], "")] {
        agent.patch(&path, labels.clone()).await.refused(503, "service_unavailable");
    }
    let many = json!({"message_ids": [message["message_id"]], "add_labels": ["seen"]});
    agent.post(&agent.inbox("/messages/batch-update"), many).await.refused(503, "service_unavailable");
    let metadata = json!({"metadata": {"note": "x"}});
    agent.patch(&agent.inbox(""), metadata).await.refused(503, "service_unavailable");
    // The switch of an agent that went wrong has to work.
    for status in ["paused", "active"] {
        agent.patch(&agent.inbox(""), json!({"status": status})).await.ok();
    }
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    agent.patch(&path, json!({"text": "y"})).await.refused(503, "service_unavailable");
    let reply = low.deliver("alice@outside.example", &[&agent.inbox_id], "Subject: x\r\n\r\nx\r\n").await;
    assert_eq!(reply.code, 452, "{reply:?}");
    agent.get(&path).await.ok();
    agent.delete(&path).await.gone();
    low.http().get("/ready").await.refused(503, "service_unavailable");
    server.http().get("/ready").await.ok();
    // The other process has space.
    agent.at(&server).send(letter).await;
}

#[tokio::test]
async fn refused_messages_become_a_limited_number_of_events() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/send/block", json!({"entry": "blocked.example"})).await.ok();
    let letter = json!({"to": "bob@blocked.example", "text": "x"});
    for _ in 0..105 {
        agent.post(&agent.inbox("/messages/send"), letter.clone()).await.refused(403, "recipient_blocked");
    }
    let events = "SELECT count(*)::text AS text FROM events WHERE event_type = 'message.rejected'";
    assert_eq!(server.database().session().await.texts(events).await, ["100"]);
    // Another inbox has its own.
    let other = server.verified("other@example.org", "other").await;
    other.post("/v0/lists/send/block", json!({"entry": "blocked.example"})).await.ok();
    other.post(&other.inbox("/messages/send"), letter).await.refused(403, "recipient_blocked");
    assert_eq!(server.database().session().await.texts(events).await, ["101"]);
}

#[tokio::test]
async fn organization_beyond_twice_its_allowance_receives_no_mail() {
    const ALLOWANCE: u64 = 1_000_000_000;
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    let store = async |bytes: u64| {
        let usage = format!("UPDATE inbox_usage SET storage_bytes = {bytes} WHERE inbox_id = '{}'", agent.inbox_id);
        server.database().execute(&usage).await;
    };
    let deliver = async |to: &str| {
        let reply = server.deliver("alice@outside.example", &[to], "Subject: x\r\n\r\nx\r\n").await;
        reply.code
    };
    // A session that named its recipient before does not pass by the limit.
    let mut early = server.smtp().await;
    early.ehlo().await;
    for line in ["MAIL FROM:<alice@outside.example>".to_owned(), format!("RCPT TO:<{}>", agent.inbox_id)] {
        early.command(&line).await.is(250, "2");
    }
    store(2 * ALLOWANCE + 100_000_000).await;
    let is_stopped = async || (deliver(&agent.inbox_id).await == 452).then_some(());
    eventually("mail is deferred", is_stopped).await;
    assert_eq!(early.command("DATA").await.code, 354);
    early.write(b"Subject: early\r\n\r\nx\r\n.\r\n").await;
    assert_eq!(early.reply().await.code, 452);
    assert_eq!(deliver(&other.inbox_id).await, 250);
    assert_eq!(deliver(&agent.inbox_id).await, 452, "it stays so");
    // Over the allowance it receives.
    store(ALLOWANCE + 500_000_000).await;
    eventually("mail is taken again", async || (deliver(&agent.inbox_id).await == 250).then_some(())).await;
}
