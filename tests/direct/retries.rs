//! Temporary failures: retries and alternative hosts.

use inboxd_testkit::{TestServer, eventually};
use serde_json::json;

use super::{DirectDelivery, queued_mails, serve_domain, start_direct_delivery};
use crate::sending::wait_for_event;

/// Waits until the mail for a domain was tried and its next attempt is planned.
async fn wait_for_deferral(server: &TestServer, domain: &str) {
    let tried = format!("destination = '{domain}' AND attempts > 0 AND due_at < now() + interval '5 min'");
    eventually("the mail was tried", async || (!queued_mails(server, &tried).await.is_empty()).then_some(())).await;
}

/// Makes the queued mail due, in place of a wait for ten seconds.
async fn make_due(server: &TestServer) {
    server.database().execute("UPDATE outgoing SET due_at = now()").await;
}

#[tokio::test]
async fn greylisting_server_receives_mail_at_next_attempt() {
    let DirectDelivery { dns: _dns, hosts, server, agent } = start_direct_delivery(1).await;
    hosts[0].reply_once("anna@example.org", "451 4.7.1 greylisted, come back later");
    let sent =
        agent.send(json!({"to": ["anna@example.org", "ben@example.org"], "subject": "grey", "text": "hi"})).await;
    wait_for_deferral(&server, "example.org").await;
    make_due(&server).await;
    let both = async || {
        let about: Vec<_> = hosts[0].mails().into_iter().filter(|mail| mail.headers("Subject") == ["grey"]).collect();
        (about.len() == 2).then(|| about.into_iter().map(|mail| mail.to).collect::<Vec<_>>())
    };
    assert_eq!(eventually("both recipients have it", both).await, [["ben@example.org"], ["anna@example.org"]]);
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    assert_eq!(agent.get("/v0/events?event_types=message.bounced").await.ok()["count"], 0);
}

#[tokio::test]
async fn mail_is_delivered_to_second_host_when_first_is_down() {
    let DirectDelivery { dns, hosts, server: _server, agent } = start_direct_delivery(2).await;
    // The first host is down; the second one accepts.
    serve_domain(&dns, "out.example", 10, 9);
    serve_domain(&dns, "out.example", 20, 2);
    let sent = agent.send(json!({"to": "anna@out.example", "subject": "second", "text": "hi"})).await;
    assert_eq!(hosts[1].mail_about("second").await.to, ["anna@out.example"]);
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
}

#[tokio::test]
async fn failing_dns_defers_mail() {
    let DirectDelivery { dns, hosts, server, agent } = start_direct_delivery(2).await;
    dns.fail("out.example");
    agent.send(json!({"to": "anna@out.example", "subject": "patience", "text": "hi"})).await;
    wait_for_deferral(&server, "out.example").await;
    dns.remove("out.example");
    serve_domain(&dns, "out.example", 10, 2);
    make_due(&server).await;
    hosts[1].mail_about("patience").await;
    assert_eq!(agent.get("/v0/events?event_types=message.bounced").await.ok()["count"], 0);
}
