//! Races, full disks and unreadable rows in storage.

use std::time::{Duration, Instant};

use inboxd_testkit::{RelayServer, SqlSession, TcpProxy, TestDatabase, database, eventually};
use serde_json::json;
use tokio::task::JoinSet;

use crate::mcp_tools::ToolClient;
use crate::support::{mail_to, options, receive, second_process, server_and_agent};

/// Makes claims of workers wait with locked rows while a session holds advisory lock 7.
const SLOW_CLAIMS: &str = "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS \
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$; \
    CREATE TRIGGER dawdle AFTER UPDATE OF claim_id ON outgoing FOR EACH STATEMENT EXECUTE FUNCTION dawdle()";

/// Waits until a backend waits for this kind of lock.
async fn wait_for_lock_wait(session: &mut SqlSession, kinds: &str) {
    let waiting = format!(
        "SELECT 'waits' AS text FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND wait_event IN ({kinds}) LIMIT 1"
    );
    eventually("a backend waits", async || (session.texts(&waiting).await.len() == 1).then_some(())).await;
}

#[tokio::test]
async fn threads_deleted_during_delivery_cause_no_bounce() {
    const LETTERS: usize = 12;
    let relay = RelayServer::start().await;
    let api = options().set("INBOXD_ROLES", "http").start().await;
    let worker = || second_process(&api).relay(&relay).set("INBOXD_ROLES", "worker");
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
    // The worker has locked all queued messages; the deletions read their state before that.
    wait_for_lock_wait(&mut session, "'advisory'").await;
    let mut deletions = JoinSet::new();
    for letter in sent {
        let (agent, path) = (agent.clone(), agent.thread(&letter["thread_id"], ""));
        deletions.spawn(async move { agent.delete(&path).await.require_no_content() });
    }
    wait_for_lock_wait(&mut session, "'transactionid', 'tuple'").await;
    session.execute("DO $$ BEGIN PERFORM pg_advisory_unlock(7); END $$").await;
    deletions.join_all().await;
    let queued = "DO $$ BEGIN IF EXISTS (SELECT FROM outgoing) THEN RAISE EXCEPTION 'queued'; END IF; END $$";
    eventually("the queue is empty", async || api.database().try_execute(queued).await.ok()).await;
    let arrived = relay.mails().iter().filter(|mail| mail.header("Subject") == "kept").count();
    assert_eq!(arrived, LETTERS);
}

#[tokio::test]
async fn silent_database_host_causes_503_and_deferred_mail() {
    let database = database().await;
    let proxy = TcpProxy::start(&database.url()).await;
    let options = options().set("INBOXD_DATABASE_URL", proxy.url()).set("INBOXD_DATABASE_TIMEOUT_SECONDS", "4");
    let server = options.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    agent.get("/v0/inboxes").await.ok();
    proxy.stop_forwarding();
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
        answer.require_error(503, "service_unavailable");
    }
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    proxy.resume_forwarding();
    eventually("requests succeed again", async || (agent.get("/v0/inboxes").await.status == 200).then_some(())).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "x", "text": "x"})).await;
}

/// Makes writes of messages and of the space check fail as on a full disk.
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
async fn full_disk_causes_503_until_space_is_free() {
    let (server, agent) = server_and_agent().await;
    server.database().execute(FULL_DISK).await;
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    let sent = agent.post(&agent.inbox("/messages/send"), letter.clone()).await;
    assert!(sent.header("Retry-After").is_some());
    sent.require_error(503, "service_unavailable");
    let reply = server.deliver("alice@outside.example", &[&agent.inbox_id], "Subject: x\r\n\r\nx\r\n").await;
    assert!([451, 452].contains(&reply.code), "{reply:?}");
    server.http().get("/ready").await.require_error(503, "service_unavailable");
    agent.get(&agent.inbox("/messages")).await.ok();
    free_disk(server.database()).await;
    assert_eq!(server.http().get("/ready").await.status, 200);
    agent.send(letter).await;
}

