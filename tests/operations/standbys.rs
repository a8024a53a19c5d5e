//! Reads from a standby: a real streaming replica of the database.

use inboxd_testkit::{ApiResponse, HttpRequest, Persona, PostgresServer, StandbyServer, TestServer, eventually};

use crate::monitoring::samples::sum;
use crate::monitoring::{observed, scrape};
use crate::support::{mail_to, receive, text_fields};

/// The largest staleness that the server permits, in seconds.
const MAX_LAG: u64 = 2;

/// Sends a GET request that accepts any permitted staleness, and requires its success.
async fn read_stale(agent: &Persona, path: &str) -> ApiResponse {
    let response = agent.call(HttpRequest::new("GET", path).header("Cache-Control", "max-stale")).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response
}

/// Lists the subjects of the inbox, newest first, with the staleness of the list if a standby served it.
async fn list_stale(agent: &Persona) -> (Vec<String>, Option<u64>) {
    let response = read_stale(agent, &agent.inbox("/messages")).await;
    let staleness: Option<u64> = response.header("Inboxd-Staleness").map(|seconds| seconds.parse().unwrap());
    assert!(staleness.is_none_or(|seconds| seconds <= MAX_LAG), "{staleness:?}");
    let list = response.json();
    (text_fields(&list, "messages", "subject").into_iter().map(str::to_owned).collect(), staleness)
}

/// Waits until the standby serves the list with these subjects.
async fn standby_lists(agent: &Persona, subjects: &[&str]) {
    eventually("the standby serves the list", async || {
        let (found, staleness) = list_stale(agent).await;
        (staleness.is_some() && found == subjects).then_some(())
    })
    .await;
}

async fn reads(server: &TestServer, outcome: &str) -> f64 {
    sum(&scrape(server).await, "inboxd_standby_reads_total", &[&format!("outcome=\"{outcome}\"")])
}

/// Waits until the measured lag is longer than some seconds, and returns the number of database errors then.
async fn lag_passes(server: &TestServer, seconds: f64) -> f64 {
    eventually("the lag grows", async || {
        let text = scrape(server).await;
        let is_longer = sum(&text, "inboxd_standby_lag_seconds", &[]) > seconds;
        is_longer.then(|| sum(&text, "inboxd_database_errors_total", &["kind=\"unavailable\""]))
    })
    .await
}

#[tokio::test]
async fn standby_serves_reads_that_accept_its_staleness() {
    let primary = PostgresServer::start_replicable().await;
    let mut standby = StandbyServer::start(&primary).await;
    let server = observed()
        .embedded_database()
        .set("INBOXD_DATABASE_URL", primary.url())
        .set("INBOXD_DATABASE_READ_URL", standby.url())
        .set("INBOXD_DATABASE_READ_MAX_LAG", MAX_LAG.to_string())
        .start()
        .await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    standby_lists(&agent, &["first"]).await;
    assert!(reads(&server, "standby").await >= 1.0);
    let doctor = server.command(&["doctor"]).await;
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.lines().any(|line| line.starts_with("ok    standby ") && line.contains("is a standby")), "{said}");

    standby.pause().await;
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    let messages = agent.messages().await;
    assert_eq!(messages.len(), 2, "a list without the directive has the last write: {messages:?}");
    // The standby does not have this message, and refuses nothing.
    read_stale(&agent, &agent.message(&messages[0]["message_id"], "")).await;
    eventually("the primary serves the list", async || {
        let (found, staleness) = list_stale(&agent).await;
        assert_eq!(found.len(), if staleness.is_some() { 1 } else { 2 }, "{found:?} {staleness:?}");
        staleness.is_none().then_some(())
    })
    .await;
    assert!(reads(&server, "primary").await >= 1.0);

    standby.resume().await;
    standby_lists(&agent, &["second", "first"]).await;
    standby.stop_immediately();
    for _ in 0..5 {
        assert_eq!(list_stale(&agent).await.0, ["second", "first"]);
    }
    eventually("a failure excludes the standby", async || list_stale(&agent).await.1.is_none().then_some(())).await;
    assert_eq!(server.http().get("/ready").await.status, 200);
    // Each measurement from here on fails to connect.
    let errors = lag_passes(&server, 2.0).await;
    let added = lag_passes(&server, 3.5).await - errors;
    assert!(added < 0.5, "a standby that is away is no error of the database: {added}");
}
