//! Mail loops.

use inboxd_testkit::HttpRequest;

use crate::support::{mail_to, receive, server_and_agent};

const FROM: &str = "alice@outside.example";

#[tokio::test]
async fn mail_above_25_hops_is_refused_as_loop() {
    let (server, agent) = server_and_agent().await;
    let with_hops = |hops: usize| {
        let mail = mail_to(&agent, "hops");
        (0..hops)
            .fold(mail, |mail, hop| mail.header("Received", &format!("from a{hop}.example by b.example; now")))
            .raw()
    };
    server.deliver(FROM, &[&agent.inbox_id], with_hops(25)).await.require_code(250, "2");
    server.deliver(FROM, &[&agent.inbox_id], with_hops(26)).await.require_code(554, "5.4.6");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn mail_delivered_before_to_inbox_is_refused_as_loop() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "out")).await;
    let id = agent.message_about("out").await["message_id"].clone();
    let wanted = HttpRequest::new("GET", &agent.message(&id, "/raw")).header("Accept", "message/rfc822");
    let back = agent.call(wanted).await.body;
    server.deliver(FROM, &[&agent.inbox_id], back).await.require_code(554, "5.4.6");
    // Any sender can write or copy this field.
    let copied = mail_to(&agent, "copied").header("Delivered-To", &agent.inbox_id).raw();
    server.deliver(FROM, &[&agent.inbox_id], copied).await.require_code(250, "2");
}
