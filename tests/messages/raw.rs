//! `GET …/messages/{message_id}/raw`.

use inboxd_testkit::HttpRequest;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn raw_link_returns_exact_bytes_without_key() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "raw").id("<raw@outside.example>").attach(
        "a.bin",
        "application/octet-stream",
        &[0, 255, 13, 10],
    );
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("raw").await["message_id"].clone();
    let raw = agent.get(&agent.message(&id, "/raw")).await.ok();
    assert_eq!(raw["message_id"], id);
    let url = raw["download_url"].as_str().unwrap();
    let path = url.strip_prefix(&server.base_url()).unwrap();
    let downloaded = server.http().get(path).await;
    assert_eq!(downloaded.status, 200);
    assert_eq!(downloaded.header("Content-Type"), Some("message/rfc822"));
    assert!(downloaded.body.ends_with(&mail.raw()), "{}", downloaded.text());
    assert!(downloaded.text().starts_with("Return-Path: <alice@outside.example>\r\n"), "{}", downloaded.text());
    assert_eq!(raw["size"], downloaded.body.len());
    assert!(raw["expires_at"].as_str() > agent.message_about("raw").await["created_at"].as_str());

    let wanted = HttpRequest::new("GET", &agent.message(&id, "/raw")).header("Accept", "message/rfc822");
    assert_eq!(agent.call(wanted).await.body, downloaded.body);
}

#[tokio::test]
async fn modified_link_is_refused() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "raw")).await;
    let id = agent.message_about("raw").await["message_id"].clone();
    let raw = agent.get(&agent.message(&id, "/raw")).await.ok();
    let path = raw["download_url"].as_str().unwrap().strip_prefix(&server.base_url()).unwrap().to_owned();
    let (start, last) = path.split_at(path.len() - 6);
    let touched = format!("{start}{}", last.chars().rev().collect::<String>());
    let (cut, longer) = (&path[..path.len() - 3], format!("{path}AA"));
    for bad in [touched.as_str(), cut, &longer] {
        if bad != path {
            server.http().get(bad).await.require_error(404, "not_found");
        }
    }
    server.http().get(&path).await;
}
