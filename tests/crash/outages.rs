//! The database is stopped and killed under load. Nobody helps; no send is ever made twice, since no process of inboxd dies.

use inboxd_testkit::{Postgres, eventually, signal_server};
use serde_json::json;

use super::found::check;
use super::load::Load;
use crate::sending::{event, relayed_by};
use crate::support::options;

#[tokio::test]
async fn a_database_elsewhere_that_goes_and_comes_back_is_found_again() {
    let mut database = Postgres::start().await;
    let load = Load::begin(options().set("INBOXD_DATABASE_URL", database.url())).await;
    load.until_busy().await;
    database.stop_at_once().await;
    assert_eq!(load.server.http().get("/ready").await.status, 503);
    database.start_again().await;
    load.until_busy().await;
    // Its supervisor starts it again.
    database.kill();
    load.until_busy().await;
    check(load, database.url()).await;
}

#[tokio::test]
async fn an_embedded_database_that_is_stopped_or_killed_is_started_again() {
    let load = Load::begin(options().embedded_database()).await;
    let folder = load.server.data_dir().to_owned();
    let back = async |times: usize| {
        eventually("the database runs again", async || {
            let entries = load.server.log().entries();
            let told =
                entries.iter().filter(|entry| entry["message"] == "the embedded database had ended, and runs again");
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
async fn what_the_relay_answers_while_the_database_is_away_is_stored_when_it_is_back() {
    let mut database = Postgres::start().await;
    let (relay, server, agent) = relayed_by(options().set("INBOXD_DATABASE_URL", database.url())).await;
    relay.hold();
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "taken", "text": "x"})).await;
    relay.mail_about("taken").await;
    database.stop_at_once().await;
    relay.release();
    let is_kept = |entry: &serde_json::Value| {
        entry["message"].as_str().is_some_and(|line| line.starts_with("delivery outcome not stored"))
    };
    server.log().entry("it cannot be stored", is_kept).await;
    database.start_again().await;
    event(&agent, "message.delivered", &sent["message_id"]).await;
    let times = relay.mails().iter().filter(|mail| mail.header("Subject") == "taken").count();
    assert_eq!(times, 1);
}
