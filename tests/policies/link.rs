//! The link that is mailed to approvers.

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, RelayServer, RelayedMail, TestServer, eventually};
use serde_json::{Value, json};

use super::{draft_path, held, hold_first_contacts, relayed, send_held};
use crate::support::server_and_agent;

const SUBJECT: &str = "A message waits for your approval";

/// Returns the requests for approval that left, once there are that many.
pub(super) async fn requests(relay: &RelayServer, count: usize) -> Vec<RelayedMail> {
    eventually("the approver is asked", async || {
        let mails: Vec<_> = relay.mails().into_iter().filter(|mail| mail.text().contains(SUBJECT)).collect();
        (mails.len() >= count).then_some(mails)
    })
    .await
}

/// Returns the path of the link in a mail.
pub(super) fn link_in(mail: &RelayedMail) -> String {
    let text = mail.text().replace("=\r\n", "");
    let (_, rest) = text.split_once("/approvals/").unwrap();
    format!("/approvals/{}", rest.split_whitespace().next().unwrap())
}

/// Submits the form of a link, without any session.
async fn decide(server: &TestServer, link: &str, fields: &[(&str, &str)]) -> ApiResponse {
    server.http().call(HttpRequest::new("POST", link).form(fields)).await
}

/// Holds a message and returns it with the link about it, which is the `count`th.
async fn asked(relay: &RelayServer, agent: &Persona, to: &str, count: usize) -> (Value, String) {
    let waiting = held(agent, to, "Dear Bob").await;
    let mails = requests(relay, count).await;
    (waiting, link_in(mails.last().unwrap()))
}

async fn sent(agent: &HttpClient, inbox: &str) -> Value {
    agent.get(&format!("{inbox}/messages?labels=sent")).await.ok()["count"].clone()
}

