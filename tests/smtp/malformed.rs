//! Malformed mail: accepted, shown and never lost.

use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, TestServer};
use serde_json::Value;

use crate::support::server_and_agent;

const FROM: &str = "alice@outside.example";

/// Delivers a mail that must be accepted and returns the stored message.
async fn deliver_malformed(server: &TestServer, agent: &Persona, mail: &[u8]) -> Value {
    let before = agent.messages().await.len();
    server.deliver(FROM, &[&agent.inbox_id], mail).await.require_code(250, "2.0.0");
    let messages = agent.messages().await;
    assert_eq!(messages.len(), before + 1);
    agent.get(&agent.message(&messages[0]["message_id"], "")).await.ok()
}

#[tokio::test]
async fn nul_and_eight_bit_bytes_are_accepted_anywhere() {
    let (server, agent) = server_and_agent().await;
    let mails: [&[u8]; 5] = [
        b"Subject: n\0ul\r\nFrom: a\0@b.example\r\n\r\nbo\0dy\r\n",
        b"Subject: latin \xe4\xf6\xfc\r\nFrom: J\xfcrgen <j@outside.example>\r\n\r\nGr\xfc\xdfe\r\n",
        b"Subject: =?utf-8?b?//8=?= =?x?q?y?= =?utf-8?q?open\r\n\r\nbody\r\n",
        b"Subject: utf \xc3\xbc and broken \xc3\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\xff\xfe\xc3\x28\r\n",
        b"Subject: charset\r\nContent-Type: text/plain; charset=x-unknown-9\r\n\r\nstill \xe4 text\r\n",
    ];
    for mail in mails {
        let stored = deliver_malformed(&server, &agent, mail).await;
        assert!(!stored.to_string().contains("\\u0000"), "{stored:#}");
        assert!(stored["subject"].is_string(), "{stored:#}");
    }
    let latin = agent.get(&agent.inbox("/messages/search?q=latin")).await.ok();
    assert_eq!(latin["messages"][0]["from"], "Jürgen <j@outside.example>");
}

#[tokio::test]
async fn broken_mime_is_stored_as_far_as_readable() {
    let (server, agent) = server_and_agent().await;
    let mails = [
        ("no end", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nfound me"),
        ("no boundary", "Content-Type: multipart/mixed\r\n\r\n--b\r\n\r\nfound me\r\n--b--\r\n"),
        ("empty boundary", "Content-Type: multipart/mixed; boundary=\"\"\r\n\r\nfound me\r\n"),
        ("bad base64", "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!Zm91bmQgbWU=???\r\n"),
        ("bad quoted", "Content-Transfer-Encoding: quoted-printable\r\n\r\nfound me =ZZ =\r\n"),
        ("bad type", "Content-Type: ///;;;===\r\n\r\nfound me\r\n"),
        (
            "folded boundary",
            "Content-Type: multipart/mixed; boundary=\r\n \"b\"\r\n\r\n--b\r\n\r\nfound me\r\n--b--\r\n",
        ),
        ("unknown encoding", "Content-Transfer-Encoding: x-zip\r\n\r\nfound me\r\n"),
    ];
    for (subject, rest) in mails {
        let mail = format!("From: alice@outside.example\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n{rest}");
        let stored = deliver_malformed(&server, &agent, mail.as_bytes()).await;
        assert_eq!(stored["subject"], subject);
    }
    for found in ["no end", "bad quoted", "bad type", "folded boundary"] {
        let text = agent.message_about(found).await["text"].as_str().unwrap_or_default().to_owned();
        assert!(text.contains("found me"), "{found}: {text:?}");
    }
}

#[tokio::test]
async fn empty_mails_are_stored() {
    let (server, agent) = server_and_agent().await;
    for mail in
        [&b""[..], b"\r\n", b"no header at all\r\n", b"Subject:\r\n\r\n", b": nameless\r\n\r\nbody\r\n", b".\r\n..\r\n"]
    {
        deliver_malformed(&server, &agent, mail).await;
    }
    assert_eq!(agent.messages().await.len(), 6);
}

#[tokio::test]
async fn deeply_nested_and_many_field_mails_are_parsed_quickly() {
    let (server, agent) = server_and_agent().await;
    let level = |level| format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n");
    let levels = (0..100).map(level).collect::<Vec<_>>().concat();
    let deep = format!("Subject: deep\r\n{levels}Content-Type: text/plain\r\n\r\nat the bottom\r\n");
    let fields: String = "X-Field: value\r\n".repeat(100_000);
    let many = format!("Subject: many\r\n{fields}\r\nbody\r\n");
    let parts = "--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n".repeat(20_000);
    let wide = format!("Subject: wide\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{parts}--b--\r\n");
    let divs = format!(
        "Subject: html\r\nContent-Type: text/html\r\n\r\n{}x{}\r\n",
        "<div>".repeat(50_000),
        "</div>".repeat(50_000)
    );
    let to = format!("Subject: addressed\r\nTo: {}\r\n\r\nx\r\n", "a@b.example,\r\n ".repeat(50_000));
    for (subject, mail) in [("deep", deep), ("many", many), ("wide", wide), ("html", divs), ("addressed", to)] {
        let begun = Instant::now();
        let stored = deliver_malformed(&server, &agent, mail.as_bytes()).await;
        assert_eq!(stored["subject"], subject);
        // A debug build on a busy machine; quadratic work would take minutes.
        assert!(begun.elapsed() < Duration::from_secs(20), "{subject} took {:?}", begun.elapsed());
        agent.get(&agent.thread(&stored["thread_id"], "")).await.ok();
    }
    assert_eq!(agent.messages().await.len(), 5);
}

#[tokio::test]
async fn raw_mail_is_stored_byte_for_byte() {
    let (server, agent) = server_and_agent().await;
    let mail =
        b"Subject: raw \xff\0\r\nContent-Type: text/plain; charset=\"\r\n\r\n.leading dot\r\n\xde\xad\xbe\xef\r\n";
    let stored = deliver_malformed(&server, &agent, mail).await;
    let link = agent.get(&agent.message(&stored["message_id"], "/raw")).await.ok();
    let path = link["download_url"].as_str().unwrap().strip_prefix(&server.base_url()).unwrap();
    assert!(server.http().get(path).await.body.ends_with(mail));
}
