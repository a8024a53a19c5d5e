//! Accepted recipients.

use inboxd_testkit::MailBuilder;
use serde_json::json;

use crate::sending::server_with_relay;
use crate::support::{mail_to, second_process, server_and_agent};

#[tokio::test]
async fn mail_to_several_inboxes_is_stored_in_all() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let other = server.sign_up("other@example.org", "ranger").await;
    let to = [agent.inbox_id.as_str(), "desk@inboxd.localhost", &other.inbox_id];
    let mail = MailBuilder::new("alice@outside.example", &to.join(", "), "to all", "x").id("<all@outside.example>");
    server.deliver("alice@outside.example", &to, mail.raw()).await.require_code(250, "2");
    for message in [agent.message_about("to all").await, other.message_about("to all").await] {
        assert_eq!(message["message_id"], "<all@outside.example>");
    }
    assert_eq!(agent.get("/v0/inboxes/desk@inboxd.localhost/messages").await.ok()["count"], 1);
}

#[tokio::test]
async fn mail_is_stored_for_all_recipients_or_none() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.require_code(250, "2");
    // One recipient is deleted between RCPT and the content.
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.require_no_content();
    client.command("DATA").await;
    client.write(b"Subject: both\r\n\r\nboth\r\n.\r\n").await;
    client.reply().await.require_code(451, "4.2.1");
    assert_eq!(agent.messages().await.len(), 0);
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 0);
    // The retry gets a refusal for the deleted one, and the other one receives the mail.
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.require_code(550, "5.1.1");
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2");
    client.command("DATA").await;
    client.write(b"Subject: both\r\n\r\nboth\r\n.\r\n").await;
    client.reply().await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn inbox_deleted_by_other_process_receives_no_mail() {
    let (server, agent) = server_and_agent().await;
    let other = second_process(&server).start().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let desk = "desk@inboxd.localhost";
    let mut client = other.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    client.command(&format!("RCPT TO:<{desk}>")).await.require_code(250, "2");
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.require_no_content();
    // The target found at RCPT stays with the mail for any time; the mail is refused after its content.
    client.command("DATA").await;
    client.write(b"Subject: late\r\n\r\nlate\r\n.\r\n").await;
    client.reply().await.require_code(550, "5.1.1");
    let mail = |id: &str| MailBuilder::new("alice@outside.example", desk, "late", "x").id(id).raw();
    // The refusal comes at RCPT, or after the content while the address is cached.
    other.deliver("alice@outside.example", &[desk], mail("<b@outside.example>")).await.require_code(550, "5.1.1");
    server.deliver("alice@outside.example", &[desk], mail("<c@outside.example>")).await.require_code(550, "5.1.1");
}

#[tokio::test]
async fn unknown_address_is_refused_at_rcpt() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    for unknown in ["nobody@inboxd.localhost", "scout@inboxd.localhost", "bob@outside.example", "scout@other.localhost"]
    {
        client.command(&format!("RCPT TO:<{unknown}>")).await.require_code(550, "5.1.1");
    }
    // The session continues for known addresses.
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2.1.5");
}

#[tokio::test]
async fn recipient_is_matched_without_case_and_tag() {
    let (server, agent) = server_and_agent().await;
    let tagged = "Scout+News.2026@Signup.INBOXD.localhost";
    let mail = MailBuilder::new("alice@outside.example", tagged, "tagged", "x");
    server.deliver("alice@outside.example", &[tagged], mail.raw()).await.require_code(250, "2");
    let message = agent.message_about("tagged").await;
    assert_eq!(message["inbox_id"], agent.inbox_id);
    assert!(message["to"][0].as_str().unwrap().eq_ignore_ascii_case(tagged), "the tag is retained: {message:#}");
    // Two addresses of one inbox yield one message.
    let mail = mail_to(&agent, "twice");
    server.deliver("alice@outside.example", &[&agent.inbox_id, tagged], mail.raw()).await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 2);
}

#[tokio::test]
async fn mail_from_null_sender_is_accepted() {
    let (server, agent) = server_and_agent().await;
    server.deliver("", &[&agent.inbox_id], mail_to(&agent, "report").raw()).await.require_code(250, "2");
    agent.message_about("report").await;
}

#[tokio::test]
async fn inbound_mail_never_causes_bounce() {
    let (relay, server, agent) = server_with_relay().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "blocked.example"})).await.ok();
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.require_no_content();
    let mail = |from: &str, subject: &str| MailBuilder::new(from, &agent.inbox_id, subject, "x").raw();
    let mut loops = mail_to(&agent, "loops");
    for hop in 0..26 {
        loops = loops.header("Received", &format!("from h{hop}.example by h.example; Fri, 20 Nov 2026 10:00:00 +0000"));
    }
    for sender in ["", "alice@outside.example"] {
        server
            .deliver(sender, &[&agent.inbox_id], mail("MAILER-DAEMON@outside.example", "taken"))
            .await
            .require_code(250, "2");
        server.deliver(sender, &[&agent.inbox_id], mail("eve@blocked.example", "blocked")).await.require_code(250, "2");
        server.deliver(sender, &[&agent.inbox_id], loops.raw()).await.require_code(554, "5.4.6");
        for gone in ["desk@inboxd.localhost", "nobody@inboxd.localhost"] {
            server
                .deliver(sender, &[gone], mail("alice@outside.example", "nobody there"))
                .await
                .require_code(550, "5.1.1");
        }
    }
    // The first outgoing mail after all of this is the next one of the agent.
    agent.send(json!({"to": "bob@outside.example", "subject": "last", "text": "x"})).await;
    relay.mail_about("last").await;
    let left: Vec<String> = relay.mails().into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(left, ["owner@example.org", "bob@outside.example"], "the code and the message of the agent");
}
