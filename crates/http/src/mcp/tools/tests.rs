//! The table of the tools: names, parameters and hints of AgentMail, and its size.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::TOOLS;

/// Tools of AgentMail's server: name, hints, and parameters, of which those with a star are required.
const AGENTMAIL: &[(&str, &str, &str)] = &[
    ("list_inboxes", "RI", "limit pageToken"),
    ("get_inbox", "RI", "inboxId*"),
    ("create_inbox", "", "username domain displayName clientId metadata"),
    ("update_inbox", "DI", "inboxId* displayName metadata"),
    ("delete_inbox", "DI", "inboxId*"),
    (
        "list_threads",
        "RIO",
        "inboxId* limit pageToken labels before after ascending includeSpam includeTrash senders recipients subject",
    ),
    ("search_threads", "RIO", "inboxId* q* limit pageToken before after"),
    ("get_thread", "RIO", "inboxId* threadId*"),
    ("update_thread", "DI", "inboxId* threadId* addLabels removeLabels"),
    ("delete_thread", "D", "inboxId* threadId*"),
    ("get_attachment", "RIO", "inboxId* threadId* attachmentId*"),
    (
        "list_messages",
        "RIO",
        "inboxId* limit pageToken labels before after ascending includeSpam includeTrash from to subject",
    ),
    ("search_messages", "RIO", "inboxId* q* limit pageToken before after"),
    ("send_message", "DO", "inboxId* to* cc bcc subject text html labels attachments replyTo"),
    ("reply_to_message", "DO", "inboxId* messageId* text html labels attachments replyTo replyAll to cc bcc"),
    ("forward_message", "DO", "inboxId* messageId* to* cc bcc subject text html labels attachments replyTo"),
    ("update_message", "DI", "inboxId* messageId* addLabels removeLabels"),
    ("create_draft", "", "inboxId* to cc bcc subject text html labels attachments replyTo inReplyTo sendAt clientId"),
    ("update_draft", "DI", "inboxId* draftId* to cc bcc subject text html replyTo sendAt"),
    ("list_drafts", "RI", "inboxId* limit pageToken labels before after ascending"),
    ("get_draft", "RI", "inboxId* draftId*"),
    ("delete_draft", "DI", "inboxId* draftId*"),
    ("send_draft", "DO", "inboxId* draftId*"),
    ("agent_verify", "", "otpCode*"),
];

#[test]
fn tools_of_agentmail_have_their_parameters_and_hints() {
    for (name, hints, parameters) in AGENTMAIL {
        let tool = super::find(name).unwrap();
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let required: BTreeSet<&str> = match tool.input_schema.get("required") {
            Some(required) => required.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect(),
            None => BTreeSet::new(),
        };
        let expected: BTreeSet<&str> = parameters.split(' ').filter_map(|name| name.strip_suffix('*')).collect();
        assert_eq!(required, expected, "{name}");
        for parameter in parameters.split(' ').map(|name| name.trim_end_matches('*')) {
            assert!(properties.contains_key(parameter), "{name} has no {parameter}");
        }
        let own = &tool.facts.hints;
        let letters = [
            (own.is_read_only(), 'R'),
            (own.is_destructive(), 'D'),
            (own.is_idempotent(), 'I'),
            (own.is_open_world(), 'O'),
        ];
        let letters: String = letters.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| letter).collect();
        assert_eq!(letters, *hints, "{name}");
    }
}

#[test]
fn tools_that_store_are_refused_at_low_disk_space_and_deletions_are_not() {
    for tool in TOOLS.iter() {
        let name = tool.facts.name;
        let is_free = tool.facts.hints.is_read_only()
            || name.starts_with("delete_")
            || ["verify_domain", "agent_verify", "cancel_message"].contains(&name);
        assert_eq!(tool.facts.hints.is_growing(), !is_free, "{name}");
    }
}

/// The list as a client reads it, with the longest forms of its parts.
fn listed() -> Vec<Value> {
    let tool = |tool: &super::Tool| {
        json!({
            "name": tool.facts.name, "title": tool.facts.title, "description": tool.facts.description,
            "inputSchema": *tool.input_schema, "outputSchema": *tool.output_schema,
            "annotations": { "title": tool.facts.title, "readOnlyHint": false, "destructiveHint": false,
                "idempotentHint": false, "openWorldHint": false },
        })
    };
    TOOLS.iter().map(tool).collect()
}

#[test]
fn list_has_at_most_40_tools_and_40_kb() {
    assert!(TOOLS.len() <= 40, "{}", TOOLS.len());
    let names: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.facts.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    let bytes = json!(listed()).to_string().len();
    assert!(bytes < 40_000, "{bytes}");
    for tool in TOOLS.iter() {
        assert!(tool.facts.description.len() <= 2_000 && tool.facts.description.len() > 10, "{}", tool.facts.name);
    }
}

#[test]
fn each_parameter_has_a_type_that_clients_understand() {
    for tool in TOOLS.iter() {
        for (name, schema) in tool.input_schema["properties"].as_object().unwrap() {
            let kind = schema["type"].as_str().unwrap_or_else(|| panic!("{}.{name}: {schema}", tool.facts.name));
            assert!(["string", "integer", "boolean", "array", "object"].contains(&kind), "{name}: {kind}");
            if kind == "array" {
                assert!(schema["items"]["type"].is_string(), "{}.{name}: {schema}", tool.facts.name);
            }
        }
    }
}

#[test]
fn attachments_describe_their_sources() {
    let schema = &super::find("send_message").unwrap().input_schema["properties"]["attachments"];
    let text = schema.to_string();
    assert!(
        text.contains("exactly one of content (base64), url, fileId of a file in this inbox, or messageId"),
        "{text}"
    );
    for name in ["filename", "contentType", "contentDisposition", "contentId", "content", "url", "fileId", "messageId"]
    {
        assert!(schema["items"]["properties"].get(name).is_some(), "{name}: {text}");
    }
}

#[test]
fn list_of_tools_is_fixed() {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.facts.name).collect();
    insta::assert_snapshot!(names.join("\n"));
}
