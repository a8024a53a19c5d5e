//! Size limits of a result, in characters of its JSON text.
//!
//! A result beyond the limit of a client is refused whole, so a result names its omissions instead.

use serde::Serialize;
use serde_json::Value;

/// Maximum length of the JSON text of a result.
pub(crate) const MAX_RESULT_CHARS: usize = 30_000;
/// Length of the JSON text that bodies of a thread may take together.
pub(crate) const MAX_THREAD_CHARS: usize = 25_000;
/// Length of a message body without a request for more.
pub(crate) const DEFAULT_BODY_CHARS: usize = 8_000;
/// Maximum length of a message body.
pub(crate) const MAX_BODY_CHARS: usize = 25_000;
/// Length that the report of truncations may take.
const REPORT_CHARS: usize = 2_000;
/// Maximum number of reported truncations; the first stand for the others.
const MAX_REPORTED: usize = 20;
/// Limits of a string and of an array, applied one after the other until a result fits.
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

/// Cuts strings and arrays of a value until its JSON has at most `limit` characters, and returns the truncations.
pub(crate) fn fit(value: &mut Value, limit: usize) -> Vec<Truncation> {
    if json_length(value) <= limit {
        return Vec::new();
    }
    let whole = value.clone();
    let limit = limit.saturating_sub(REPORT_CHARS);
    let mut cuts = Vec::new();
    for step in STEPS {
        *value = whole.clone();
        cuts.clear();
        cut(value, "", step, &mut cuts);
        if json_length(value) <= limit {
            break;
        }
    }
    cuts.truncate(MAX_REPORTED);
    cuts
}

/// Returns whether a field identifies something, so that a part of its value is worthless.
fn is_identifier(name: &str) -> bool {
    ["Id", "Url", "Token", "url"].iter().any(|end| name.ends_with(end))
}

/// Cuts each string and each array below a path.
fn cut(value: &mut Value, path: &str, step: (usize, usize), cuts: &mut Vec<Truncation>) {
    let (max_chars, max_elements) = step;
    match value {
        Value::String(text) => {
            let part = excerpt(text, 0, max_chars);
            if part.returned < part.total {
                cuts.push(Truncation { field: path.to_owned(), returned: part.returned, total: part.total });
                *text = part.text;
            }
        }
        Value::Array(elements) => {
            if elements.len() > max_elements {
                cuts.push(Truncation { field: path.to_owned(), returned: max_elements, total: elements.len() });
                elements.truncate(max_elements);
            }
            for (place, element) in elements.iter_mut().enumerate() {
                cut(element, &format!("{path}[{place}]"), step, cuts);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if !(field.is_string() && is_identifier(name)) {
                    cut(field, &path, step, cuts);
                }
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
        let mut value = json!({ "a": "x".repeat(9_000), "b": [1, 2, 3] });
        let before = value.clone();
        assert_eq!(fit(&mut value, MAX_RESULT_CHARS), Vec::new());
        assert_eq!(value, before);
    }

    #[test]
    fn large_value_names_what_was_cut() {
        let mut value = json!({ "list": [{ "text": "x".repeat(50_000) }], "to": vec!["a"; 600] });
        let cuts = fit(&mut value, MAX_RESULT_CHARS);
        assert!(json_length(&value) <= MAX_RESULT_CHARS);
        let fields: Vec<&str> = cuts.iter().map(|cut| cut.field.as_str()).collect();
        assert_eq!(fields, ["list[0].text", "to"]);
        assert_eq!((cuts[0].total, cuts[1].total), (50_000, 600));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn any_value_fits(texts in proptest::collection::vec("[\"\\\\\n\\PC]{0,300}", 0..60), copies in 1..20usize) {
            let mut value = json!({ "messages": texts, "more": vec![texts.clone(); copies] });
            fit(&mut value, MAX_RESULT_CHARS);
            prop_assert!(json_length(&value) <= MAX_RESULT_CHARS);
        }
    }
}
