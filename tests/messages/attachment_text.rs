//! `GET …/attachments/{attachment_id}?as=text|markdown` and `text_url`.

use std::time::{Duration, Instant};

use inboxd_testkit::{ApiResponse, HttpRequest, Persona, TestServer};

use crate::support::{mail_to, receive, server_and_agent};

/// Limit of 5 seconds, with the transport around it.
const TIME_LIMIT: Duration = Duration::from_secs(7);

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../documents/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Receives a mail with files and returns the paths of their attachments.
async fn received(server: &TestServer, agent: &Persona, names: &[&str]) -> Vec<(String, String)> {
    let mail = mail_to(agent, "documents");
    let mail = names.iter().fold(mail, |mail, name| mail.attach(name, "application/octet-stream", &sample(name)));
    receive(server, agent, &mail).await;
    let message = agent.message_about("documents").await;
    let paths = message["attachments"].as_array().unwrap().iter().map(|attachment| {
        let end = format!("/attachments/{}", attachment["attachment_id"].as_str().unwrap());
        (agent.message(&message["message_id"], &end), agent.thread(&message["thread_id"], &end))
    });
    paths.collect()
}

async fn read(agent: &Persona, path: &str, form: &str) -> ApiResponse {
    let start = Instant::now();
    let response = agent.call(HttpRequest::new("GET", &format!("{path}?as={form}"))).await;
    assert!(start.elapsed() < TIME_LIMIT, "{path}: {:?}", start.elapsed());
    response
}

#[tokio::test]
async fn documents_become_text_and_markdown() {
    let (server, agent) = server_and_agent().await;
    let paths = received(&server, &agent, &["invoice.pdf", "report.docx"]).await;
    for (paths, words) in paths.iter().zip(["1,234.50 €", "[the site](https://example.com/report)"]) {
        for path in [&paths.0, &paths.1] {
            let response = read(&agent, path, "markdown").await;
            assert_eq!(response.header("Content-Type"), Some("text/markdown; charset=utf-8"));
            assert!(String::from_utf8_lossy(&response.body).contains(words), "{response:?}");
        }
        let link = agent.get(&paths.0).await.ok();
        let link = link["text_url"].as_str().unwrap().strip_prefix(&server.base_url()).unwrap().to_owned();
        let linked = server.http().get(&link).await;
        assert_eq!(linked.body, read(&agent, &paths.0, "text").await.body);
    }
}

#[tokio::test]
async fn hostile_documents_end_in_clear_states() {
    let (server, agent) = server_and_agent().await;
    let names = ["huge.pdf", "slow.pdf", "locked.pdf", "scan.pdf", "report.docx"];
    let paths = received(&server, &agent, &names).await;
    let codes = [
        // On a busy machine the time may end first.
        &["text_too_large", "text_timed_out"][..],
        &["text_timed_out"],
        &["text_encrypted"],
        &["text_unsupported"],
    ];
    for ((path, _), codes) in paths.iter().zip(codes) {
        let refused = read(&agent, path, "text").await;
        assert_eq!(refused.status, 422, "{refused:?}");
        let envelope = refused.envelope();
        assert!(codes.iter().any(|code| envelope["code"] == *code), "{codes:?}: {envelope:#}");
    }
    // The server is unharmed.
    let response = read(&agent, &paths[4].0, "text").await;
    assert!(String::from_utf8_lossy(&response.body).starts_with("Quarterly report"), "{response:?}");
    read(&agent, &paths[4].0, "pdf").await.require_error(422, "validation_error");
}
