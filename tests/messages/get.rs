//! `GET …/messages/{message_id}`.

use inboxd_testkit::{MailBuilder, redacted};
use insta::assert_snapshot;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn multipart_message_has_bodies_and_attachments() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new(
        "Zoë <zoe@outside.example>",
        &agent.inbox_id,
        "=?utf-8?q?Gr=C3=BC=C3=9Fe?=",
        "Schöne Grüße\n\nZoë",
    )
    .id("<grüße-1@outside.example>".replace('ü', "u").replace('ß', "ss").as_str())
    .header("Cc", "Bob <bob@outside.example>")
    .header("Reply-To", "answers@outside.example")
    .html("<p>Schöne Grüße</p><p>Zoë</p>")
    .attach("report.pdf", "application/pdf", b"%PDF-1.7 not really")
    .attach("=?utf-8?q?=C3=BCbersicht.csv?=", "text/csv", b"a,b\r\n1,2\r\n");
    receive(&server, &agent, &mail).await;
    let message = agent.message_about("Grüße").await;
    let mut shape = message.clone();
    // The Received field of the server contains varying names and ports.
    shape.as_object_mut().unwrap().remove("headers");
    shape["size"] = serde_json::json!("[size]");
    assert_snapshot!(redacted(&shape), @r#"
    {
      "agent_armor": {
        "completed_at": "[time]",
        "model": "inboxd-trust-1",
        "reason": "No signs of an attack.",
        "status": "complete",
        "verdict": "clear"
      },
      "attachments": [
        {
          "attachment_id": "[att_…]",
          "content_disposition": "attachment",
          "content_type": "application/pdf",
          "filename": "report.pdf",
          "size": 19
        },
        {
          "attachment_id": "[att_…]",
          "content_disposition": "attachment",
          "content_type": "text/csv",
          "filename": "übersicht.csv",
          "size": 10
        }
      ],
      "authentication": {
        "dkim": "none",
        "dmarc": "none",
        "spf": "none"
      },
      "cc": [
        "Bob <bob@outside.example>"
      ],
      "created_at": "[time]",
      "delivered_to": "scout@signup.inboxd.localhost",
      "extracted_codes": [],
      "extracted_html": "<p>Schöne Grüße</p><p>Zoë</p>",
      "extracted_links": [],
      "extracted_text": "Schöne Grüße\n\nZoë",
      "from": "Zoë <zoe@outside.example>",
      "has_hidden_text": false,
      "html": "<p>Schöne Grüße</p><p>Zoë</p>",
      "inbox_id": "scout@signup.inboxd.localhost",
      "labels": [
        "received",
        "unread"
      ],
      "message_id": "<grusse-1@outside.example>",
      "preview": "Schöne Grüße Zoë",
      "reply_to": [
        "answers@outside.example"
      ],
      "size": "[size]",
      "spam": {
        "filter": "built-in",
        "is_spam": false,
        "reasons": [],
        "score": 0.0,
        "threshold": 5.0
      },
      "subject": "Grüße",
      "text": "Schöne Grüße\n\nZoë",
      "text_tokens": 9,
      "thread_id": "[thr_…]",
      "timestamp": "[time]",
      "to": [
        "scout@signup.inboxd.localhost"
      ],
      "trust": {
        "checks": {
          "dkim": "none",
          "dmarc": "none",
          "spf": "none"
        },
        "reasons": [],
        "verdict": "first_contact"
      },
      "updated_at": "[time]"
    }
    "#);
    assert_eq!(message["headers"]["Reply-To"], "answers@outside.example", "{message:#}");
}

#[tokio::test]
async fn list_item_has_no_bodies() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello").html("<p>About hello.</p>")).await;
    let item = agent.messages().await.remove(0);
    for body in ["text", "html", "extracted_text", "extracted_html"] {
        assert!(item.get(body).is_none(), "{item:#}");
    }
    assert_eq!(item["preview"], "About hello.");
    assert_eq!(item["labels"], serde_json::json!(["received", "unread"]));
}

#[tokio::test]
async fn new_text_of_reply_is_extracted() {
    let (server, agent) = server_and_agent().await;
    let text = "Yes, tomorrow at nine.\n\nOn Fri, 20 Nov 2026 at 10:00, Scout <scout@inboxd.localhost> wrote:\n> Shall we meet?\n";
    let mail = MailBuilder::new("alice@outside.example", &agent.inbox_id, "Re: meeting", text);
    receive(&server, &agent, &mail).await;
    let message = agent.message_about("Re: meeting").await;
    assert_eq!(message["extracted_text"].as_str().unwrap().trim(), "Yes, tomorrow at nine.");
    assert!(message["text"].as_str().unwrap().contains("Shall we meet?"), "the full text contains the history");
}

#[tokio::test]
async fn html_only_message_has_text_and_preview() {
    let (server, agent) = server_and_agent().await;
    let raw = format!(
        "From: a@outside.example\r\nTo: {}\r\nSubject: html\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\
         <html><body><h1>Hello</h1><p>Only <b>markup</b> here.</p></body></html>\r\n",
        agent.inbox_id
    );
    server.deliver("a@outside.example", &[&agent.inbox_id], raw).await.require_code(250, "2");
    let message = agent.message_about("html").await;
    for field in ["text", "preview"] {
        let text = message[field].as_str().unwrap();
        assert!(text.contains("Hello") && text.contains("here.") && !text.contains('<'), "{field}: {text}");
    }
}

#[tokio::test]
async fn timestamp_is_time_of_receipt() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "old").header("Date", "Mon, 01 Jan 1990 00:00:00 +0000");
    receive(&server, &agent, &mail).await;
    let message = agent.message_about("old").await;
    assert!(message["timestamp"].as_str().unwrap() > "2026", "{message:#}");
    assert_eq!(message["timestamp"], message["created_at"]);
}

#[tokio::test]
async fn unknown_message_is_not_found() {
    let (_server, agent) = server_and_agent().await;
    let envelope = agent.get(&agent.inbox("/messages/nobody@nowhere.example")).await.require_error(404, "not_found");
    assert_eq!(envelope["name"], "NotFoundError");
}

#[tokio::test]
async fn bodies_are_markdown_on_request_with_language_and_tokens() {
    let (server, agent) = server_and_agent().await;
    let html = "<h1>Report</h1><p>Please read <a href=\"https://example.com/r\">the whole report</a> before our meeting on Monday.</p>\
        <ul><li>costs</li><li>dates</li></ul>";
    let words = "Please read the whole report before our meeting on Monday, and tell me what you think of the costs.";
    let mail = MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "markdown", words).html(html);
    receive(&server, &agent, &mail).await;
    let item = agent.message_about("markdown").await;
    let path = agent.message(&item["message_id"], "");
    let plain = agent.get(&path).await.ok();
    assert_eq!(plain["text"], words);
    assert_eq!(plain["language"], "en");
    let markdown = agent.get(&format!("{path}?format=markdown")).await.ok();
    let expected = "# Report\n\nPlease read [the whole report](https://example.com/r) before our meeting on Monday.\n\n- costs\n- dates";
    assert_eq!((&markdown["text"], &markdown["extracted_text"]), (&expected.into(), &expected.into()));
    assert_eq!(markdown["html"], plain["html"]);
    assert!(markdown["text_tokens"].as_u64().is_some_and(|tokens| (25..60).contains(&tokens)), "{markdown:#}");
    let thread = agent.thread(&item["thread_id"], "?format=markdown");
    assert_eq!(agent.get(&thread).await.ok()["messages"][0]["text"], expected);
    agent.get(&format!("{path}?format=html")).await.require_error(422, "validation_error");
}
