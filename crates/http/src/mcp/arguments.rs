//! Arguments of a tool: read like the body of a request, with every bad argument reported at once.
//!
//! Arguments are named in `camelCase`; the `snake_case` names of the API are accepted too.

use inboxd_core::{Error, FieldError};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::body::{BodyProblems, BodyRequest, BodyValue, ReadBody};
use crate::error::ApiError;
use crate::path;
use crate::retry_dedup::RequestDigest;

/// Arguments that say nothing about which list or which send a call means.
const NOT_IN_DIGEST: [&str; 3] = ["limit", "page_token", "idempotency_key"];

/// A JSON object.
pub(super) type JsonObject = Map<String, Value>;

/// Arguments of a call by the names of the API, before a tool reads them.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    fields: JsonObject,
    /// Paths of the arguments that the call gives in both spellings, of which `fields` holds one.
    repeated: Vec<String>,
}

impl Arguments {
    /// Accepts the arguments of a call.
    pub(super) fn new(given: JsonObject) -> Self {
        let mut repeated = Vec::new();
        let fields = with_api_names(given, "", &mut repeated);
        Self { fields, repeated }
    }

    /// Returns a text argument.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// Returns the digest of a tool and its arguments, without page and idempotency key.
    pub(super) fn digest(&self, tool: &str) -> RequestDigest {
        let mut hash = Sha256::new();
        hash.update(tool);
        for (name, value) in self.fields.iter().filter(|(name, _)| !NOT_IN_DIGEST.contains(&name.as_str())) {
            // Neither a name nor the text of a value holds a NUL.
            hash.update([0]);
            hash.update(name);
            hash.update([0]);
            hash.update(value.to_string());
        }
        hash.finalize().into()
    }

    /// Reads the arguments. Unknown ones are refused: a misspelled one would change what is done. So are those given in both
    /// spellings: no rule says which of the two the client means. Where a tool has no arguments, they are ignored, because
    /// some clients invent one.
    pub(super) fn read<T: BodyRequest>(mut self) -> Result<T, Error> {
        let mut problems = BodyProblems::default();
        for path in self.repeated.iter().filter(|_| !T::FIELDS.is_empty()) {
            problems.note(path, "is given twice; give it once");
        }
        let input = T::take(&mut self.fields, &mut problems);
        let known: Vec<String> = T::FIELDS.iter().map(|name| camel_case(name)).collect();
        let unknown = |name: &String| FieldError::new(path::harmless(name), format!("is none of {}", known.join(", ")));
        let unknown = self.fields.keys().filter(|_| !known.is_empty()).map(unknown).collect();
        ReadBody::new(input, problems).checked(|_| unknown)
    }
}

/// Whole number within a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WholeNumber<const MIN: u64, const MAX: u64>(pub(super) u64);

impl<const MIN: u64, const MAX: u64> BodyValue for WholeNumber<MIN, MAX> {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let number = match &value {
            Value::String(text) => text.trim().parse().ok(),
            Value::Number(number) => number.to_string().trim_end_matches(".0").parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (MIN..=MAX).contains(number)).map(Self);
        if number.is_none() {
            problems.note(path, format!("must be a whole number from {MIN} to {MAX}"));
        }
        number
    }
}

impl<const MIN: u64, const MAX: u64> WholeNumber<MIN, MAX> {
    /// Returns the number as a size.
    pub(super) fn to_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Refuses a call with these problems.
pub(super) fn require_valid(problems: Vec<FieldError>) -> Result<(), ApiError> {
    if problems.is_empty() { Ok(()) } else { Err(Error::Invalid(problems).into()) }
}

/// Names fields as the API does. The keys of an object that is a value are free, those of objects in an array are fields.
///
/// `repeated` receives the path of each field that is given in both spellings; `prefix` is the path of the object.
fn with_api_names(given: JsonObject, prefix: &str, repeated: &mut Vec<String>) -> JsonObject {
    let mut named = JsonObject::new();
    for (name, value) in given {
        let name = snake_case(&name);
        let path = format!("{prefix}{}", path::harmless(&name));
        let value = match value {
            Value::Array(items) => Value::Array(with_api_names_of_items(items, &path, repeated)),
            other => other,
        };
        if named.insert(name, value).is_some() {
            repeated.push(path);
        }
    }
    named
}

/// Names the fields of the objects of an array as the API does.
fn with_api_names_of_items(items: Vec<Value>, path: &str, repeated: &mut Vec<String>) -> Vec<Value> {
    let named = |(place, item): (usize, Value)| match item {
        Value::Object(fields) => Value::Object(with_api_names(fields, &format!("{path}[{place}]."), repeated)),
        other => other,
    };
    items.into_iter().enumerate().map(named).collect()
}

/// Returns the name of a field of the API for an argument: `inbox_id` for `inboxId`.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Returns the name of an argument for a field of the API: `inboxId` for `inbox_id`.
pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
        camel
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use serde_json::json;

    use super::*;

    /// Input of a tool with or without arguments.
    #[derive(Debug)]
    struct Input<const HAS_ARGUMENTS: bool>;

    impl<const HAS_ARGUMENTS: bool> BodyRequest for Input<HAS_ARGUMENTS> {
        const FIELDS: &'static [&'static str] =
            if HAS_ARGUMENTS { &["attachments", "dry_run", "metadata"] } else { &[] };
        const UNSUPPORTED: &'static [(&'static str, &'static str)] = &[];

        fn take(object: &mut JsonObject, _: &mut BodyProblems) -> Self {
            object.retain(|name, _| !Self::FIELDS.contains(&name.as_str()));
            Self
        }
    }

    fn arguments(given: &Value) -> Arguments {
        Arguments::new(given.as_object().cloned().unwrap())
    }

    #[test]
    fn argument_in_both_spellings_is_refused() {
        for (given, expected) in [
            (json!({"dryRun": true, "metadata": {"aB": 1, "a_b": 2}}), vec![]),
            (json!({"dryRun": true, "dry_run": false}), vec!["dry_run"]),
            (
                json!({"attachments": [{"fileId": "a"}, {"fileId": "a", "file_id": "b"}]}),
                vec!["attachments[1].file_id"],
            ),
            (json!({"dryRun": true, "dry_run": true, "dryrun": true}), vec!["dry_run", "dryrun"]),
        ] {
            let problems = match arguments(&given).read::<Input<true>>() {
                Ok(_) => Vec::new(),
                Err(Error::Invalid(problems)) => problems,
                Err(other) => panic!("{other:?}"),
            };
            let mut paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
            paths.sort_unstable();
            assert_eq!(paths, expected, "{given}");
        }
        let ignored = arguments(&json!({"someThing": 1, "some_thing": 2})).read::<Input<false>>();
        assert!(ignored.is_ok(), "{ignored:?}");
    }
}
