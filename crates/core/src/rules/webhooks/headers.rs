//! Additional header fields of webhook requests, for example credentials for the receiver.

use std::collections::BTreeMap;

use crate::FieldError;

/// Header fields by name, as configured.
pub type Headers = BTreeMap<String, String>;

/// Maximum fields of a webhook.
pub const MOST: usize = 20;
/// Maximum length of a name in bytes.
pub const LONGEST_NAME: usize = 128;
/// Maximum length of a value in bytes.
pub const LONGEST_VALUE: usize = 4_096;
/// Maximum bytes of all names and values together: many servers refuse header sections over 8 KB.
pub const LARGEST: usize = 6_144;

/// Names that control the request itself (RFC 9110, sections 5 to 7).
const RESERVED: [&str; 12] = [
    "accept-encoding",
    "connection",
    "date",
    "expect",
    "host",
    "keep-alive",
    "te",
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
pub fn problems(fields: &[(String, String)]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    for (place, (name, value)) in fields.iter().enumerate() {
        let is_named_before = fields.iter().take(place).any(|(before, _)| before.eq_ignore_ascii_case(name));
        let wrong = if is_named_before {
            Some("is named twice: the letter case of a name does not count".to_owned())
        } else {
            wrong_name(name).or_else(|| wrong_value(value))
        };
        problems.extend(wrong.map(|message| FieldError::new(format!("headers.{}", shown(name)), message)));
    }
    problems.extend(too_much(fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    problems
}

/// Returns all errors of the change itself.
#[must_use]
pub fn problems_of_change(change: &HeaderChange) -> Vec<FieldError> {
    if change.set.is_empty() && change.remove.is_empty() {
        return vec![FieldError::new(
            "headers",
            "name fields to set in `headers`, or fields to remove in `remove_headers`",
        )];
    }
    let is_set = |name: &str| change.set.iter().any(|(set, _)| set.eq_ignore_ascii_case(name));
    let contradictions = change.remove.iter().enumerate().filter(|(_, name)| is_set(name)).map(|(place, name)| {
        FieldError::new(format!("remove_headers[{place}]"), format!("{} is also in `headers`", shown(name)))
    });
    problems(&change.set).into_iter().chain(contradictions).collect()
}

/// Returns the fields after a change.
///
/// # Errors
/// The reason, for fields that are invalid together.
pub fn changed(fields: Headers, change: HeaderChange) -> Result<Headers, FieldError> {
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
    let is_token_octet = |octet: u8| octet.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&octet);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_token_octet) {
        return Some(format!(
            "is no name of a header field: it has 1 to {LONGEST_NAME} letters, digits and !#$%&'*+-.^_`|~ (RFC 9110)"
        ));
    }
    let folded = name.to_ascii_lowercase();
    let is_reserved = RESERVED.contains(&folded.as_str())
        || RESERVED_BEGINNINGS.iter().any(|beginning| folded.starts_with(beginning));
    is_reserved.then(|| format!("{name} is set by the service itself; choose another name, X-{name} for example"))
}

fn wrong_value(value: &str) -> Option<String> {
    if value.len() > LONGEST_VALUE {
        return Some(format!("has {} bytes; a value has at most {LONGEST_VALUE}", value.len()));
    }
    if !value.bytes().all(|octet| (b' '..=b'~').contains(&octet)) {
        return Some("holds a control character or one that is not ASCII; encode it".to_owned());
    }
    (value.trim() != value).then(|| "begins or ends with a space, which no receiver would see".to_owned())
}

fn too_much<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Option<FieldError> {
    let (count, octets) =
        fields.fold((0, 0), |(count, octets), (name, value)| (count + 1, octets + name.len() + value.len()));
    if count > MOST {
        return Some(FieldError::new(
            "headers",
            format!("a webhook sends at most {MOST} header fields; these are {count}"),
        ));
    }
    let message = || format!("a webhook sends at most {LARGEST} bytes of header fields; these have {octets}");
    (octets > LARGEST).then(|| FieldError::new("headers", message()))
}

/// Returns a safe excerpt of an arbitrary name.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
}
