//! Path of a field as a list of steps.

use serde::Serialize;
use utoipa::ToSchema;

/// Step of the path to a field, in the format of other validators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Step)]
#[serde(untagged)]
pub(super) enum PathStep {
    /// Name of a field or parameter.
    Name(String),
    /// Index of an array element, from 0.
    Place(usize),
}

/// Splits a path into steps: `attachments[0].content` has three.
///
/// The keys of an object are arbitrary. Where a dot directly follows the field, as in `headers.X-Mail[1].a`, the rest
/// is one key.
pub(super) fn steps(path: &str) -> Vec<PathStep> {
    let (field, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    let mut steps = named(field);
    if let Some(key) = rest.strip_prefix('.') {
        steps.push(PathStep::Name(key.to_owned()));
        return steps;
    }
    for part in rest.split(['[', '.']).filter(|part| !part.is_empty()) {
        let place = part.strip_suffix(']').and_then(|place| place.parse().ok());
        steps.push(place.map_or_else(|| PathStep::Name(part.to_owned()), PathStep::Place));
    }
    steps
}

/// Returns the step to a field; an empty name is the body as a whole and has no step.
fn named(field: &str) -> Vec<PathStep> {
    if field.is_empty() { Vec::new() } else { vec![PathStep::Name(field.to_owned())] }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_taken_apart_into_names_and_places() {
        for (path, expected) in [
            ("", json!([])),
            ("username", json!(["username"])),
            ("Idempotency-Key", json!(["Idempotency-Key"])),
            ("inbox_ids[0]", json!(["inbox_ids", 0])),
            ("attachments[12].content", json!(["attachments", 12, "content"])),
            ("permissions.inbox_create", json!(["permissions", "inbox_create"])),
            ("headers.X-Mail[1].a", json!(["headers", "X-Mail[1].a"])),
            ("metadata.", json!(["metadata", ""])),
        ] {
            assert_eq!(json!(steps(path)), expected, "{path}");
        }
    }
}