#[tokio::test]
async fn low_disk_space_refuses_only_growing_writes() {
    let (server, agent) = server_and_agent().await;
    let draft = agent.post(&agent.inbox("/drafts"), json!({"subject": "x"})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let low = second_process(&server)
        .set("INBOXD_DATA_DIR", server.data_dir().to_str().unwrap())
        .set("INBOXD_MIN_FREE_BYTES", "9000000000000000000")
        .start()
        .await;
    let agent = agent.at(&low);
    let letter = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    for path in [agent.inbox("/messages/send"), agent.inbox("/drafts"), "/v0/inboxes".to_owned()] {
        let refused = agent.post(&path, letter.clone()).await;
        assert!(refused.header("Retry-After").is_some(), "{path}");
        refused.require_error(503, "service_unavailable");
    }
    let labels = json!({"add_labels": ["seen"]});
    for path in [agent.thread(&message["thread_id"], ""), agent.message(&message["message_id"], "")] {
        agent.patch(&path, labels.clone()).await.require_error(503, "service_unavailable");
    }
    let many = json!({"message_ids": [message["message_id"]], "add_labels": ["seen"]});
    agent.post(&agent.inbox("/messages/batch-update"), many).await.require_error(503, "service_unavailable");
    let metadata = json!({"metadata": {"note": "x"}});
    agent.patch(&agent.inbox(""), metadata).await.require_error(503, "service_unavailable");
    // The kill switch of a misbehaving agent must work.
    for status in ["paused", "active"] {
        agent.patch(&agent.inbox(""), json!({"status": status})).await.ok();
    }
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    agent.patch(&path, json!({"text": "y"})).await.require_error(503, "service_unavailable");
    let tools = ToolClient::new(&agent);
    let named = json!({"inboxId": agent.inbox_id});
    for (tool, more) in [
        ("send_message", json!({"to": "bob@outside.example", "text": "x"})),
        ("update_message", json!({"messageId": message["message_id"], "addLabels": ["seen"]})),
        ("update_inbox", json!({"displayName": "x"})),
        ("create_draft", json!({"text": "x"})),
    ] {
        let mut arguments = named.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(tools.refused(tool, arguments).await["code"], "service_unavailable", "{tool}");
    }
    assert_eq!(tools.call("list_messages", named.clone()).await["count"], 1);
    tools.call("delete_message", json!({"inboxId": agent.inbox_id, "messageId": message["message_id"]})).await;
    let reply = low.deliver("alice@outside.example", &[&agent.inbox_id], "Subject: x\r\n\r\nx\r\n").await;
    assert_eq!(reply.code, 452, "{reply:?}");
    agent.get(&path).await.ok();
    agent.delete(&path).await.require_no_content();
    low.http().get("/ready").await.require_error(503, "service_unavailable");
    server.http().get("/ready").await.ok();
    // The other process has free disk space.
    agent.at(&server).send(letter).await;
}

#[tokio::test]
async fn refused_messages_append_limited_number_of_events() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/send/block", json!({"entry": "blocked.example"})).await.ok();
    let letter = json!({"to": "bob@blocked.example", "text": "x"});
    for _ in 0..101 {
        agent.post(&agent.inbox("/messages/send"), letter.clone()).await.require_error(403, "recipient_blocked");
    }
    let events = "SELECT count(*)::text AS text FROM events WHERE event_type = 'message.rejected'";
    assert_eq!(server.database().session().await.texts(events).await, ["100"]);
    // Another inbox has a separate limit.
    let other = server.verified("other@example.org", "other").await;
    other.post("/v0/lists/send/block", json!({"entry": "blocked.example"})).await.ok();
    other.post(&other.inbox("/messages/send"), letter).await.require_error(403, "recipient_blocked");
    assert_eq!(server.database().session().await.texts(events).await, ["101"]);
}

#[tokio::test]
async fn organization_beyond_twice_its_storage_limit_receives_no_mail() {
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
    // A session that named its recipient earlier does not bypass the limit.
    let mut early = server.smtp().await;
    early.ehlo().await;
    for line in ["MAIL FROM:<alice@outside.example>".to_owned(), format!("RCPT TO:<{}>", agent.inbox_id)] {
        early.command(&line).await.require_code(250, "2");
    }
    store(2 * ALLOWANCE + 100_000_000).await;
    let is_stopped = async || (deliver(&agent.inbox_id).await == 452).then_some(());
    eventually("mail is deferred", is_stopped).await;
    assert_eq!(early.command("DATA").await.code, 354);
    early.write(b"Subject: early\r\n\r\nx\r\n.\r\n").await;
    assert_eq!(early.reply().await.code, 452);
    assert_eq!(deliver(&other.inbox_id).await, 250);
    assert_eq!(deliver(&agent.inbox_id).await, 452, "mail stays deferred");
    // Above the limit, but below twice the limit, it receives mail.
    store(ALLOWANCE + 500_000_000).await;
    eventually("mail is accepted again", async || (deliver(&agent.inbox_id).await == 250).then_some(())).await;
}
