//! Domains that accept mail under TLS only (RFC 8461), across restarts.

use inboxd_testkit::eventually;
use serde_json::json;

use super::{DirectDelivery, queued_mails, serve_domain, start_direct_delivery};

#[tokio::test]
async fn stored_policy_blocks_host_without_tls_after_restart() {
    let DirectDelivery { dns: _dns, hosts, mut server, agent } = start_direct_delivery(1).await;
    agent.send(json!({"to": "anna@example.org", "subject": "before", "text": "hello"})).await;
    hosts[0].mail_about("before").await;
    // The policy was fetched by another process or before a restart; no server offers it now.
    let sql = "INSERT INTO sts_policies (domain, policy_id, mode, hosts, bytes, fetched_at, expires_at, used_at)
        VALUES ('example.org', '1', 'enforce', '{mx1.example.org}', 200, now(), now() + interval '7 days', now())";
    server.database().execute(sql).await;
    server.terminate().await;
    server.restart().await;
    let agent = agent.at(&server);
    agent.send(json!({"to": "anna@example.org", "subject": "after", "text": "hello"})).await;
    let waits = "attempts > 0 AND due_at < now() + interval '5 min'";
    eventually("the message is deferred", async || (!queued_mails(&server, waits).await.is_empty()).then_some(()))
        .await;
    assert!(hosts[0].mails().iter().all(|mail| mail.header("Subject") != "after"));
    let is_reason =
        |entry: &serde_json::Value| entry.to_string().contains("offers no TLS, which its MTA-STS policy demands");
    server.log().entry("the deferral", is_reason).await;
}

#[tokio::test]
async fn message_is_deferred_while_policies_are_unreadable() {
    let DirectDelivery { dns, hosts, server, agent } = start_direct_delivery(1).await;
    serve_domain(&dns, "other.example", 10, 1);
    server.database().execute("ALTER TABLE sts_policies RENAME TO sts_policies_away").await;
    agent.send(json!({"to": "anna@other.example", "subject": "later", "text": "hello"})).await;
    let waits = "attempts > 0 AND due_at < now() + interval '5 min'";
    eventually("the message is deferred", async || (!queued_mails(&server, waits).await.is_empty()).then_some(()))
        .await;
    assert!(hosts[0].mails().iter().all(|mail| mail.header("Subject") != "later"));
    server
        .database()
        .execute("ALTER TABLE sts_policies_away RENAME TO sts_policies; UPDATE outgoing SET due_at = now()")
        .await;
    hosts[0].mail_about("later").await;
}
