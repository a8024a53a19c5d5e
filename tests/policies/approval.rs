//! `POST …/drafts/{draft_id}/approve` and `…/reject`.

use inboxd_testkit::{HttpRequest, MailBuilder};
use serde_json::{Value, json};

use super::{draft_path, for_everyone, held, hold_first_contacts, owner, put, relayed};
use crate::people::invite_and_join;
use crate::support::{count, receive, run_concurrently, server_and_agent, worker_beside};

#[tokio::test]
async fn approved_message_leaves_byte_for_byte_and_makes_its_recipient_known() {
    let (relay, _server, agent, person) = relayed().await;
    hold_first_contacts(&person).await;
    let body = json!({
        "to": "Bob <bob@outside.example>", "bcc": "dan@outside.example", "subject": "Offer", "text": "Dear Bob",
        "labels": ["offers"], "attachments": [{"filename": "offer.txt", "content": "b2ZmZXI="}],
        "headers": {"X-Campaign": "spring"},
    });
    let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).header("Idempotency-Key", "k").json(&body);
    let response = agent.call(request.clone()).await;
    assert_eq!(response.status, 202, "{}", response.text());
    let waiting = response.json();
    let repeated = agent.call(request).await;
    assert_eq!((repeated.status, repeated.json()), (202, waiting.clone()), "a repeat holds nothing more");
    let path = draft_path(&agent, &waiting["draft_id"], "");
    let draft = person.get(&path).await.ok();
    assert_eq!(draft["status"], "awaiting_approval");
    assert_eq!(draft["approval"]["message_id"], waiting["message_id"]);
    assert_eq!(draft["approval"]["rule"]["rule"], "recipients.first_contact");
    assert_eq!(draft["approval"]["headers"], json!({"X-Campaign": "spring"}));
    assert_eq!(draft["attachments"][0]["filename"], "offer.txt");
    let listed = person.get("/v0/drafts?labels=awaiting_approval").await.ok();
    assert_eq!(listed["count"], 1);
    assert_eq!(agent.messages().await.len(), 0);

    let approval = json!({"message_id": waiting["message_id"]});
    agent.post(&format!("{path}/approve"), approval.clone()).await.require_error(403, "role_not_allowed");
    let sent = person.post(&format!("{path}/approve"), approval.clone()).await.ok();
    assert_eq!((&sent["message_id"], &sent["thread_id"]), (&waiting["message_id"], &waiting["thread_id"]));
    let mail = relay.mail_about("Offer").await;
    assert_eq!(mail.to, ["bob@outside.example", "dan@outside.example"]);
    assert_eq!(
        (mail.header("X-Campaign"), mail.header("Message-ID")),
        ("spring".to_owned(), sent["message_id"].as_str().unwrap().to_owned())
    );
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!(stored["sent_by"]["type"], "api_key", "the author stays the author");
    assert!(stored["labels"].as_array().unwrap().contains(&json!("offers")));
    person.post(&format!("{path}/approve"), approval).await.require_error(404, "not_found");
    let again = agent.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "more"})).await;
    assert_eq!(again.status, 200, "an approval makes a recipient known: {}", again.text());
    let events =
        agent.get("/v0/events?event_types=message.held&event_types=message.approved&ascending=true").await.ok();
    let kinds: Vec<&Value> = events["events"].as_array().unwrap().iter().map(|event| &event["event_type"]).collect();
    assert_eq!(kinds, ["message.held", "message.approved"]);
    assert_eq!(events["events"][1]["approve"]["approved_by"]["email"], "owner@example.org");
}

#[tokio::test]
async fn only_another_person_approves() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    let admin = invite_and_join(&server, &agent, "ben@example.org", "admin", json!(null)).await;
    put(&person, "/v0/policy", &for_everyone("hold")).await.ok();
    let body = json!({"to": "bob@outside.example", "text": "by hand"});
    let waiting = person.post(&agent.inbox("/messages/send"), body).await.json();
    let approval = json!({"message_id": waiting["message_id"]});
    let approve = draft_path(&agent, &waiting["draft_id"], "/approve");
    person.post(&approve, approval.clone()).await.require_error(403, "role_not_allowed");
    person
        .post(&draft_path(&agent, &waiting["draft_id"], "/reject"), approval.clone())
        .await
        .require_error(403, "role_not_allowed");
    let other = agent.create_key("/v0/api-keys", json!({"name": "other"})).await;
    for caller in [&*agent, &other] {
        caller.post(&approve, approval.clone()).await.require_error(403, "role_not_allowed");
    }
    admin.post(&approve, approval).await.ok();
}

