//! Size limits of a result, in characters of its JSON text.
//!
//! A result beyond the limit of a client is refused whole, so a result names its omissions instead.

use serde::Serialize;
use serde_json::{Map, Value};

/// Maximum length of the JSON text of a result.
pub(crate) const MAX_RESULT_CHARS: usize = 30_000;
/// Length of the notice, the report of truncations and the next call together.
pub(crate) const RESERVED_CHARS: usize = 5_000;
/// Maximum length of a message, thread, draft or event in a list, of which a stranger chooses many fields.
pub(crate) const MAX_ITEM_CHARS: usize = 4_000;
/// Maximum length of a message without its bodies.
pub(crate) const MAX_HEADER_CHARS: usize = 12_000;
/// Length of a message body without a request for more.
pub(crate) const DEFAULT_BODY_CHARS: usize = 8_000;
/// Maximum number of reported truncations; the first stand for the others.
pub(crate) const MAX_REPORTED: usize = 20;
/// Maximum length of the path of a field in a report.
const MAX_PATH_CHARS: usize = 60;
/// Length up to which an identifier stays whole.
const MAX_IDENTIFIER_CHARS: usize = 2_000;
/// Limits of a string and of an array, applied one after the other until a value fits.
const STEPS: [(usize, usize); 8] =
    [(8_000, 500), (4_000, 200), (2_000, 100), (1_000, 100), (500, 50), (250, 50), (120, 20), (60, 10)];

/// A field that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Truncation {
    /// Path of the field in the result.
    pub(crate) field: String,
    /// Characters or elements that the result has.
    pub(crate) returned: usize,
    /// Characters or elements that exist.
    pub(crate) total: usize,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The part.
    pub(crate) text: String,
    /// Characters of the part.
    pub(crate) returned: usize,
    /// Characters of the whole text.
    pub(crate) total: usize,
}

/// Returns the part of a text after `offset` characters that takes at most `limit` characters of JSON, at least one
/// character while there is one.
pub(crate) fn excerpt(text: &str, offset: usize, limit: usize) -> Excerpt {
    let mut left = limit;
    let fits = |c: &char| {
        let cost = json_chars(*c);
        let is_first = left == limit;
        let has_room = cost <= left || is_first;
        left = left.saturating_sub(cost);
        has_room
    };
    let part: String = text.chars().skip(offset).take_while(fits).collect();
    Excerpt { returned: part.chars().count(), total: text.chars().count(), text: part }
}

