//! Shows responses: as tables and details for people, or as JSON.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::text::{one_line, safe, safe_json};
use super::{Terminal, clock, columns, detail, pager, table};
use crate::failure::CommandFailure;
use crate::http::{ApiClient, ApiRequest};

/// Fields of a list beside its items.
const LIST_FIELDS: [&str; 3] = ["count", "limit", "next_page_token"];

/// Shows responses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Presenter {
    terminal: Terminal,
    is_json: bool,
}

impl Presenter {
    /// Creates a presenter for standard output.
    pub(crate) fn new(terminal: Terminal, is_json: bool) -> Self {
        Self { terminal, is_json }
    }

    /// Returns whether output is JSON.
    pub(crate) fn is_json(self) -> bool {
        self.is_json
    }

    /// Shows a response: a list as one line per item, anything else as one value.
    pub(crate) fn show(self, value: &Value) -> Result<(), CommandFailure> {
        match list(value) {
            Some((plural, items)) => self.show_list(plural, items),
            None if self.is_json => Self::show_json([value]),
            None => pager::page(&detail::render(value, self.terminal, clock::now()), self.terminal),
        }
    }

    /// Shows the items of a list.
    pub(crate) fn show_list(self, plural: &str, items: &[Value]) -> Result<(), CommandFailure> {
        if self.is_json {
            return Self::show_json(items);
        }
        if items.is_empty() {
            return pager::write(&format!("no {}\n", one_line(&plural.replace('_', " "))));
        }
        let columns = columns::of(plural, items);
        pager::page(&table::render(&columns, items, self.terminal, clock::now()), self.terminal)
    }

    /// Prints values as JSON, a line each.
    fn show_json<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<(), CommandFailure> {
        let mut lines = String::new();
        for value in values {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{}", safe_json(&value.to_string()));
        }
        pager::write(&lines)
    }

    /// Shows that an operation without a response is done.
    pub(crate) fn done(self, description: &str) -> Result<(), CommandFailure> {
        if self.is_json { Ok(()) } else { pager::write(&format!("{}\n", one_line(description))) }
    }

    /// Writes content to a file or to standard output. A terminal shows text without control characters, and no other
    /// content.
    pub(crate) fn content(self, content: &[u8], output: Option<&Path>) -> Result<(), CommandFailure> {
        if let Some(path) = output {
            return std::fs::write(path, content)
                .map_err(|error| CommandFailure::local(format!("{}: {error}", path.display())));
        }
        if !self.terminal.is_terminal() {
            return pager::write_bytes(content);
        }
        match std::str::from_utf8(content) {
            Ok(text) if !text.contains('\0') => pager::page(&with_line_end(&safe(text)), self.terminal),
            _ => Err(CommandFailure::usage("the content is no text").fix("name a file with --output FILE")),
        }
    }

    /// Prints a request instead of sending it. The key is left out.
    pub(crate) fn dry_run(self, client: &ApiClient, request: &ApiRequest) -> Result<(), CommandFailure> {
        let body = request.body.as_ref();
        if self.is_json {
            let url = format!("{}{}", client.base(), request.target());
            let shown = serde_json::json!({"method": request.method.as_str(), "url": url, "body": body});
            return Self::show_json([&shown]);
        }
        let mut shown = format!("{} {}{}\n", request.method, client.base(), request.target());
        for (name, value) in client.headers(request) {
            let value = if name == "authorization" { "Bearer …" } else { &value };
            let _ = writeln!(shown, "{name}: {value}");
        }
        if let Some(body) = body {
            let _ = write!(shown, "\n{}\n", serde_json::to_string_pretty(body).unwrap_or_default());
        }
        if let Some((_, content)) = &request.content {
            let _ = write!(shown, "\n{} bytes\n", content.len());
        }
        pager::page(&safe(&shown), self.terminal)
    }
}

fn with_line_end(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Returns the items of a list response with their plural; `None` for any other response.
pub(crate) fn list(value: &Value) -> Option<(&str, &[Value])> {
    let object = value.as_object()?;
    object.get("count")?.as_u64()?;
    let mut others = object.iter().filter(|(name, _)| !LIST_FIELDS.contains(&name.as_str()));
    match (others.next(), others.next()) {
        (Some((plural, Value::Array(items))), None) => Some((plural, items)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_told_from_other_responses() {
        let page = json!({"count": 1, "limit": 50, "next_page_token": "t", "inboxes": [{"inbox_id": "a"}]});
        assert_eq!(list(&page).map(|(plural, items)| (plural, items.len())), Some(("inboxes", 1)));
        for other in [
            json!({"count": 1, "messages": [], "thread_id": "t"}),
            json!({"inboxes": []}),
            json!({"count": 3}),
            json!([1]),
        ] {
            assert_eq!(list(&other), None, "{other}");
        }
    }
}
