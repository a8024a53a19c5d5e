//! Database outages under load. Recovery is automatic; no send is repeated, because no inboxd process dies.

use inboxd_testkit::database::try_execute;
use inboxd_testkit::{Persona, PostgresServer, RelayServer, SqlSession, TestServer, eventually, signal_server};
use serde_json::{Value, json};

use super::checks::check;
use super::load::Load;
use crate::sending::{server_with_relay_and_options, wait_for_event};
use crate::support::options;

#[tokio::test]
async fn external_database_outage_is_survived() {
    let mut database = PostgresServer::start().await;
    let load = Load::begin(options().set("INBOXD_DATABASE_URL", database.url())).await;
    load.until_busy().await;
    database.stop_immediately().await;
    assert_eq!(load.server.http().get("/ready").await.status, 503);
    database.restart().await;
    load.until_busy().await;
    // Its supervisor restarts it.
    database.kill();
    load.until_busy().await;
    check(load, database.url()).await;
}

#[tokio::test]
async fn embedded_database_is_restarted_after_stop_or_kill() {
    let load = Load::begin(options().embedded_database()).await;
    let folder = load.server.data_dir().to_owned();
    let back = async |times: usize| {
        eventually("the database runs again", async || {
            let entries = load.server.log().entries();
            let told = entries.iter().filter(|entry| entry["message"] == "embedded database restarted");
            (told.count() >= times).then_some(())
        })
        .await;
    };
    for (times, signal) in [(1, "KILL"), (2, "INT")] {
        load.until_busy().await;
        signal_server(&folder, signal);
        back(times).await;
    }
    load.until_busy().await;
    let url = format!("postgres://inboxd@/inboxd?host={}/postgres/socket", folder.display());
    check(load, &url).await;
}

#[tokio::test]
async fn relay_reply_during_database_outage_is_stored_afterwards() {
    let mut database = PostgresServer::start().await;
    let (relay, server, agent) =
        server_with_relay_and_options(options().set("INBOXD_DATABASE_URL", database.url())).await;
    relay.hold();
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "taken", "text": "x"})).await;
    relay.mail_about("taken").await;
    database.stop_immediately().await;
    relay.release();
    let is_kept = |entry: &serde_json::Value| {
        entry["message"].as_str().is_some_and(|line| line.starts_with("delivery outcome not stored"))
    };
    server.log().entry("it cannot be stored", is_kept).await;
    database.restart().await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    let times = relay.mails().iter().filter(|mail| mail.header("Subject") == "taken").count();
    assert_eq!(times, 1);
}

/// Waits until a query of a column `text` has rows.
async fn wait_for_rows(session: &mut SqlSession, condition: &str, query: &str) {
    eventually(condition, async || (!session.texts(query).await.is_empty()).then_some(())).await;
}

#[tokio::test]
async fn send_with_lost_reply_to_commit_succeeds_after_restart_of_database() {
    let body = json!({"to": "bob@outside.example", "subject": "lost", "text": "x"});
    let lost = send_with_lost_reply(body, "messages").await;
    let messages = lost.agent.messages().await;
    let ids: Vec<_> = messages.iter().map(|message| &message["message_id"]).collect();
    assert_eq!(ids, [&lost.sent["message_id"]]);
}

#[tokio::test]
async fn delayed_send_with_lost_reply_to_commit_succeeds_after_restart_of_database() {
    let body = json!({"to": "bob@outside.example", "subject": "lost", "text": "x", "undo_seconds": 3600});
    let lost = send_with_lost_reply(body, "drafts").await;
    let drafts = lost.agent.get(&lost.agent.inbox("/drafts")).await.ok();
    assert_eq!(drafts["count"], 1, "{drafts:#}");
    lost.agent.post(&lost.agent.message(&lost.sent["message_id"], "/cancel"), json!({})).await.ok();
}

/// Response to a send whose commit had no reply, with the server and its database, which run again.
struct LostReply {
    _server: TestServer,
    _relay: RelayServer,
    _database: PostgresServer,
    agent: Persona,
    sent: Value,
}

/// Sends a message, and stops the database while the commit waits, which writes to this table.
async fn send_with_lost_reply(body: Value, table: &str) -> LostReply {
    let mut database = PostgresServer::start_replicable().await;
    let url = database.url().to_owned();
    let (relay, server, agent) = server_with_relay_and_options(options().set("INBOXD_DATABASE_URL", &url)).await;
    let mut session = SqlSession::open(&url).await;
    let is_empty = "SELECT 'empty' AS text WHERE NOT EXISTS (SELECT FROM outgoing)";
    wait_for_rows(&mut session, "the queue is empty", is_empty).await;
    // Commits are durable and wait for a standby that does not exist.
    session.execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'").await;
    session.execute("SELECT pg_reload_conf()").await;
    let probes = url.clone();
    tokio::spawn(async move { while try_execute(&probes, "CREATE TABLE probe (); DROP TABLE probe").await.is_ok() {} });
    let waiting = "SELECT query AS text FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    wait_for_rows(&mut session, "commits wait", waiting).await;
    let sender = agent.clone();
    let sending = tokio::spawn(async move { sender.send(body).await });
    let storing = format!(
        "SELECT a.query AS text FROM pg_stat_activity a JOIN pg_locks l USING (pid)
        WHERE a.wait_event = 'SyncRep' AND l.relation = '{table}'::regclass AND l.mode = 'RowExclusiveLock'"
    );
    wait_for_rows(&mut session, "the commit of the message waits", &storing).await;
    session.execute("ALTER SYSTEM RESET synchronous_standby_names").await;
    database.stop_immediately().await;
    database.restart().await;
    let sent = sending.await.unwrap();
    LostReply { _relay: relay, _database: database, _server: server, agent, sent }
}
