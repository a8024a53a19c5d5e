//! Each tool with the key of another tenant, of another inbox, and without permissions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::client::{ToolClient, bad_arguments};
use crate::support::{mail_to, receive, server_and_agent};

/// Tools without a permission of their own; the use case of `agent_verify` checks one.
const OPEN: [&str; 1] = ["connection_info"];

/// Permissions of the tools. A new tool without a line here fails.
const PERMISSIONS: &[(&str, &[&str])] = &[
    ("inbox_read", &["list_inboxes", "get_inbox"]),
    ("inbox_create", &["create_inbox"]),
    ("inbox_update", &["update_inbox"]),
    ("inbox_delete", &["delete_inbox"]),
    (
        "message_read",
        &[
            "list_threads",
            "search_threads",
            "get_thread",
            "list_messages",
            "search_messages",
            "get_message",
            "wait_for_message",
            "get_raw_message",
            "get_attachment",
            "get_trace",
        ],
    ),
    ("message_update", &["update_thread", "create_note", "delete_note", "update_message"]),
    ("message_delete", &["delete_thread", "delete_message"]),
    ("message_send", &["send_message", "reply_to_message", "cancel_message"]),
    ("draft_create", &["create_draft"]),
    ("draft_update", &["update_draft"]),
    ("draft_read", &["list_drafts", "get_draft"]),
    ("draft_delete", &["delete_draft"]),
    ("draft_send", &["send_draft"]),
    ("event_read", &["list_events"]),
    ("list_entry_read", &["list_list_entries"]),
    ("list_entry_create", &["create_list_entry"]),
    ("list_entry_delete", &["delete_list_entry"]),
    ("domain_read", &["list_domains"]),
    ("domain_create", &["create_domain"]),
    ("domain_update", &["verify_domain"]),
    ("organization_update", &["agent_verify"]),
];

/// Returns arguments of a tool: the ids by name, and values of all other required ones.
fn arguments(tool: &Value, ids: &BTreeMap<&str, Value>) -> Value {
    let schema = &tool["inputSchema"];
    let required: BTreeSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut arguments = json!({});
    for name in schema["properties"].as_object().unwrap().keys() {
        if let Some(id) = ids.get(name.as_str()) {
            arguments[name] = id.clone();
        } else if required.contains(name.as_str()) {
            arguments[name] = match name.as_str() {
                "to" => json!(["bob@outside.example"]),
                "direction" => json!("receive"),
                "type" => json!("block"),
                "domain" | "entry" => json!("attacker.example"),
                "otpCode" => json!("123456"),
                _ => json!("x"),
            };
        }
    }
    if tool["name"] == "wait_for_message" {
        arguments["timeoutSeconds"] = json!(0);
    }
    arguments
}

#[tokio::test]
async fn key_sees_the_tools_that_it_may_use() {
    let (_server, agent) = server_and_agent().await;
    let all = ToolClient::new(&agent).names().await;
    let mut known: BTreeSet<String> = OPEN.iter().map(ToString::to_string).collect();
    for (permission, tools) in PERMISSIONS {
        let key = json!({"name": "one", "permissions": {*permission: true}});
        let names = ToolClient::new(&agent.create_key("/v0/api-keys", key).await).names().await;
        let expected: BTreeSet<String> = tools.iter().chain(&OPEN).map(ToString::to_string).collect();
        assert_eq!(names, expected, "{permission}");
        known.extend(expected);
    }
    let key = json!({"name": "two", "permissions": {"message_read": true, "message_send": true}});
    let names = ToolClient::new(&agent.create_key("/v0/api-keys", key).await).names().await;
    assert!(names.contains("forward_message"));
    known.insert("forward_message".to_owned());
    assert_eq!(all, known, "tools without a permission in this test");
}

#[tokio::test]
async fn key_without_permission_is_refused_before_its_arguments_are_read() {
    let (_server, agent) = server_and_agent().await;
    let key = json!({"name": "none", "permissions": {}});
    let none = ToolClient::new(&agent.create_key("/v0/api-keys", key).await);
    for tool in ToolClient::new(&agent).list().await {
        let name = tool["name"].as_str().unwrap();
        if OPEN.contains(&name) {
            continue;
        }
        let refused = none.refused(name, json!({"limit": "x", "inboxId": 1})).await;
        assert_eq!(refused["code"], "missing_permission", "{name}: {refused:#}");
    }
}

