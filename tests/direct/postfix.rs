//! A real mail server takes what we deliver.

use std::net::SocketAddr;

use inboxd_testkit::Postfix;
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