#[tokio::test]
async fn person_approves_no_draft_that_they_changed_last() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    let admin = invite_and_join(&server, &agent, "ben@example.org", "admin", json!(null)).await;
    put(&person, "/v0/policy", &for_everyone("hold")).await.ok();
    let draft = agent.post(&agent.inbox("/drafts"), json!({"to": "bob@outside.example", "text": "draft"})).await.json();
    let path = |action: &str| draft_path(&agent, &draft["draft_id"], action);
    person.patch(&path(""), json!({"text": "by hand"})).await.ok();
    let waiting = person.post(&path("/send"), json!({})).await.json();
    let approval = json!({"message_id": waiting["message_id"]});
    person.post(&path("/approve"), approval.clone()).await.require_error(403, "role_not_allowed");
    admin.post(&path("/approve"), approval).await.ok();
}

#[tokio::test]
async fn rejected_message_stays_a_draft_with_the_reason() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let waiting = held(&agent, "bob@outside.example", "hello").await;
    let path = draft_path(&agent, &waiting["draft_id"], "");
    let body = json!({"message_id": waiting["message_id"], "reason": "too early"});
    let draft = person.post(&format!("{path}/reject"), body.clone()).await.ok();
    assert_eq!((&draft["status"], &draft["approval"]["reason"]), (&json!("rejected"), &json!("too early")));
    person.post(&format!("{path}/approve"), body).await.require_error(409, "not_awaiting_approval");
    let events = agent.get("/v0/events?event_types=message.rejected").await.ok();
    assert_eq!(events["events"][0]["message_id"], waiting["message_id"]);
    assert!(events["events"][0]["reject"]["reason"].as_str().unwrap().contains("too early"), "{events:#}");
    agent.patch(&path, json!({"text": "hello again"})).await.ok();
    let draft = agent.get(&path).await.ok();
    assert_eq!(draft.get("status"), None, "{draft:#}");
    let again = agent.post(&format!("{path}/send"), json!({})).await;
    assert_eq!((again.status, &again.json()["draft_id"]), (202, &waiting["draft_id"]));
}

#[tokio::test]
async fn change_voids_an_approval() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let waiting = held(&agent, "bob@outside.example", "harmless").await;
    let path = draft_path(&agent, &waiting["draft_id"], "");
    let seen = json!({"message_id": waiting["message_id"]});
    agent.patch(&path, json!({"text": "harmful"})).await.ok();
    person.post(&format!("{path}/approve"), seen.clone()).await.require_error(409, "not_awaiting_approval");
    let again = agent.post(&format!("{path}/send"), json!({})).await.json();
    assert_ne!(again["message_id"], waiting["message_id"]);
    person.post(&format!("{path}/approve"), seen).await.require_error(409, "not_awaiting_approval");
    assert_eq!(agent.get(&agent.inbox("/messages?labels=sent")).await.ok()["count"], 0);
    person.post(&format!("{path}/approve"), json!({"message_id": again["message_id"]})).await.ok();
}

#[tokio::test]
async fn concurrent_approvals_and_changes_send_once_what_was_seen() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    for round in 0..5 {
        let to = format!("bob{round}@outside.example");
        let waiting = held(&agent, &to, "harmless").await;
        let path = draft_path(&agent, &waiting["draft_id"], "");
        let approval = json!({"message_id": waiting["message_id"]});
        let calls = (0..5).map(|place| {
            let (person, agent) = (person.clone(), agent.clone());
            let (path, approval) = (path.clone(), approval.clone());
            async move {
                match place {
                    2 => agent.patch(&path, json!({"text": "harmful"})).await,
                    _ => person.post(&format!("{path}/approve"), approval).await,
                }
            }
        });
        let answers = run_concurrently(calls).await;
        assert!(count(&answers, 200) <= 2, "one approval, or a change, or a change before none");
        let sent = agent.get(&agent.inbox("/messages?labels=sent&limit=50")).await.ok();
        let texts: Vec<&str> =
            sent["messages"].as_array().unwrap().iter().map(|message| message["preview"].as_str().unwrap()).collect();
        assert!(texts.iter().all(|text| *text == "harmless"), "{texts:?}");
        let to_bob = sent["messages"].as_array().unwrap().iter().filter(|message| message["to"][0] == to.as_str());
        assert!(to_bob.count() <= 1);
    }
}