#[tokio::test]
async fn other_tenant_reaches_nothing() {
    let (server, victim) = server_and_agent().await;
    let attacker = server.verified("attacker@example.org", "attacker").await;
    let mail =
        mail_to(&victim, "CONFIDENTIAL").id("<confidential@outside.example>").attach("C.txt", "text/plain", b"C");
    receive(&server, &victim, &mail).await;
    let message = victim.message_about("CONFIDENTIAL").await;
    let note = victim.post(&victim.thread(&message["thread_id"], "/notes"), json!({"text": "CONFIDENTIAL"})).await.ok();
    let draft = victim.post(&victim.inbox("/drafts"), json!({"subject": "CONFIDENTIAL"})).await.ok();
    let domain = victim.post("/v0/domains", json!({"domain": "confidential.example"})).await.ok();
    let event = victim.get("/v0/events").await.ok()["events"][0].clone();
    let ids: BTreeMap<&str, Value> = [
        ("inboxId", json!(victim.inbox_id)),
        ("messageId", message["message_id"].clone()),
        ("threadId", message["thread_id"].clone()),
        ("attachmentId", message["attachments"][0]["attachment_id"].clone()),
        ("noteId", note["note_id"].clone()),
        ("draftId", draft["draft_id"].clone()),
        ("domainId", domain["domain_id"].clone()),
        ("afterEventId", event["event_id"].clone()),
    ]
    .into();
    let before = victim.message_about("CONFIDENTIAL").await;
    let tools = ToolClient::new(&attacker);
    let mut tried = 0;
    for tool in tools.list().await {
        let name = tool["name"].as_str().unwrap();
        // The inbox of the victim, and the own inbox with ids of the victim below it.
        for inbox_id in [&victim.inbox_id, &attacker.inbox_id] {
            let mut ids = ids.clone();
            ids.insert("inboxId", json!(inbox_id));
            let arguments = arguments(&tool, &ids);
            let names_other =
                ids.iter().any(|(name, id)| arguments.get(name) == Some(id) && *id != json!(attacker.inbox_id));
            if !names_other {
                continue;
            }
            let result = tools.try_call(name, arguments.clone()).await;
            let text = result.to_string();
            assert!(!text.contains("CONFIDENTIAL"), "{name} {arguments}: {text}");
            let envelope: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            tried += 1;
            // Ids are filters of a trace: those of others find nothing in the own inbox.
            if name == "get_trace" && *inbox_id == attacker.inbox_id {
                assert_eq!(envelope["trace"], json!([]), "{arguments}: {result:#}");
                continue;
            }
            assert_eq!(envelope["code"], "not_found", "{name} {arguments}: {result:#}");
        }
    }
    assert!(tried > 40, "only {tried} calls were tried");
    assert_eq!(victim.message_about("CONFIDENTIAL").await, before);
    assert_eq!(victim.get("/v0/domains").await.ok()["domains"], json!([domain]));
    // Lists without ids show the own organization alone.
    for (tool, list) in [("list_events", "events"), ("list_domains", "domains"), ("list_inboxes", "inboxes")] {
        let shown = tools.call(tool, json!({"limit": 50})).await.to_string();
        assert!(!shown.contains("CONFIDENTIAL") && !shown.contains(&victim.inbox_id), "{tool}: {list} {shown}");
    }
}

