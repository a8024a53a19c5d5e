//! SIGTERM: started work is completed, and no new work starts.

use std::time::Duration;

use inboxd_testkit::{RelayServer, eventually};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{options, server};

#[tokio::test]
async fn server_stops_cleanly_and_restarts() {
    let mut server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let ended = server.terminate().await;
    assert!(ended.success(), "{ended}: {:#?}", server.log().lines());
    server.restart().await;
    agent.at(&server).get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn mail_in_progress_is_completed_at_stop() {
    let mut server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2");
    client.command("DATA").await;
    client.write(b"Subject: last\r\n\r\nfirst half, ").await;
    let mut idle = server.smtp().await;
    server.send_sigterm();
    assert_eq!(idle.reply().await.code, 421, "an idle session receives 421");
    client.write(b"second half\r\n.\r\n").await;
    client.reply().await.require_code(250, "2");
    assert!(server.wait_for_exit().await.success());
    server.restart().await;
    let message = agent.at(&server).message_about("last").await;
    assert_eq!(message["text"].as_str().unwrap().trim(), "first half, second half");
}

#[tokio::test]
async fn request_in_progress_is_completed_at_stop() {
    let mut server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let body = json!({"to": "bob@outside.example", "subject": "halfway", "text": "hello"}).to_string();
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        agent.inbox("/messages/send"),
        agent.key,
        body.len()
    );
    let (first, second) = body.split_at(20);
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    stream.write_all(format!("{head}{first}").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.send_sigterm();
    tokio::time::sleep(Duration::from_millis(500)).await;
    stream.write_all(second.as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&answer), "HTTP/1.1 200");
    drop(stream);
    assert!(server.wait_for_exit().await.success());
    server.restart().await;
    agent.at(&server).message_about("halfway").await;
}

#[tokio::test]
async fn queued_mail_is_delivered_after_next_start() {
    let relay = RelayServer::start().await;
    let mut server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    relay.reply_once("bob@outside.example", "451 4.3.0 later");
    agent.send(json!({"to": "bob@outside.example", "subject": "queued", "text": "x"})).await;
    eventually("the first attempt", async || server.log().entries().into_iter().find(|entry| entry["deferred"] == 1))
        .await;
    assert!(server.terminate().await.success());
    assert!(relay.mails().iter().all(|mail| !mail.to.contains(&"bob@outside.example".to_owned())));
    server.database().execute("UPDATE outgoing SET due_at = now()").await;
    server.restart().await;
    relay.mail_about("queued").await;
}
