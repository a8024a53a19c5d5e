//! What an approver sees of a held message, and who its author is.

use inboxd_testkit::{MailBuilder, Persona, TestServer, eventually};
use serde_json::{Value, json};

use super::link::{link_in, requests};
use super::{draft_path, hold_first_contacts, owner, relayed, send_held};
use crate::browser::Page;
use crate::console::signed_in;
use crate::drafts::{create_draft, far_future, make_due};
use crate::support::{receive, server_and_agent};

/// Returns the page of a draft in the console.
async fn console_page(server: &TestServer, agent: &Persona, draft_id: &Value) -> Page {
    let inbox = inboxd_testkit::encoded(&agent.inbox_id);
    let path = format!("/console/inboxes/{inbox}/drafts/{}", draft_id.as_str().unwrap());
    signed_in(server, "owner@example.org").await.get(&path).await
}

#[tokio::test]
async fn held_forward_shows_all_that_leaves_after_its_original_is_gone() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let mail = MailBuilder::new("boss@outside.example", &agent.inbox_id, "Payroll", "Everyone earns 4711 EUR");
    receive(&server, &agent, &mail.attach("pay.pdf", "application/pdf", b"%PDF pay")).await;
    let payroll = agent.message_about("Payroll").await;
    let forward = json!({"forward_of": payroll["message_id"], "to": "eve@outside.example", "text": "lunch?"});
    let draft = create_draft(&agent, forward).await;
    let path = draft_path(&agent, &draft["draft_id"], "");
    let sent = agent.post(&format!("{path}/send"), json!({})).await;
    assert_eq!((sent.status, &sent.json()["draft_id"]), (202, &draft["draft_id"]));
    agent.delete(&agent.message(&payroll["message_id"], "")).await.require_no_content();
    agent.patch(&agent.inbox(""), json!({"display_name": "Harmless"})).await.ok();

    let shown = person.get(&path).await.ok();
    assert!(shown["text"].as_str().unwrap().contains("4711 EUR"), "{shown:#}");
    assert_eq!(shown["attachments"][0]["filename"], "pay.pdf");
    assert_eq!(shown["attachments"][0]["content_type"], "application/pdf");
    let file = format!("{path}/attachments/{}", shown["attachments"][0]["attachment_id"].as_str().unwrap());
    person.get(&file).await.ok();
    assert_eq!(shown["approval"]["recipients"], json!(["eve@outside.example"]));
    let from = shown["approval"]["from"].as_str().unwrap();
    assert!(from.contains(&agent.inbox_id) && !from.contains("Harmless"), "{from}");
    let page = console_page(&server, &agent, &draft["draft_id"]).await;
    for words in ["lunch?", "4711 EUR", "pay.pdf (application/pdf, 8 bytes)", "eve@outside.example", from] {
        page.require_text(words);
    }
    let message_id = shown["approval"]["message_id"].clone();
    let approved = person.post(&format!("{path}/approve"), json!({"message_id": message_id})).await.ok();
    let left = agent.get(&agent.message(&approved["message_id"], "")).await.ok();
    assert_eq!((&left["text"], &left["attachments"][0]["filename"]), (&shown["text"], &json!("pay.pdf")));
}

/// A letter whose HTML hides and fetches, with the words that a page about it must show.
fn hiding() -> (Value, [&'static str; 8]) {
    let html = "<title>secret 1</title><p>Hello<span style=\"display:none\">secret two</span><!-- secret 3 -->\
        <img src=\"https://tracker.example/secret-4\"></p>";
    let letter = json!({
        "to": "bob@outside.example", "bcc": "eve@outside.example", "subject": "Hi", "text": "Hello", "html": html,
        "headers": {"X-Note": "secret 5"},
    });
    let shown = [
        "hidden from its reader",
        "fetches content from elsewhere",
        "eve@outside.example",
        "secret 1",
        "secret two",
        "secret 3",
        "https://tracker.example/secret-4",
        "secret 5",
    ];
    (letter, shown)
}

#[tokio::test]
async fn console_and_draft_warn_of_hidden_and_fetched_content() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let (letter, shown) = hiding();
    let waiting = send_held(&agent, letter).await;
    let draft = person.get(&draft_path(&agent, &waiting["draft_id"], "")).await.ok();
    assert_eq!(draft["approval"]["warnings"], json!(["hidden_content", "fetched_content"]));
    assert_eq!(draft["approval"]["recipients"], json!(["bob@outside.example", "eve@outside.example"]));
    let page = console_page(&server, &agent, &waiting["draft_id"]).await;
    for words in shown {
        page.require_text(words);
    }
    let plain = send_held(&agent, json!({"to": "dan@outside.example", "text": "Hello", "html": "<p>Hello</p>"})).await;
    let draft = person.get(&draft_path(&agent, &plain["draft_id"], "")).await.ok();
    assert_eq!(draft["approval"].get("warnings"), None, "{draft:#}");
}

#[tokio::test]
async fn mailed_page_warns_of_hidden_and_fetched_content() {
    let (relay, server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let (letter, shown) = hiding();
    send_held(&agent, letter).await;
    let link = link_in(&requests(&relay, 1).await[0]);
    let page = Page { response: server.http().get(&link).await };
    for words in shown {
        page.require_text(words);
    }
}

#[tokio::test]
async fn quoted_address_is_held_and_approved_as_the_same() {
    let (relay, _server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let address = "\"a b\"@outside.example";
    let waiting = send_held(&agent, json!({"to": address, "subject": "Spaced", "text": "x"})).await;
    let path = draft_path(&agent, &waiting["draft_id"], "");
    let draft = person.get(&path).await.ok();
    assert_eq!((&draft["to"], &draft["approval"]["recipients"]), (&json!([address]), &json!([address])));
    person.post(&format!("{path}/approve"), json!({"message_id": waiting["message_id"]})).await.ok();
    assert_eq!(relay.mail_about("Spaced").await.to, [address]);
}

#[tokio::test]
async fn content_of_an_agent_is_judged_as_such_after_a_change_by_a_person() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let letter = json!({"to": "bob@outside.example", "text": "agent", "send_at": far_future()});
    let scheduled = create_draft(&agent, letter).await;
    let path = draft_path(&agent, &scheduled["draft_id"], "");
    person.patch(&path, json!({"add_labels": ["seen"]})).await.ok();
    make_due(&server).await;
    let held = eventually("the draft is held", async || {
        Some(person.get(&path).await.ok()).filter(|draft| draft["status"] == "awaiting_approval")
    })
    .await;
    assert_eq!(held["approval"]["author"]["type"], "api_key");

    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "agent"})).await;
    let path = draft_path(&agent, &draft["draft_id"], "");
    let sent = person.post(&format!("{path}/send"), json!({})).await;
    assert_eq!((sent.status, &sent.json()["status"]), (202, &json!("awaiting_approval")), "{}", sent.text());
    let approval = json!({"message_id": sent.json()["message_id"]});
    person.post(&format!("{path}/approve"), approval).await.ok();
    let own = person.post(&agent.inbox("/drafts"), json!({"to": "dan@outside.example", "text": "by hand"})).await.ok();
    let sent = person.post(&draft_path(&agent, &own["draft_id"], "/send"), json!({})).await;
    assert_eq!(sent.status, 200, "{}", sent.text());
}
