//! A real mail server takes what we deliver.

use std::net::SocketAddr;

use inboxd_testkit::{Mail, Postfix, Request, SmtpClient, eventually};
use serde_json::json;

use super::{World, at, serve, world};
use crate::sending::event;

#[tokio::test]
async fn postfix_takes_the_mail_under_tls_and_refuses_whom_it_does_not_know() {
    let World { dns, hosts, server: _server, agent } = world(1).await;
    let address = SocketAddr::new(at(7), hosts[0].port());
    let postfix = Postfix::start(address, "postfix.example", &["anna"]).await;
    serve(&dns, "postfix.example", 10, 7);
    let text = "Gr\u{fc}\u{df}e\n.\n..two dots\nthe end";
    let to = ["anna@postfix.example", "nobody@postfix.example"];
    let sent = agent.send(json!({"to": to, "subject": "to Postfix", "text": text})).await;
    let mail = postfix.mail_of("anna").await;
    for part in ["Subject: to Postfix", "(using TLSv1.3 with cipher", "by mx.postfix.example (Postfix) with ESMTPS"] {
        assert!(mail.contains(part), "{part}:\n{mail}\n{}", postfix.log());
    }
    assert!(mail.contains(sent["message_id"].as_str().unwrap()), "our Message-ID stays:\n{mail}");
    event(&agent, "message.delivered", &sent["message_id"]).await;
    let bounce = event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
    assert_eq!(bounce["recipients"], json!([{"address": "nobody@postfix.example", "status": "5.1.1"}]));
}

#[tokio::test]
async fn postfix_hands_mail_in_under_tls_and_its_own_report_of_a_failure_is_understood() {
    let World { dns, hosts, server, agent } = world(1).await;
    let address = SocketAddr::new(at(8), hosts[0].port());
    let forwards = [("agent", agent.inbox_id.as_str()), ("gone", "nobody@inboxd.localhost")];
    let postfix = Postfix::forwarding(address, "forward.example", server.smtp_address(), &forwards).await;
    serve(&dns, "forward.example", 10, 8);

    let mail = Mail::new("anna@example.net", "agent@forward.example", "through Postfix", "hello").raw();
    let mut client = SmtpClient::connect(&address.to_string()).await;
    client.ehlo().await;
    assert_eq!(client.deliver("anna@example.net", &["agent@forward.example"], &mail).await.code, 250);
    let message = eventually("the mail is handed in", async || {
        let list = agent.messages().await;
        list.into_iter().find(|message| message["subject"] == "through Postfix")
    })
    .await;
    let raw = Request::new("GET", &agent.message(&message["message_id"], "/raw")).header("Accept", "message/rfc822");
    let raw = agent.call(raw).await.text();
    assert!(raw.contains("by mx.forward.example (Postfix)") && raw.contains("SMTPS for"), "{raw}\n{}", postfix.log());

    // Postfix takes the mail, learns from the next server that there is nobody, and says so where the mail came from.
    let sent = agent.send(json!({"to": "gone@forward.example", "subject": "to nobody", "text": "hello"})).await;
    event(&agent, "message.delivered", &sent["message_id"]).await;
    let bounce = event(&agent, "message.bounced", &sent["message_id"]).await["bounce"].clone();
    assert_eq!(bounce["type"], "Permanent", "{}", postfix.log());
    assert_eq!(bounce["recipients"], json!([{"address": "gone@forward.example", "status": "5.1.1"}]));
    assert_eq!(agent.messages().await.iter().filter(|message| message["subject"] != "to nobody").count(), 1);
}
