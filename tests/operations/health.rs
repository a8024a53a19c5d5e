//! `/health`, `/ready`.

use crate::support::server;

#[tokio::test]
async fn running_server_is_live_and_ready() {
    let server = server().await;
    for path in ["/health", "/ready"] {
        assert_eq!(server.http().get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn server_without_database_is_live_but_not_ready_and_defers_mail() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    server.database().force_drop().await;
    inboxd_testkit::eventually("/ready fails", async || {
        let answer = server.http().get("/ready").await;
        (answer.status == 503).then(|| answer.require_error(503, "service_unavailable"))
    })
    .await;
    assert_eq!(server.http().get("/health").await.status, 200);
    let reply = server.deliver("alice@outside.example", &[&agent.inbox_id], "Subject: x\r\n\r\nx\r\n").await;
    assert!((400..500).contains(&reply.code), "{reply:?}");
    let answer = agent.get("/v0/inboxes").await;
    answer.require_error(503, "service_unavailable");
}