#[tokio::test]
async fn key_of_an_inbox_reaches_that_inbox() {
    let (server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok()["inbox_id"].clone();
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let key = json!({"name": "one inbox"});
    let tools =
        ToolClient::new(&agent.create_key(&format!("/v0/inboxes/{}/api-keys", other.as_str().unwrap()), key).await);
    let ids: BTreeMap<&str, Value> = [
        ("inboxId", json!(agent.inbox_id)),
        ("threadId", agent.message_about("hello").await["thread_id"].clone()),
        ("messageId", agent.message_about("hello").await["message_id"].clone()),
    ]
    .into();
    let mut tried = 0;
    for tool in tools.list().await {
        let arguments = arguments(&tool, &ids);
        if arguments.get("inboxId").is_none() {
            continue;
        }
        let refused = tools.refused(tool["name"].as_str().unwrap(), arguments.clone()).await;
        assert_eq!(refused["code"], "inbox_out_of_scope", "{} {arguments}: {refused:#}", tool["name"]);
        tried += 1;
    }
    assert!(tried > 20, "only {tried} tools were tried");
    let listed = tools.call("list_inboxes", json!({})).await;
    assert_eq!((&listed["count"], &listed["inboxes"][0]["inboxId"]), (&json!(1), &other));
    assert_eq!(tools.call("list_events", json!({})).await["events"], json!([]));
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let (_server, agent) = server_and_agent().await;
    let tools = ToolClient::new(&agent);
    let inbox_id = &agent.inbox_id;
    for (tool, arguments, expected) in [
        ("list_messages", json!({}), vec!["inboxId"]),
        ("list_messages", json!({"inboxId": inbox_id, "limit": 0}), vec!["limit"]),
        ("list_messages", json!({"inboxId": inbox_id, "limit": "many", "before": "noon"}), vec!["limit"]),
        (
            "list_messages",
            json!({"inboxId": inbox_id, "before": "noon", "includeSpam": "perhaps"}),
            vec!["before", "includeSpam"],
        ),
        ("list_messages", json!({"inboxId": inbox_id, "pageToken": "x"}), vec!["pageToken"]),
        ("list_messages", json!({"inboxId": inbox_id, "form": ["alice"]}), vec!["form"]),
        ("get_message", json!({"inboxId": inbox_id, "messageId": "<a@b>", "maxChars": 0}), vec!["maxChars"]),
        ("get_message", json!({"inboxId": inbox_id, "messageId": 5}), vec!["messageId"]),
        ("send_message", json!({"inboxId": inbox_id, "text": "x"}), vec!["to"]),
        (
            "send_message",
            json!({"inboxId": inbox_id, "to": ["no address", "a@b.example"], "text": 1}),
            vec!["to[0]", "text"],
        ),
        (
            "send_message",
            json!({"inboxId": inbox_id, "to": "a@b.example", "text": "x", "bbc": ["c@d.example"]}),
            vec!["bbc"],
        ),
        (
            "send_message",
            json!({"inboxId": inbox_id, "to": "a@b.example", "text": "x", "idempotencyKey": "ü"}),
            vec!["idempotencyKey"],
        ),
        ("wait_for_message", json!({"inboxId": inbox_id, "timeoutSeconds": 51}), vec!["timeoutSeconds"]),
        ("search_messages", json!({"inboxId": inbox_id, "q": " "}), vec!["q"]),
        ("create_inbox", json!({"displayName": "", "username": "a b"}), vec!["username", "displayName"]),
        ("update_draft", json!({"inboxId": inbox_id, "draftId": "x", "sendAt": "soon"}), vec!["sendAt"]),
    ] {
        let refused = tools.refused(tool, arguments.clone()).await;
        assert_eq!(refused["code"], "validation_error", "{tool} {arguments}: {refused:#}");
        let mut bad = bad_arguments(&refused);
        bad.sort();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(bad, expected, "{tool} {arguments}: {refused:#}");
    }
}

#[tokio::test]
async fn refusals_are_those_of_the_api() {
    let (_server, agent) = server_and_agent().await;
    let tools = ToolClient::new(&agent);
    let inbox_id = &agent.inbox_id;
    let mail = json!({"to": ["bob@outside.example"], "text": "x", "attachments": [{"url": "http://10.0.0.1/x"}]});
    let mut of_tool = mail.clone();
    of_tool["inboxId"] = json!(inbox_id);
    for (rest, tool, arguments) in [
        (
            agent.get("/v0/inboxes/nobody@inboxd.localhost").await,
            "get_inbox",
            json!({"inboxId": "nobody@inboxd.localhost"}),
        ),
        (
            agent.get(&agent.inbox("/messages/%3Cno%40where%3E")).await,
            "get_message",
            json!({"inboxId": inbox_id, "messageId": "<no@where>"}),
        ),
        (agent.get(&agent.inbox("/threads/x")).await, "get_thread", json!({"inboxId": inbox_id, "threadId": "x"})),
        (agent.post(&agent.inbox("/messages/send"), mail).await, "send_message", of_tool),
    ] {
        let (expected, found) = (rest.envelope(), tools.refused(tool, arguments).await);
        for field in ["name", "code", "message", "fix", "docs"] {
            assert_eq!(found[field], expected[field], "{tool}");
        }
    }
}
