//! Every way to send against every policy. The ways of the API are those that the document offers.

use std::collections::BTreeSet;

use inboxd_testkit::{MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use super::{for_everyone, owner, put};
use crate::console::signed_in;
use crate::drafts::{create_draft, far_future, make_due};
use crate::guard::document::{Operation, operations};
use crate::mcp_tools::ToolClient;
use crate::send_methods::{
    SendMethod, answer_to_invitation, calendar_methods, every_send_method, receive_invitation, receive_question,
};
use crate::support::{options, receive};

/// Returns the scopes of policies that bind a key of an agent.
async fn scopes(agent: &Persona) -> Vec<String> {
    let inbox = agent.get(&agent.inbox("")).await.ok();
    let key = agent.get("/v0/auth/me").await.ok()["api_key_id"].as_str().unwrap_or_default().to_owned();
    let mut scopes = vec!["/v0".to_owned(), format!("/v0/pods/{}", inbox["pod_id"].as_str().unwrap()), agent.inbox("")];
    if !key.is_empty() {
        scopes.push(format!("/v0/api-keys/{key}"));
    }
    scopes
}

/// Operations that can make a message leave, or that share their permission, with the tests that hold them to policies.
const OPERATIONS: [(&str, &str); 15] = [
    ("POST /v0/inboxes/{inbox_id}/messages/send", "send"),
    ("POST /v0/inboxes/{inbox_id}/messages/{message_id}/reply", "reply"),
    ("POST /v0/inboxes/{inbox_id}/messages/{message_id}/reply-all", "reply-all"),
    ("POST /v0/inboxes/{inbox_id}/messages/{message_id}/forward", "forward"),
    ("POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/send", "draft-send"),
    ("POST /v0/inboxes/{inbox_id}/messages/{message_id}/rsvp", "rsvp"),
    ("POST /v0/inboxes/{inbox_id}/calendar/events", "create-event"),
    ("PATCH /v0/inboxes/{inbox_id}/calendar/events/{event_id}", "update-event"),
    ("DELETE /v0/inboxes/{inbox_id}/calendar/events/{event_id}", "delete-event"),
    ("POST /v0/inboxes/{inbox_id}/calendar/events/{event_id}/respond", "respond-to-event"),
    ("POST /v0/inboxes/{inbox_id}/drafts", "schedule"),
    ("PATCH /v0/inboxes/{inbox_id}/drafts/{draft_id}", "schedule"),
    ("POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/approve", "approval"),
    ("POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/reject", "nothing leaves"),
    ("POST /v0/inboxes/{inbox_id}/messages/{message_id}/cancel", "nothing leaves"),
];

/// Returns the operations of the document that need a permission to send or approve, or take the time of a send.
async fn documented_operations(server: &TestServer) -> BTreeSet<String> {
    let document = server.http().get("/openapi.json").await.ok();
    let takes_time = |path: &str, method: &str| {
        let schema = document["paths"][path][method]["requestBody"].to_string();
        let mut names = schema.split("\"#/").skip(1).filter_map(|rest| rest.split('"').next());
        names.any(|name| {
            document.pointer(&format!("/{name}")).is_some_and(|schema| schema["properties"].get("send_at").is_some())
        })
    };
    let permissions = ["message_send", "draft_send", "draft_approve"];
    let can_send = |operation: &Operation| {
        permissions.iter().any(|permission| operation.permissions.iter().any(|needed| needed == permission))
            || takes_time(&operation.path, &operation.method.to_lowercase())
    };
    let found = operations(server).await.into_iter().filter(can_send);
    found.map(|operation| format!("{} {}", operation.method, operation.path)).collect()
}

/// Returns all ways to send, to the authors of a question and of an invitation.
async fn ways_to_send(agent: &Persona, question: &Value, invitation: &Value) -> Vec<SendMethod> {
    let mut ways = every_send_method(agent, question).await.to_vec();
    ways.push(answer_to_invitation(agent, invitation));
    ways.extend(calendar_methods(agent, question, invitation).await);
    ways
}

/// Returns the number of messages that were sent.
async fn sent(agent: &Persona) -> usize {
    let list = agent.get(&agent.inbox("/messages?labels=sent")).await.ok();
    list["messages"].as_array().unwrap().len()
}

/// Returns the drafts with a status.
async fn drafts_with(agent: &Persona, status: &str) -> usize {
    let drafts = agent.get("/v0/drafts?limit=200").await.ok();
    drafts["drafts"].as_array().unwrap().iter().filter(|draft| draft["status"] == status).count()
}

#[tokio::test]
async fn no_way_of_the_api_sends_what_a_policy_holds_or_refuses() {
    let server = options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let person = owner(&server).await;
    let question = receive_question(&server, &agent, "Bob <bob@outside.example>").await;
    let invitation = receive_invitation(&server, &agent, "Bob <bob@outside.example>").await;
    let known: BTreeSet<String> = OPERATIONS.iter().map(|(operation, _)| (*operation).to_owned()).collect();
    assert_eq!(known, documented_operations(&server).await, "an operation is missing here");
    let methods: Vec<&str> =
        ways_to_send(&agent, &question, &invitation).await.iter().map(|method| method.name).collect();
    let elsewhere = ["schedule", "approval", "nothing leaves"];
    let tried: Vec<&str> =
        OPERATIONS.iter().map(|(_, tests)| *tests).filter(|tests| !elsewhere.contains(tests)).collect();
    assert_eq!(methods, tried, "a way to send is missing here");
    for scope in scopes(&agent).await {
        let policy = format!("{scope}/policy");
        put(&person, &policy, &for_everyone("refuse")).await.ok();
        for method in ways_to_send(&agent, &question, &invitation).await {
            method.send(&agent).await.require_error(403, "policy_refused");
            if !scope.contains("api-keys") {
                method.send(&person).await.require_error(403, "policy_refused");
            }
        }
        assert_eq!(sent(&agent).await, 0, "{policy}");
        put(&person, &policy, &for_everyone("hold")).await.ok();
        let mut waiting = drafts_with(&agent, "awaiting_approval").await;
        for method in ways_to_send(&agent, &question, &invitation).await {
            let response = method.send(&agent).await;
            assert_eq!(response.status, 202, "{policy} {}: {}", method.name, response.text());
            let held = response.json();
            assert_eq!(held["status"], "awaiting_approval", "{policy} {}", method.name);
            waiting += 1;
            assert_eq!(drafts_with(&agent, "awaiting_approval").await, waiting, "{policy} {}", method.name);
        }
        person.delete(&policy).await;
    }
}

#[tokio::test]
async fn schedule_does_not_evade_a_policy() {
    let (server, agent) = crate::support::server_and_agent().await;
    let person = owner(&server).await;
    for (action, status) in [("hold", "awaiting_approval"), ("refuse", "failed")] {
        person.delete("/v0/policy").await;
        let body = json!({"to": "bob@outside.example", "text": "later", "send_at": far_future()});
        let draft = create_draft(&agent, body).await;
        put(&person, "/v0/policy", &for_everyone(action)).await.ok();
        make_due(&server).await;
        let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
        let seen = inboxd_testkit::eventually("the schedule ends", async || {
            let draft = agent.get(&path).await.ok();
            [&draft["status"], &draft["send_status"]].contains(&&json!(status)).then_some(draft)
        });
        let draft = seen.await;
        assert!(!draft["labels"].as_array().unwrap().contains(&json!("scheduled")), "{draft:#}");
        assert_eq!(sent(&agent).await, 0, "{action}");
    }
}

#[tokio::test]
async fn delay_does_not_evade_a_policy() {
    let (server, agent) = crate::support::server_and_agent().await;
    let person = owner(&server).await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    for (action, field, status) in [("hold", "status", "awaiting_approval"), ("refuse", "send_status", "failed")] {
        put(&person, "/v0/policy", &for_everyone("allow")).await.ok();
        let mut delayed = 0;
        for method in every_send_method(&agent, &question).await {
            if method.name != "draft-send" {
                method.send_with(&agent, "undo_seconds", json!(3600)).await.ok();
                method.send_with(&agent, "send_at", json!(far_future())).await.ok();
                delayed += 2;
            }
        }
        put(&person, "/v0/policy", &for_everyone(action)).await.ok();
        make_due(&server).await;
        inboxd_testkit::eventually("the delayed sends end", async || {
            let drafts = agent.get("/v0/drafts?limit=200").await.ok();
            let ended = drafts["drafts"].as_array().unwrap().iter().filter(|draft| draft[field] == status).count();
            (ended == delayed).then_some(())
        })
        .await;
        assert_eq!(sent(&agent).await, 0, "{action}");
    }
}

#[tokio::test]
async fn no_tool_sends_what_a_policy_holds_or_refuses() {
    let (server, agent) = crate::support::server_and_agent().await;
    let person = owner(&server).await;
    receive(&server, &agent, &MailBuilder::new("bob@outside.example", &agent.inbox_id, "Q", "Shall we?")).await;
    let question = agent.message_about("Q").await;
    let tools = ToolClient::new(&agent);
    let sends = |tool: &Value| {
        let answer = tool["outputSchema"].to_string();
        tool["annotations"]["openWorldHint"] == true
            && tool["annotations"]["readOnlyHint"] != true
            && ["\"messageId\"", "\"threadId\""].iter().all(|name| answer.contains(name))
    };
    let offered: BTreeSet<String> = tools
        .list()
        .await
        .iter()
        .filter(|tool| sends(tool))
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    let expected = ["forward_message", "reply_to_message", "send_draft", "send_message"];
    assert_eq!(offered, expected.map(str::to_owned).into_iter().collect(), "a tool that sends is missing here");
    for action in ["refuse", "hold"] {
        put(&person, "/v0/policy", &for_everyone(action)).await.ok();
        for tool in expected {
            let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "drafted"})).await;
            let arguments = match tool {
                "send_draft" => json!({"inboxId": agent.inbox_id, "draftId": draft["draft_id"]}),
                "send_message" => json!({"inboxId": agent.inbox_id, "to": ["bob@outside.example"], "text": tool}),
                "forward_message" => json!({
                    "inboxId": agent.inbox_id, "messageId": question["message_id"], "to": ["bob@outside.example"],
                }),
                _ => json!({"inboxId": agent.inbox_id, "messageId": question["message_id"], "text": tool}),
            };
            if action == "refuse" {
                assert_eq!(tools.refused(tool, arguments).await["code"], "policy_refused", "{tool}");
            } else {
                let held = tools.call(tool, arguments).await;
                assert_eq!(held["status"], "awaiting_approval", "{tool}: {held:#}");
                assert!(held["draftId"].is_string(), "{tool}: {held:#}");
            }
        }
    }
    assert_eq!(sent(&agent).await, 0);
}