#[tokio::test]
async fn policy_that_refuses_meanwhile_stops_an_approved_message() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let waiting = held(&agent, "bob@outside.example", "hello").await;
    let approve = draft_path(&agent, &waiting["draft_id"], "/approve");
    put(&person, &agent.inbox("/policy"), &for_everyone("refuse")).await.ok();
    let approval = json!({"message_id": waiting["message_id"]});
    person.post(&approve, approval.clone()).await.require_error(403, "policy_refused");
    person.delete(&agent.inbox("/policy")).await;
    person.post(&approve, approval).await.ok();
}

#[tokio::test]
async fn unanswered_approval_expires() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    hold_first_contacts(&person).await;
    let waiting = held(&agent, "bob@outside.example", "hello").await;
    let expire = "UPDATE drafts SET approval_expires_at = now() - interval '1 minute',
        approval = approval || '{\"expires_at\": \"2020-01-01T00:00:00Z\"}'";
    server.database().execute(expire).await;
    let path = draft_path(&agent, &waiting["draft_id"], "");
    let approval = json!({"message_id": waiting["message_id"]});
    person.post(&format!("{path}/approve"), approval).await.require_error(409, "not_awaiting_approval");
    let _worker = worker_beside(&server).await;
    let draft = inboxd_testkit::eventually("the approval expires", async || {
        Some(agent.get(&path).await.ok()).filter(|draft| draft["status"] == "expired")
    })
    .await;
    assert!(!draft["labels"].as_array().unwrap().contains(&json!("awaiting_approval")), "{draft:#}");
}

#[tokio::test]
async fn default_policy_holds_secrets_and_codes_for_others() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new("shop@outside.example", &agent.inbox_id, "Sign in", "Your verification code is 482913");
    receive(&server, &agent, &mail).await;
    let send = async |to: &str, text: &str| {
        agent.post(&agent.inbox("/messages/send"), json!({"to": to, "text": text})).await.status
    };
    assert_eq!(send("bob@outside.example", "Hello Bob, order 1234 is on its way").await, 200);
    assert_eq!(send("bob@outside.example", "the code is 482 913").await, 202);
    assert_eq!(send("shop@outside.example", "> Your verification code is 482913").await, 200);
    assert_eq!(send("owner@example.org", "the code is 482913").await, 200, "members may see codes");
    assert_eq!(send("bob@outside.example", "card 4111 1111 1111 1111").await, 202);
}

#[tokio::test]
async fn default_policy_holds_replies_in_suspicious_threads() {
    let (server, agent) = server_and_agent().await;
    agent.send(json!({"to": "bob@weber-bau.example", "text": "Hello"})).await;
    let mail = MailBuilder::new("bob@weber-bua.example", &agent.inbox_id, "Invoice", "Pay to this account.");
    receive(&server, &agent, &mail).await;
    let message = agent.message_about("Invoice").await;
    assert_eq!(message["trust"]["verdict"], "suspicious");
    let reply = agent.post(&agent.message(&message["message_id"], "/reply"), json!({"text": "Done."})).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    let draft = agent.get(&draft_path(&agent, &reply.json()["draft_id"], "")).await.ok();
    assert_eq!(draft["approval"]["rule"]["rule"], "recipients.suspicious");
    let person = owner(&server).await;
    person.post(&agent.message(&message["message_id"], "/reply"), json!({"text": "By hand."})).await.ok();
}

#[tokio::test]
async fn person_approves_and_rejects_in_the_console() {
    let (server, agent) = server_and_agent().await;
    hold_first_contacts(&owner(&server).await).await;
    let mut person = crate::console::signed_in(&server, "owner@example.org").await;
    for (action, words, sent) in [("reject", "Rejected.", 0), ("approve", "Approved.", 1)] {
        let waiting = held(&agent, "bob@outside.example", action).await;
        let list = person.get("/console/drafts?state=awaiting_approval").await.require_console(200, "Drafts");
        list.require_text("a first contact: this inbox never wrote to bob@outside.example");
        let inbox = inboxd_testkit::encoded(&agent.inbox_id);
        let page = format!("/console/inboxes/{inbox}/drafts/{}", waiting["draft_id"].as_str().unwrap());
        let draft = person.get(&page).await.require_console(200, "Draft");
        draft.require_text("this inbox never wrote to bob@outside.example");
        let decided = person.submit(&draft, &format!("{page}/{action}"), &[]).await;
        person.get(&decided.location()).await.require_console(200, "Drafts").require_text(words);
        assert_eq!(agent.get(&agent.inbox("/messages?labels=sent")).await.ok()["count"], sent);
    }
}
