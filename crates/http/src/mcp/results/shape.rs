//! JSON of the API in the form of tool results: camelCase names and clean text.

use inboxd_core::rules::word_search::Highlights;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::clean::clean;
use crate::mcp::arguments::camel_case;
use crate::views::HighlightsView;

/// Fields with names of the caller or of the API below them.
const NAMED_BY_OTHERS: [&str; 2] = ["metadata", "permissions"];

/// Returns a view of the API as a tool result shows it.
pub(crate) fn shape(view: &impl Serialize) -> Value {
    reshape(serde_json::to_value(view).unwrap_or_default())
}

/// Returns the fields of a shaped view.
pub(crate) fn shape_fields(view: &impl Serialize) -> Map<String, Value> {
    match shape(view) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Adds the fragments of a search by words to the fields of a result.
pub(crate) fn with_highlights(mut fields: Map<String, Value>, highlights: Option<Highlights>) -> Map<String, Value> {
    if let Some(highlights) = highlights {
        fields.insert("highlights".to_owned(), shape(&HighlightsView::from(highlights)));
    }
    fields
}

/// Names the fields of a value in camelCase and cleans its texts.
fn reshape(value: Value) -> Value {
    named(value, true)
}

fn named(value: Value, renames: bool) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(elements) => elements.into_iter().map(|element| named(element, renames)).collect(),
        Value::Object(fields) => {
            let reshaped = fields.into_iter().map(|(name, field)| {
                let renames_below = renames && !NAMED_BY_OTHERS.contains(&name.as_str());
                let name = if renames { camel_case(&name) } else { clean(&name) };
                (name, named(field, renames_below))
            });
            Value::Object(reshaped.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_the_caller_stay() {
        let view =
            json!({ "inbox_id": "a\u{202e}b", "metadata": { "my_key": "x\u{0}" }, "items": [{ "created_at": 1 }] });
        let expected = json!({ "inboxId": "ab", "metadata": { "my_key": "x" }, "items": [{ "createdAt": 1 }] });
        assert_eq!(shape(&view), expected);
    }
}
