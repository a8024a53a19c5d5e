//! Refusals of arguments.
//!
//! Beside the envelope of the API they show the schema of each bad argument, and an example.

use std::collections::BTreeSet;

use inboxd_core::FieldError;
use serde_json::{Map, Value, json};

use crate::error::{ApiError, ErrorExtra, body_json};
use crate::mcp::arguments::camel_case;
use crate::mcp::tool::Tool;

/// Returns the text of a refusal: the envelope of the API. Of bad arguments it shows the schema and an example, too.
pub(in crate::mcp) fn refusal(tool: &Tool, error: &ApiError, base_url: &str) -> String {
    let text = body_json(error, base_url);
    match (&error.extra, serde_json::from_str(&text)) {
        (ErrorExtra::Fields(problems), Ok(Value::Object(mut envelope))) => {
            explain(tool, problems, &mut envelope);
            Value::Object(envelope).to_string()
        }
        _ => text,
    }
}

/// Maximum number of bad arguments that a refusal shows.
const MAX_SHOWN: usize = 20;

/// Adds schemas and an example of the bad arguments.
///
/// Message and fix stay those of the API; `errors` names the arguments as the tool declares them.
fn explain(tool: &Tool, problems: &[FieldError], envelope: &mut Map<String, Value>) {
    let problems = problems.get(..MAX_SHOWN).unwrap_or(problems);
    let path = |problem: &FieldError| argument_path(&problem.path);
    let errors: Vec<Value> =
        problems.iter().map(|problem| json!({ "path": path(problem), "message": problem.message })).collect();
    envelope.insert("errors".to_owned(), errors.into());
    envelope.remove("detail");
    let Some(Value::Object(properties)) = tool.input_schema.get("properties") else { return };
    let bad: BTreeSet<String> = problems.iter().map(|problem| root(&path(problem)).to_owned()).collect();
    let known = properties.iter().filter(|(name, _)| bad.contains(*name));
    let expected: Map<String, Value> = known.map(|(name, schema)| (name.clone(), schema.clone())).collect();
    let required = tool.input_schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let named: BTreeSet<&str> = required.filter_map(Value::as_str).chain(expected.keys().map(String::as_str)).collect();
    let example = properties.iter().filter(|(name, _)| named.contains(name.as_str()));
    let example: Map<String, Value> = example.map(|(name, schema)| (name.clone(), example_of(name, schema))).collect();
    envelope.insert("expected".to_owned(), Value::Object(expected));
    envelope.insert("example".to_owned(), Value::Object(example));
}

/// Returns the path of an argument for that of a field of the API: `attachments[0].contentType`.
fn argument_path(path: &str) -> String {
    path.split('.').map(camel_case).collect::<Vec<_>>().join(".")
}

/// Returns the argument that a path begins with.
fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

/// Returns an example of an argument.
fn example_of(name: &str, schema: &Value) -> Value {
    match name {
        "inboxId" => json!("scout@inboxd.example"),
        "messageId" | "inReplyTo" | "forwardOf" => json!("<0192af@inboxd.example>"),
        "to" | "cc" | "bcc" | "replyTo" => json!(["Bob <bob@example.org>"]),
        "before" | "after" | "start" | "end" | "sendAt" => json!("2026-11-20T10:00:00Z"),
        "addLabels" | "removeLabels" | "labels" => json!(["important"]),
        "eventTypes" => json!(["message.received"]),
        "attachments" | "addAttachments" => json!([{ "url": "https://example.org/a.pdf", "filename": "a.pdf" }]),
        "direction" => json!("receive"),
        "type" => json!("block"),
        "domain" | "entry" => json!("example.org"),
        "username" => json!("scout"),
        "otpCode" => json!("123456"),
        "metadata" => json!({ "team": "blue", "obsolete": null }),
        "idempotencyKey" | "clientId" => json!("order-42"),
        _ => match schema.get("type").and_then(Value::as_str) {
            Some("integer") => schema.get("default").or_else(|| schema.get("minimum")).cloned().unwrap_or(json!(1)),
            Some("boolean") => json!(true),
            Some("array") => json!(["text"]),
            Some("object") => json!({}),
            _ => json!("text"),
        },
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    #[test]
    fn bad_arguments_are_shown_with_schema_and_example() {
        let tool = super::super::find("send_message").unwrap();
        let problems = [
            FieldError::new("reply_to[0]", "is no address"),
            FieldError::new("attachments[1].content_type", "must be a string, not a number"),
            FieldError::new("bbc", "is none of to, cc, bcc"),
        ];
        let mut envelope = json!({ "fix": "correct reply_to[0]", "detail": [] }).as_object().cloned().unwrap();
        explain(tool, &problems, &mut envelope);
        assert_eq!(envelope["fix"], "correct reply_to[0]");
        assert_eq!(envelope["errors"][0], json!({ "path": "replyTo[0]", "message": "is no address" }));
        assert_eq!(envelope["errors"][1]["path"], "attachments[1].contentType");
        let expected: Vec<&String> = envelope["expected"].as_object().unwrap().keys().collect();
        assert_eq!(expected, ["attachments", "replyTo"]);
        let example: Vec<&String> = envelope["example"].as_object().unwrap().keys().collect();
        assert_eq!(example, ["attachments", "inboxId", "replyTo", "to"]);
    }

    #[test]
    fn examples_have_the_declared_type() {
        for tool in super::super::TOOLS.iter() {
            for (name, schema) in tool.input_schema["properties"].as_object().unwrap() {
                let example = example_of(name, schema);
                let fits = match schema["type"].as_str().unwrap() {
                    "string" => example.is_string(),
                    "integer" => example.is_u64(),
                    "boolean" => example.is_boolean(),
                    "array" => example.is_array(),
                    _ => example.is_object(),
                };
                assert!(fits, "{}.{name}: {example}", tool.facts.name);
            }
        }
    }
}
