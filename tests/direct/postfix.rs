//! Delivery to and from a real Postfix.

use std::net::SocketAddr;

use inboxd_testkit::{HttpRequest, MailBuilder, Postfix, SmtpClient, eventually};
use serde_json::json;

use super::{DirectDelivery, loopback_address, serve_domain, start_direct_delivery};
use crate::sending::wait_for_event;

#[tokio::test]
async fn postfix_accepts_mail_under_tls_and_refuses_unknown_recipient() {
    let DirectDelivery { dns, hosts, server: _server, agent } = start_direct_delivery(1).await;
    let address = SocketAddr::new(loopback_address(7), hosts[0].port());
    let postfix = Postfix::start(address, "postfix.example", &["anna"]).await;
    serve_domain(&dns, "postfix.example", 10, 7);
    let text = "Gr\u{fc}\u{df}e\n.\n..two dots\nthe end";
    let to = ["anna@postfix.example", "nobody@postfix.example"];
    let sent = agent.send(json!({"to": to, "subject": "to Postfix", "text": text})).await;
    let mail = postfix.wait_for_mail("anna").await;
    for part in ["Subject: to Postfix", "(using TLSv1.3 with cipher", "by mx.postfix.example (Postfix) with ESMTPS"] {
        assert!(mail.contains(part), "{part}:\n{mail}\n{}", postfix.log());
    }
    assert!(mail.contains(sent["message_id"].as_str().unwrap()), "the Message-ID is unchanged:\n{mail}");
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    let bounce = wait_for_event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
    assert_eq!(bounce["recipients"], json!([{"address": "nobody@postfix.example", "status": "5.1.1"}]));
}

#[tokio::test]
async fn mail_from_postfix_under_tls_and_its_bounce_are_processed() {
    let DirectDelivery { dns, hosts, server, agent } = start_direct_delivery(1).await;
    let address = SocketAddr::new(loopback_address(8), hosts[0].port());
    let forwards = [("agent", agent.inbox_id.as_str()), ("gone", "nobody@inboxd.localhost")];
    let postfix = Postfix::start_forwarding(address, "forward.example", server.smtp_address(), &forwards).await;
    serve_domain(&dns, "forward.example", 10, 8);

    let mail = MailBuilder::new("anna@example.net", "agent@forward.example", "through Postfix", "hello").raw();
    let mut client = SmtpClient::connect(&address.to_string()).await;
    client.ehlo().await;
    assert_eq!(client.deliver("anna@example.net", &["agent@forward.example"], &mail).await.code, 250);
    let message = eventually("the mail is received", async || {
        let list = agent.messages().await;
        list.into_iter().find(|message| message["subject"] == "through Postfix")
    })
    .await;
    let raw =
        HttpRequest::new("GET", &agent.message(&message["message_id"], "/raw")).header("Accept", "message/rfc822");
    let raw = agent.call(raw).await.text();
    assert!(raw.contains("by mx.forward.example (Postfix)") && raw.contains("SMTPS for"), "{raw}\n{}", postfix.log());

    // Postfix accepts the mail, gets a refusal from the next server and returns a bounce.
    let sent = agent.send(json!({"to": "gone@forward.example", "subject": "to nobody", "text": "hello"})).await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    let bounce = wait_for_event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
    assert_eq!(bounce["type"], "Permanent", "{}", postfix.log());
    assert_eq!(bounce["recipients"], json!([{"address": "gone@forward.example", "status": "5.1.1"}]));
    assert_eq!(agent.messages().await.iter().filter(|message| message["subject"] != "to nobody").count(), 1);
}