#[tokio::test]
async fn link_shows_the_message_and_decides_by_its_form_alone() {
    let (relay, server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let (waiting, link) = asked(&relay, &agent, "bob@outside.example", 1).await;
    let mail = requests(&relay, 1).await.remove(0);
    assert_eq!(mail.to, ["owner@example.org"]);
    assert!(!mail.text().contains("bob@outside.example") && !mail.text().contains("Dear Bob"), "{}", mail.text());
    for _ in 0..2 {
        let page = server.http().get(&link).await;
        assert_eq!(page.status, 200, "{}", page.text());
        for shown in ["bob@outside.example", "Dear Bob", "never wrote to", "owner@example.org"] {
            assert!(page.text().contains(shown), "{shown}: {}", page.text());
        }
    }
    assert_eq!(decide(&server, &link, &[]).await.status, 422, "no decision");
    assert_eq!(sent(&agent, &agent.inbox("")).await, 0, "opening decides nothing");
    let decided = decide(&server, &link, &[("decision", "approve")]).await;
    assert!(decided.status == 200 && decided.text().contains("Approved"), "{}", decided.text());
    let left = relay.mail_about("Held").await;
    assert_eq!(left.header("Message-ID"), waiting["message_id"].as_str().unwrap());
    let events = agent.get("/v0/events?event_types=message.approved").await.ok();
    assert_eq!(events["events"][0]["approve"]["approved_by"]["email"], "owner@example.org");
    let audit = agent.get("/v0/audit?action=draft.approved").await.ok();
    assert_eq!(audit["entries"][0]["actor"]["email"], "owner@example.org");
    assert_eq!(audit["entries"][0]["client_address"], "127.0.0.1");
    for answer in [server.http().get(&link).await, decide(&server, &link, &[("decision", "approve")]).await] {
        assert_eq!(answer.status, 404, "the link worked once: {}", answer.text());
    }
}

#[tokio::test]
async fn link_rejects_with_a_reason() {
    let (relay, server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let (waiting, link) = asked(&relay, &agent, "bob@outside.example", 1).await;
    let decided = decide(&server, &link, &[("decision", "reject"), ("reason", "too early")]).await;
    assert!(decided.status == 200 && decided.text().contains("Rejected"), "{}", decided.text());
    let draft = agent.get(&draft_path(&agent, &waiting["draft_id"], "")).await.ok();
    assert_eq!((&draft["status"], &draft["approval"]["reason"]), (&json!("rejected"), &json!("too early")));
    assert_eq!(decide(&server, &link, &[("decision", "approve")]).await.status, 409);
    assert_eq!(sent(&agent, &agent.inbox("")).await, 0);
}

#[tokio::test]
async fn changed_draft_and_changed_link_decide_nothing() {
    let (relay, server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let (waiting, link) = asked(&relay, &agent, "bob@outside.example", 1).await;
    let forged = link.replacen("/approvals/W", "/approvals/X", 1);
    assert_ne!(forged, link);
    for wrong in [forged.as_str(), "/approvals/nothing"] {
        assert_eq!(server.http().get(wrong).await.status, 404);
        assert_eq!(decide(&server, wrong, &[("decision", "approve")]).await.status, 404);
    }
    let path = draft_path(&agent, &waiting["draft_id"], "");
    agent.patch(&path, json!({"text": "harmful"})).await.ok();
    assert_eq!(agent.post(&format!("{path}/send"), json!({})).await.status, 202);
    assert_eq!(server.http().get(&link).await.status, 409);
    assert_eq!(decide(&server, &link, &[("decision", "approve")]).await.status, 409);
    assert_eq!(sent(&agent, &agent.inbox("")).await, 0);
    let newest = link_in(requests(&relay, 2).await.last().unwrap());
    assert_eq!(decide(&server, &newest, &[("decision", "approve")]).await.status, 200);
}

#[tokio::test]
async fn hostile_content_is_text_on_the_page() {
    let (relay, server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let hostile = "<script>alert(1)</script>";
    let body = json!({
        "to": "Eve <eve@outside.example>", "subject": hostile, "text": format!("{hostile}</pre><form action=x>"),
        "html": "<p onclick=x>Hi<img src=http://tracker.example/x></p>", "headers": {"X-Note": hostile},
        "attachments": [{"filename": "<b>.txt", "content": "eA=="}],
    });
    send_held(&agent, body).await;
    let link = link_in(&requests(&relay, 1).await[0]);
    let page = server.http().get(&link).await;
    let text = page.text();
    assert_eq!(page.status, 200, "{text}");
    for raw in ["<script", "<p onclick", "<img", "<form action=x", "<b>.txt"] {
        assert!(!text.contains(raw), "{raw}: {text}");
    }
    assert!(text.contains("X-Note") && text.contains("alert(1)"), "{text}");
    assert!(page.header("Content-Security-Policy").unwrap().starts_with("default-src 'none'"));
    assert_eq!(page.header("Referrer-Policy"), Some("no-referrer"));
}

#[tokio::test]
async fn mail_of_approvals_can_be_turned_off_and_spares_members_who_cannot_approve() {
    let relay = RelayServer::start().await;
    for (mode, count) in [("on", 1), ("off", 0)] {
        let server = crate::support::options().relay(&relay).set("INBOXD_APPROVAL_MAIL", mode).start().await;
        let (agent, person) = super::verified_with(&relay, &server, &format!("{mode}@example.org")).await;
        hold_first_contacts(&person).await;
        // Invited, and not joined yet: the mailbox is not proved.
        agent.post("/v0/members", json!({"email": "maria@example.org", "role": "admin", "inbox_ids": []})).await.ok();
        let subject = format!("Held while {mode}");
        let waiting = send_held(&agent, json!({"to": "bob@outside.example", "subject": subject, "text": "x"})).await;
        let approve = draft_path(&agent, &waiting["draft_id"], "/approve");
        person.post(&approve, json!({"message_id": waiting["message_id"]})).await.ok();
        // A request would be queued before the message that it is about.
        relay.mail_about(&subject).await;
        if count > 0 {
            requests(&relay, count).await;
        }
        let asked: Vec<String> =
            relay.mails().into_iter().filter(|mail| mail.text().contains(SUBJECT)).flat_map(|mail| mail.to).collect();
        assert_eq!(asked, ["on@example.org"], "{mode}");
    }
}

#[tokio::test]
async fn author_is_not_asked_to_approve() {
    let (server, agent) = server_and_agent().await;
    let person = super::owner(&server).await;
    super::put(&person, "/v0/policy", &super::for_everyone("hold")).await.ok();
    person.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "x"})).await;
    let captured = server.command(&["admin", "captured", "--limit", "100"]).await;
    assert!(!String::from_utf8_lossy(&captured.stdout).contains(SUBJECT));
}