#[tokio::test]
async fn console_sends_nothing_that_a_policy_for_everyone_holds() {
    let (server, agent) = crate::support::server_and_agent().await;
    put(&owner(&server).await, "/v0/policy", &for_everyone("hold")).await.ok();
    let mut browser = signed_in(&server, "owner@example.org").await;
    let compose = format!("/console/inboxes/{}/compose", inboxd_testkit::encoded(&agent.inbox_id));
    let page = browser.get(&compose).await;
    let fields = [("to", "bob@outside.example"), ("subject", "By hand"), ("text", "Hello")];
    browser.submit(&page, &compose, &fields).await;
    make_due(&server).await;
    inboxd_testkit::eventually("the draft is held", async || {
        (drafts_with(&agent, "awaiting_approval").await == 1).then_some(())
    })
    .await;
    assert_eq!(sent(&agent).await, 0);
}

#[tokio::test]
async fn amounts_are_exact_for_concurrent_sends() {
    let (server, agent) = crate::support::server_and_agent().await;
    let person = owner(&server).await;
    put(&person, "/v0/policy", &json!({"amount": {"per_hour": 3, "per_recipient_hour": 2}})).await.ok();
    let to = |name: &str| json!({"to": format!("{name}@outside.example"), "text": "x"});
    let calls = (0..8).map(|number| {
        let (agent, body) = (agent.clone(), to(&format!("n{number}")));
        async move { agent.post(&agent.inbox("/messages/send"), body).await }
    });
    let answers = crate::support::run_concurrently(calls).await;
    assert_eq!(crate::support::count(&answers, 200), 3);
    assert_eq!(crate::support::count(&answers, 403), 5);
    server.database().execute("UPDATE policy_counts SET minute = minute - interval '2 hours'").await;
    for status in [200, 200, 403] {
        let response = agent.post(&agent.inbox("/messages/send"), to("same")).await;
        assert_eq!(response.status, status, "{}", response.text());
    }
}