/// Returns the characters that a character takes within a JSON string.
fn json_chars(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

/// Returns the characters of a value as JSON.
pub(crate) fn json_length(value: &Value) -> usize {
    serde_json::to_string(value).map_or(0, |json| json.chars().count())
}

/// Returns the characters of fields as JSON.
pub(crate) fn fields_length(fields: &Map<String, Value>) -> usize {
    serde_json::to_string(fields).map_or(0, |json| json.chars().count())
}

/// Cuts fields until their JSON has at most `limit` characters, and returns the truncations.
///
/// Strings and arrays are cut first. What is still too long then loses its longest fields.
pub(crate) fn fit(fields: &mut Map<String, Value>, limit: usize) -> Vec<Truncation> {
    if fields_length(fields) <= limit {
        return Vec::new();
    }
    let whole = fields.clone();
    let mut cuts = Vec::new();
    for step in STEPS {
        fields.clone_from(&whole);
        cuts.clear();
        for (name, field) in fields.iter_mut() {
            cut_field(name, field, shortened(name), step, &mut cuts);
        }
        if fields_length(fields) <= limit {
            return cuts;
        }
    }
    while fields_length(fields) > limit {
        let longest = fields.iter_mut().max_by_key(|(_, field)| json_length(field));
        let Some((name, field)) = longest.filter(|(_, field)| json_length(field) > 2) else { break };
        let path = shortened(name);
        let total = whole.get(name).map_or(0, size);
        cuts.retain(|cut: &Truncation| !cut.field.starts_with(&path));
        cuts.push(Truncation { field: path, returned: 0, total });
        *field = emptied(field);
    }
    cuts
}

/// Cuts the fields of an item of a list, which then reports its own truncations.
pub(crate) fn bound(fields: &mut Map<String, Value>, limit: usize) {
    let mut cuts = fit(fields, limit);
    if !cuts.is_empty() {
        cuts.truncate(3);
        fields.insert("truncated".to_owned(), serde_json::to_value(cuts).unwrap_or_default());
    }
}

/// Returns the characters of a string, or the elements of an array or object.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(elements) => elements.len(),
        Value::Object(fields) => fields.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// Returns a value of the same type without content.
fn emptied(value: &Value) -> Value {
    match value {
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Object(Map::new()),
        Value::String(_) => Value::String(String::new()),
        Value::Null | Value::Bool(_) | Value::Number(_) => Value::Null,
    }
}

/// Returns the path of a field as a report shows it.
fn shortened(path: &str) -> String {
    path.chars().take(MAX_PATH_CHARS).collect()
}

/// Returns whether a field identifies something, so that a part of its value is worthless.
fn is_identifier(name: &str) -> bool {
    ["Id", "Url", "Token", "url"].iter().any(|end| name.ends_with(end))
}

/// Cuts a field, unless it is an identifier of usual length.
fn cut_field(name: &str, field: &mut Value, path: String, step: (usize, usize), cuts: &mut Vec<Truncation>) {
    if !(field.is_string() && is_identifier(name) && size(field) <= MAX_IDENTIFIER_CHARS) {
        cut(field, path, step, cuts);
    }
}

/// Cuts each string and each array below a path.
fn cut(value: &mut Value, path: String, step: (usize, usize), cuts: &mut Vec<Truncation>) {
    let (max_chars, max_elements) = step;
    match value {
        Value::String(text) => {
            let part = excerpt(text, 0, max_chars);
            if part.returned < part.total {
                cuts.push(Truncation { field: path, returned: part.returned, total: part.total });
                *text = part.text;
            }
        }
        Value::Array(elements) => {
            if elements.len() > max_elements {
                cuts.push(Truncation { field: path.clone(), returned: max_elements, total: elements.len() });
                elements.truncate(max_elements);
            }
            for (place, element) in elements.iter_mut().enumerate() {
                cut(element, shortened(&format!("{path}[{place}]")), step, cuts);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                cut_field(name, field, shortened(&format!("{path}.{name}")), step, cuts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fields(value: Value) -> Map<String, Value> {
        let Value::Object(fields) = value else { panic!("not an object: {value}") };
        fields
    }

    #[test]
    fn excerpts_count_characters_and_cost_json() {
        for (text, offset, limit, expected, total) in [
            ("hello", 0, 10, "hello", 5),
            ("hello", 0, 3, "hel", 5),
            ("hello", 3, 10, "lo", 5),
            ("hello", 9, 10, "", 5),
            ("äöü€", 1, 2, "öü", 4),
            ("a\n\"b", 0, 4, "a\n", 4),
            ("\n\n", 0, 1, "\n", 2),
            ("", 0, 5, "", 0),
        ] {
            let part = excerpt(text, offset, limit);
            assert_eq!((part.text.as_str(), part.total), (expected, total), "{text:?}");
        }
    }

    #[test]
    fn small_value_stays_whole() {
        let mut value = fields(json!({ "a": "x".repeat(9_000), "b": [1, 2, 3] }));
        let before = value.clone();
        assert_eq!(fit(&mut value, MAX_RESULT_CHARS), Vec::new());
        assert_eq!(value, before);
    }

    #[test]
    fn large_value_names_the_cut_fields() {
        let mut value = fields(json!({ "list": [{ "text": "x".repeat(50_000) }], "to": vec!["a"; 600] }));
        let cuts = fit(&mut value, MAX_RESULT_CHARS);
        assert!(fields_length(&value) <= MAX_RESULT_CHARS);
        let names: Vec<&str> = cuts.iter().map(|cut| cut.field.as_str()).collect();
        assert_eq!(names, ["list[0].text", "to"]);
        assert_eq!((cuts[0].total, cuts[1].total), (50_000, 600));
    }

    #[test]
    fn long_identifiers_and_links_of_strangers_are_bounded() {
        let link = |url: String| json!({ "url": url, "text": "x" });
        for value in [
            json!({ "messageId": "<a@b>", "contentId": "c".repeat(40_000) }),
            json!({ "messageId": "<a@b>", "extractedLinks": vec![link("u".repeat(1_900)); 40] }),
            json!({ "messageId": "<a@b>", "extractedLinks": vec![link("u".repeat(90_000)); 40] }),
        ] {
            let mut value = fields(value);
            let cuts = fit(&mut value, MAX_ITEM_CHARS);
            assert!(fields_length(&value) <= MAX_ITEM_CHARS && !cuts.is_empty(), "{cuts:?}");
            assert_eq!(value["messageId"], "<a@b>");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn any_value_fits(texts in proptest::collection::vec("[\"\\\\\n\\PC]{0,300}", 0..60), copies in 1..20usize, limit in 200..30_000usize) {
            let mut value = fields(json!({ "messages": texts, "more": vec![texts.clone(); copies] }));
            fit(&mut value, limit);
            prop_assert!(fields_length(&value) <= limit);
        }
    }
}
