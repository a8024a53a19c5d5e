//! One thing in full: a message as mail, anything else as its fields.

use std::fmt::Write;

use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::Terminal;
use super::clock::relative;
use super::columns::is_empty;
use super::progress::size;
use super::table::plain;
use super::text::{safe, width};

/// Fields of a thread that its messages show.
const THREAD_BODY: [&str; 8] =
    ["messages", "count", "limit", "next_page_token", "preview", "attachments", "senders", "recipients"];

/// Renders a response.
pub(crate) fn render(value: &Value, terminal: Terminal, now: OffsetDateTime) -> String {
    let mut shown = String::new();
    match value {
        Value::Object(object) if object.contains_key("message_id") && object.contains_key("from") => {
            message(object, terminal, now, &mut shown);
        }
        Value::Object(object) if object.get("messages").is_some_and(Value::is_array) => {
            thread(object, terminal, now, &mut shown);
        }
        // Waiting responds with a message, or without one.
        Value::Object(object) if object.len() == 1 && object.get("message").is_some_and(Value::is_object) => {
            return render(&value["message"], terminal, now);
        }
        Value::Object(object) => fields(object, 0, terminal, now, &mut shown),
        other => line(&mut shown, &plain(other)),
    }
    shown
}

fn line(shown: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(shown, "{text}");
}

fn message(message: &Map<String, Value>, terminal: Terminal, now: OffsetDateTime, shown: &mut String) {
    let mut header = |name: &str, value: &str| {
        if !value.is_empty() {
            line(shown, &format!("{} {value}", terminal.bold(&format!("{:<12}", format!("{name}:")))));
        }
    };
    let text = |name: &str| message.get(name).map(plain).unwrap_or_default();
    for (name, field) in [("From", "from"), ("To", "to"), ("Cc", "cc"), ("Bcc", "bcc"), ("Subject", "subject")] {
        header(name, &text(field));
    }
    let at = text("timestamp");
    header("Date", &format!("{at} ({})", relative(&at, now)));
    header("Labels", &text("labels"));
    if let Some(results) = message.get("authentication").and_then(Value::as_object) {
        let result = |(name, value): (&String, &Value)| format!("{name} {}", plain(value));
        header("Checks", &results.iter().map(result).collect::<Vec<_>>().join(", "));
    }
    for code in message.get("extracted_codes").and_then(Value::as_array).into_iter().flatten() {
        header("Code", &plain(&code["code"]));
    }
    for attachment in message.get("attachments").and_then(Value::as_array).into_iter().flatten() {
        let name = attachment["filename"].as_str().map_or_else(|| "(no name)".to_owned(), |name| plain(&name.into()));
        let bytes = size(attachment["size"].as_u64().unwrap_or_default());
        header("Attachment", &format!("{name} ({bytes})  {}", plain(&attachment["attachment_id"])));
    }
    header("Id", &text("message_id"));
    header("Thread", &text("thread_id"));
    let body = ["text", "html", "preview"].into_iter().find_map(|name| message.get(name).and_then(Value::as_str));
    if let Some(body) = body {
        line(shown, "");
        line(shown, safe(body).trim_end());
    }
}

fn thread(thread: &Map<String, Value>, terminal: Terminal, now: OffsetDateTime, shown: &mut String) {
    let mut own = thread.clone();
    own.retain(|name, _| !THREAD_BODY.contains(&name.as_str()));
    fields(&own, 0, terminal, now, shown);
    for item in thread.get("messages").and_then(Value::as_array).into_iter().flatten() {
        line(shown, &format!("\n{}", terminal.dim(&"─".repeat(terminal.columns().unwrap_or(60).min(60)))));
        if let Value::Object(item) = item {
            message(item, terminal, now, shown);
        }
    }
}

/// Renders fields below each other, with those within them indented.
fn fields(object: &Map<String, Value>, indent: usize, terminal: Terminal, now: OffsetDateTime, shown: &mut String) {
    let gap = " ".repeat(indent);
    let names =
        object.iter().filter(|(_, value)| !has_fields(value)).map(|(name, _)| width(&plain(&name.as_str().into())));
    let column = names.max().unwrap_or(0);
    for (name, value) in object {
        let name = plain(&name.as_str().into());
        let padded = format!("{name:<column$}");
        match value {
            value if is_empty(value) => {}
            Value::Object(inner) => {
                line(shown, &format!("{gap}{}", terminal.bold(&name)));
                fields(inner, indent + 2, terminal, now, shown);
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                line(shown, &format!("{gap}{}", terminal.bold(&name)));
                for item in items {
                    let mut inner = String::new();
                    match item {
                        Value::Object(item) => fields(item, indent + 4, terminal, now, &mut inner),
                        other => line(&mut inner, &format!("{gap}    {}", plain(other))),
                    }
                    // The first field follows the mark of the item.
                    mark(&mut inner, indent + 2);
                    shown.push_str(&inner);
                }
            }
            Value::String(text) if name.ends_with("_at") || name.ends_with("timestamp") => {
                let text = plain(&text.as_str().into());
                line(shown, &format!("{gap}{}  {text} ({})", terminal.bold(&padded), relative(&text, now)));
            }
            Value::String(text) if text.contains('\n') => {
                line(shown, &format!("{gap}{}", terminal.bold(&name)));
                for part in safe(text).lines() {
                    line(shown, &format!("{gap}  {part}"));
                }
            }
            other => line(shown, &format!("{gap}{}  {}", terminal.bold(&padded), plain(other))),
        }
    }
}

/// Marks the first line of an item, if it has one.
fn mark(item: &mut String, column: usize) {
    if item.is_char_boundary(column + 1) && item.get(column..=column) == Some(" ") {
        item.replace_range(column..=column, "-");
    }
}

fn has_fields(value: &Value) -> bool {
    value.is_object() || value.as_array().is_some_and(|items| items.iter().any(Value::is_object))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: &Value) -> String {
        render(value, Terminal::none(), OffsetDateTime::UNIX_EPOCH)
    }

    #[test]
    fn message_is_shown_as_mail() {
        let message = json!({
            "message_id": "<1@x>", "from": "Alice\u{1b}]0;title\u{7} <a@x>", "to": ["b@x", "c@x"], "subject": "Hi\u{202e}",
            "timestamp": "1970-01-01T00:00:00Z", "text": "Line one\n\u{1b}[31mLine two\n",
            "attachments": [{"attachment_id": "att_1", "filename": "a\u{9b}b.pdf", "size": 2000}],
        });
        let expected = "From:        Alice]0;title <a@x>\nTo:          b@x, c@x\nSubject:     Hi\n\
            Date:        1970-01-01T00:00:00Z (now)\nAttachment:  ab.pdf (2.0 kB)  att_1\nId:          <1@x>\n\n\
            Line one\n[31mLine two\n";
        assert_eq!(shown(&message), expected);
        assert_eq!(shown(&json!({"message": message})), expected);
    }

    #[test]
    fn fields_are_indented() {
        let value = json!({
            "domain": "x.example", "created_at": "1970-01-01T00:00:00Z", "empty": null,
            "metadata": {"a": 1}, "records": [{"type": "MX", "value": "m"}, {"type": "TXT"}], "ids": ["a", "b"],
        });
        let expected = "created_at  1970-01-01T00:00:00Z (now)\ndomain      x.example\nids         a, b\nmetadata\n  a  1\n\
            records\n  - type   MX\n    value  m\n  - type  TXT\n";
        assert_eq!(shown(&value), expected);
    }
}
