//! TLS that the operator demands of destinations, and codes at hosts with broken TLS.

use inboxd_testkit::{DnsServer, RelayServer, encoded, eventually};
use serde_json::{Value, json};

use super::{DirectDelivery, direct_options, queued_mails, serve_domain, start_direct_delivery};

#[tokio::test]
async fn destination_without_demanded_tls_is_deferred_and_others_are_not() {
    let (dns, hosts) = (DnsServer::start().await, RelayServer::start_many(1).await);
    for domain in ["example.org", "open.example", "a.bank.example"] {
        serve_domain(&dns, domain, 10, 1);
    }
    let policy = "open.example=opportunistic,*.bank.example=encrypt";
    let server = direct_options(&dns, hosts[0].port()).set("INBOXD_DIRECT_TLS", policy).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&hosts[0].code_for("owner@example.org").await).await;
    let to = ["anna@open.example", "ben@a.bank.example"];
    let sent = agent.send(json!({"to": to, "subject": "levels", "text": "hello"})).await;
    assert_eq!(hosts[0].mail_about("levels").await.to, ["anna@open.example"]);
    let waits = "destination = 'a.bank.example' AND attempts > 0 AND due_at < now() + interval '5 min'";
    eventually("the other is deferred", async || (!queued_mails(&server, waits).await.is_empty()).then_some(())).await;
    let message = encoded(sent["message_id"].as_str().unwrap());
    let target = format!("/v0/inboxes/{}/trace?message_id={message}", encoded(&agent.inbox_id));
    let trace = agent.get(&target).await.ok().to_string();
    assert!(
        trace.contains("mx1.a.bank.example at 127.0.0.1 offers no TLS, which INBOXD_DIRECT_TLS demands"),
        "{trace}"
    );
}

#[tokio::test]
async fn code_is_held_back_where_offered_tls_fails_and_other_mail_is_not() {
    let DirectDelivery { dns, hosts, server, agent } = start_direct_delivery(2).await;
    serve_domain(&dns, "broken.example", 10, 2);
    hosts[1].break_tls();
    agent.send(json!({"to": "anna@broken.example", "subject": "plain", "text": "hello"})).await;
    assert_eq!(hosts[1].mail_about("plain").await.to, ["anna@broken.example"]);
    server.sign_up("newcomer@broken.example", "rover").await;
    let is_reason = |entry: &Value| {
        let text = entry.to_string();
        text.contains("mx2.broken.example") && text.contains("because it holds a code")
    };
    server.log().entry("the deferral of the code", is_reason).await;
    assert!(hosts[1].mails().iter().all(|mail| mail.to == ["anna@broken.example"]));
}
