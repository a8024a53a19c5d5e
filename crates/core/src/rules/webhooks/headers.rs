//! Additional header fields of webhook requests, for example credentials for the receiver.

use std::collections::BTreeMap;

use crate::FieldError;

/// Header fields by name, as configured.
pub type Headers = BTreeMap<String, String>;

/// Maximum fields of a webhook.
pub const MAX_FIELDS: usize = 20;
/// Maximum length of a name in bytes.
pub const MAX_NAME_BYTES: usize = 128;
/// Maximum length of a value in bytes.
pub const MAX_VALUE_BYTES: usize = 4_096;
/// Maximum bytes of all names and values together: many servers refuse header sections over 8 KB.
pub const MAX_TOTAL_BYTES: usize = 6_144;

/// Names that control the request itself (RFC 9110, sections 5 to 7) or name its trace (W3C Trace Context).
const RESERVED: [&str; 14] = [
    "accept-encoding",
    "connection",
    "date",
    "expect",
    "host",
    "keep-alive",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];

/// Prefixes of names that describe the body, prove its origin, or address a proxy.
const RESERVED_BEGINNINGS: [&str; 4] = ["content-", "proxy-", "svix-", "webhook-"];

/// Fields to set and names to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderChange {
    /// Fields to set; they replace fields of the same names.
    pub set: Vec<(String, String)>,
    /// Names of fields to remove; unknown names are ignored.
    pub remove: Vec<String>,
}

/// Returns all errors of the fields themselves.
#[must_use]
pub fn validate_fields(fields: &[(String, String)]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    for (place, (name, value)) in fields.iter().enumerate() {
        let is_named_before = fields.iter().take(place).any(|(before, _)| before.eq_ignore_ascii_case(name));
        let wrong = if is_named_before {
            Some("is named twice: the letter case of a name does not count".to_owned())
        } else {
            wrong_name(name).or_else(|| wrong_value(value))
        };
        problems.extend(wrong.map(|message| FieldError::new(format!("headers.{}", excerpt(name)), message)));
    }
    problems.extend(too_much(fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    problems
}

/// Returns all errors of the change itself.
#[must_use]
pub fn validate_change(change: &HeaderChange) -> Vec<FieldError> {
    if change.set.is_empty() && change.remove.is_empty() {
        return vec![FieldError::new(
            "headers",
            "name fields to set in `headers`, or fields to remove in `remove_headers`",
        )];
    }
    let is_set = |name: &str| change.set.iter().any(|(set, _)| set.eq_ignore_ascii_case(name));
    let contradictions = change.remove.iter().enumerate().filter(|(_, name)| is_set(name)).map(|(place, name)| {
        FieldError::new(format!("remove_headers[{place}]"), format!("{} is also in `headers`", excerpt(name)))
    });
    validate_fields(&change.set).into_iter().chain(contradictions).collect()
}

/// Returns the fields after a change.
///
/// # Errors
/// The reason, for fields that are invalid together.
pub fn apply_change(fields: Headers, change: HeaderChange) -> Result<Headers, FieldError> {
    let HeaderChange { set, remove } = change;
    let goes =
        |name: &str| remove.iter().chain(set.iter().map(|(name, _)| name)).any(|gone| gone.eq_ignore_ascii_case(name));
    let mut after: Headers = fields.into_iter().filter(|(name, _)| !goes(name)).collect();
    after.extend(set);
    match too_much(after.iter().map(|(name, value)| (name.as_str(), value.as_str()))) {
        Some(problem) => Err(problem),
        None => Ok(after),
    }
}

fn wrong_name(name: &str) -> Option<String> {
    let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(is_token_byte) {
        return Some(format!(
            "is no name of a header field: it has 1 to {MAX_NAME_BYTES} letters, digits and !#$%&'*+-.^_`|~ (RFC 9110)"
        ));
    }
    let folded = name.to_ascii_lowercase();
    let is_reserved = RESERVED.contains(&folded.as_str())
        || RESERVED_BEGINNINGS.iter().any(|beginning| folded.starts_with(beginning));
    is_reserved.then(|| format!("{name} is set by the service itself; choose another name, X-{name} for example"))
}

fn wrong_value(value: &str) -> Option<String> {
    if value.len() > MAX_VALUE_BYTES {
        return Some(format!("has {} bytes; a value has at most {MAX_VALUE_BYTES}", value.len()));
    }
    if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Some("holds a control character or one that is not ASCII; encode it".to_owned());
    }
    (value.trim() != value).then(|| "begins or ends with a space, which no receiver would see".to_owned())
}

fn too_much<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Option<FieldError> {
    let (count, bytes) =
        fields.fold((0, 0), |(count, bytes), (name, value)| (count + 1, bytes + name.len() + value.len()));
    if count > MAX_FIELDS {
        return Some(FieldError::new(
            "headers",
            format!("a webhook sends at most {MAX_FIELDS} header fields; these are {count}"),
        ));
    }
    let message = || format!("a webhook sends at most {MAX_TOTAL_BYTES} bytes of header fields; these have {bytes}");
    (bytes > MAX_TOTAL_BYTES).then(|| FieldError::new("headers", message()))
}

/// Returns a safe excerpt of an arbitrary name.
fn excerpt(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(MAX_NAME_BYTES).collect()
}
