//! Whom mail is taken for.

use inboxd_testkit::Mail;
use serde_json::json;

use crate::sending::relayed;
use crate::support::{beside, mail_to, server_and_agent};

#[tokio::test]
async fn a_mail_to_several_inboxes_is_in_all_of_them() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let other = server.sign_up("other@example.org", "ranger").await;
    let to = [agent.inbox_id.as_str(), "desk@inboxd.localhost", &other.inbox_id];
    let mail = Mail::new("alice@outside.example", &to.join(", "), "to all", "x").id("<all@outside.example>");
    server.deliver("alice@outside.example", &to, mail.raw()).await.is(250, "2");
    for message in [agent.message_about("to all").await, other.message_about("to all").await] {
        assert_eq!(message["message_id"], "<all@outside.example>");
    }
    assert_eq!(agent.get("/v0/inboxes/desk@inboxd.localhost/messages").await.ok()["count"], 1);
}

#[tokio::test]
async fn all_of_them_or_none() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.is(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.is(250, "2");
    // One of the recipients goes between RCPT and the mail.
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.gone();
    client.command("DATA").await;
    client.write(b"Subject: both\r\n\r\nboth\r\n.\r\n").await;
    client.reply().await.is(451, "4.2.1");
    assert_eq!(agent.messages().await.len(), 0);
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 0);
    // Whoever sends it again hears which of them is gone, and the other has it.
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.is(550, "5.1.1");
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.is(250, "2");
    client.command("DATA").await;
    client.write(b"Subject: both\r\n\r\nboth\r\n.\r\n").await;
    client.reply().await.is(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn an_inbox_that_another_process_deleted_takes_no_mail_from_then_on() {
    let (server, agent) = server_and_agent().await;
    let other = beside(&server).start().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let desk = "desk@inboxd.localhost";
    let mut client = other.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    client.command(&format!("RCPT TO:<{desk}>")).await.is(250, "2");
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.gone();
    // What was found at RCPT stays with the mail, however long it takes: it is refused behind it.
    client.command("DATA").await;
    client.write(b"Subject: late\r\n\r\nlate\r\n.\r\n").await;
    client.reply().await.is(550, "5.1.1");
    let mail = |id: &str| Mail::new("alice@outside.example", desk, "late", "x").id(id).raw();
    // At RCPT, or where its address is still remembered there, behind the mail.
    other.deliver("alice@outside.example", &[desk], mail("<b@outside.example>")).await.is(550, "5.1.1");
    server.deliver("alice@outside.example", &[desk], mail("<c@outside.example>")).await.is(550, "5.1.1");
}

#[tokio::test]
async fn an_address_that_does_not_live_here_is_refused_at_rcpt() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    for unknown in ["nobody@inboxd.localhost", "scout@inboxd.localhost", "bob@outside.example", "scout@other.localhost"]
    {
        client.command(&format!("RCPT TO:<{unknown}>")).await.is(550, "5.1.1");
    }
    // The session goes on for those that do.
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.is(250, "2.1.5");
}

#[tokio::test]
async fn letter_case_does_not_count_and_a_tag_reaches_its_inbox() {
    let (server, agent) = server_and_agent().await;
    let tagged = "Scout+News.2026@Signup.INBOXD.localhost";
    let mail = Mail::new("alice@outside.example", tagged, "tagged", "x");
    server.deliver("alice@outside.example", &[tagged], mail.raw()).await.is(250, "2");
    let message = agent.message_about("tagged").await;
    assert_eq!(message["inbox_id"], agent.inbox_id);
    assert!(message["to"][0].as_str().unwrap().eq_ignore_ascii_case(tagged), "the tag stays: {message:#}");
    // Two ways to one inbox are one mail.
    let mail = mail_to(&agent, "twice");
    server.deliver("alice@outside.example", &[&agent.inbox_id, tagged], mail.raw()).await.is(250, "2");
    assert_eq!(agent.messages().await.len(), 2);
}

#[tokio::test]
async fn a_report_without_a_sender_is_taken() {
    let (server, agent) = server_and_agent().await;
    server.deliver("", &[&agent.inbox_id], mail_to(&agent, "report").raw()).await.is(250, "2");
    agent.message_about("report").await;
}

#[tokio::test]
async fn nothing_is_ever_bounced_to_a_null_return_path_or_anywhere_else() {
    let (relay, server, agent) = relayed().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "blocked.example"})).await.ok();
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.gone();
    let mail = |from: &str, subject: &str| Mail::new(from, &agent.inbox_id, subject, "x").raw();
    let mut loops = mail_to(&agent, "loops");
    for hop in 0..26 {
        loops = loops.header("Received", &format!("from h{hop}.example by h.example; Fri, 20 Nov 2026 10:00:00 +0000"));
    }
    for sender in ["", "alice@outside.example"] {
        server.deliver(sender, &[&agent.inbox_id], mail("MAILER-DAEMON@outside.example", "taken")).await.is(250, "2");
        server.deliver(sender, &[&agent.inbox_id], mail("eve@blocked.example", "blocked")).await.is(250, "2");
        server.deliver(sender, &[&agent.inbox_id], loops.raw()).await.is(554, "5.4.6");
        for gone in ["desk@inboxd.localhost", "nobody@inboxd.localhost"] {
            server.deliver(sender, &[gone], mail("alice@outside.example", "nobody there")).await.is(550, "5.1.1");
        }
    }
    // What leaves after all of this is the first to leave.
    agent.send(json!({"to": "bob@outside.example", "subject": "last", "text": "x"})).await;
    relay.mail_about("last").await;
    let left: Vec<String> = relay.mails().into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(left, ["owner@example.org", "bob@outside.example"], "the code, and what the agent sent");
}
