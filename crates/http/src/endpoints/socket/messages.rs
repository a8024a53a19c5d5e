//! Messages of the WebSocket: subscription requests and their replies.

use std::collections::BTreeSet;
use std::fmt::Display;

use inboxd_core::app::feed::{Subscription, Watched};
use inboxd_core::model::feed::ScopeFilter;
use inboxd_core::model::{EventId, InboxId, PodId};
use inboxd_core::rules::trust::Verdict;
use inboxd_core::{Error, FieldError, Resource};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ApiError;
use crate::path;

/// Number of inboxes, and of pods, in one subscription at most.
const MAX_SELECTED: usize = 100;

/// Subscription request of a client.
#[derive(Debug)]
pub(super) struct SubscribeRequest {
    pub(super) subscription: Subscription,
    pub(super) after: Option<EventId>,
}

/// Unvalidated fields of a subscription request.
#[derive(Deserialize)]
struct SubscribeFields {
    event_types: Option<NameList>,
    trust: Option<NameList>,
    inbox_ids: Option<NameList>,
    pod_ids: Option<NameList>,
    after_event_id: Option<String>,
}

/// One name or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum NameList {
    One(String),
    Several(Vec<String>),
}

/// Reply to a subscription request: the filter now in effect.
#[derive(Serialize)]
struct SubscribedReply {
    r#type: &'static str,
    event_types: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trust: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inbox_ids: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pod_ids: Vec<String>,
}

/// Parses a message of the client.
pub(super) fn read(text: &[u8]) -> Result<SubscribeRequest, ApiError> {
    let invalid = |message: &str| ApiError::from(Error::Invalid(vec![FieldError::new("", message)]));
    let message: Map<String, Value> =
        serde_json::from_slice(text).map_err(|_| invalid("is not a JSON object; send {\"type\": \"subscribe\"}"))?;
    if message.get("type").and_then(Value::as_str) != Some("subscribe") {
        return Err(Error::invalid("type", "must be \"subscribe\", the only supported message").into());
    }
    let fields: SubscribeFields = serde_json::from_value(Value::Object(message)).map_err(|_| {
        invalid(
            "has an invalid field: event_types, trust, inbox_ids and pod_ids are lists of strings, after_event_id is a string",
        )
    })?;
    let inbox_ids = names("inbox_ids", fields.inbox_ids)?.iter().map(|text| path::inbox_id(text)).collect();
    let pod = |text: &String| text.parse::<PodId>().map_err(|_| missing(Resource::Pod, text));
    let pod_ids = names("pod_ids", fields.pod_ids)?.iter().map(pod).collect::<Result<_, _>>()?;
    let after = fields.after_event_id.map(|id| id.parse().map_err(|_| missing(Resource::Event, &id))).transpose()?;
    let event_types = names("event_types", fields.event_types)?;
    let trust = verdicts(&names("trust", fields.trust)?)?;
    Ok(SubscribeRequest { subscription: Subscription { event_types, trust, inbox_ids, pod_ids }, after })
}

/// Returns the reply to an accepted subscription.
pub(super) fn subscribed(watched: &Watched) -> String {
    let ScopeFilter { pod_ids, inbox_ids } = watched.among.clone().unwrap_or_default();
    let subscribed = SubscribedReply {
        r#type: "subscribed",
        event_types: watched.event_types.iter().map(|kind| kind.as_str()).collect(),
        trust: watched.trust.iter().map(|verdict| verdict.as_str()).collect(),
        inbox_ids: inbox_ids.iter().map(InboxId::to_string).collect(),
        pod_ids: pod_ids.iter().map(PodId::to_string).collect(),
    };
    serde_json::to_string(&subscribed).unwrap_or_default()
}

/// Returns the error message for a refused subscription.
pub(super) fn refused(error: &ApiError, base_url: &str) -> String {
    // The envelope is a JSON object: `type` is inserted before its other fields.
    format!("{{\"type\":\"error\",{}", crate::error::json(error, base_url).trim_start_matches('{'))
}

fn names(field: &str, given: Option<NameList>) -> Result<Vec<String>, ApiError> {
    let names = match given {
        None => Vec::new(),
        Some(NameList::One(name)) => vec![name],
        Some(NameList::Several(names)) => names,
    };
    if names.len() > MAX_SELECTED {
        return Err(Error::invalid(field, format!("has more than {MAX_SELECTED} values")).into());
    }
    Ok(names)
}

fn verdicts(names: &[String]) -> Result<Vec<Verdict>, ApiError> {
    let verdicts: Option<BTreeSet<Verdict>> = names.iter().map(|name| Verdict::named(name)).collect();
    let unknown = || Error::invalid("trust", "must be trusted, known, first_contact or suspicious");
    Ok(verdicts.ok_or_else(unknown)?.into_iter().collect())
}

fn missing(resource: Resource, id: impl Display) -> ApiError {
    Error::not_found(resource, path::harmless(&id.to_string())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_is_read_in_every_form() {
        let text = br#"{"type": "subscribe", "event_types": null, "inbox_ids": "A@b.example", "pod_ids": [], "x": 1}"#;
        let asked = read(text).map(|asked| asked.subscription).map_err(|error| error.message);
        let inbox_ids = vec![InboxId::stored("a@b.example".to_owned())];
        assert_eq!(asked, Ok(Subscription { inbox_ids, ..Subscription::default() }));
    }

    #[test]
    fn verdicts_are_read_once() {
        let text = br#"{"type": "subscribe", "trust": ["known", "trusted", "known"]}"#;
        let asked = read(text).map(|asked| asked.subscription.trust).map_err(|error| error.message);
        assert_eq!(asked, Ok(vec![Verdict::Trusted, Verdict::Known]));
    }

    #[test]
    fn other_messages_are_refused_with_fix() {
        let many = format!(r#"{{"type": "subscribe", "inbox_ids": {:?}}}"#, vec!["a@b.example"; 101]);
        for (text, code) in [
            ("", "validation_error"),
            ("[]", "validation_error"),
            ("{}", "validation_error"),
            (r#"{"type": "unsubscribe"}"#, "validation_error"),
            (r#"{"type": "subscribe", "event_types": [1]}"#, "validation_error"),
            (r#"{"type": "subscribe", "trust": ["certain"]}"#, "validation_error"),
            (r#"{"type": "subscribe", "pod_ids": ["x"]}"#, "not_found"),
            (r#"{"type": "subscribe", "after_event_id": "x"}"#, "not_found"),
            (&many, "validation_error"),
        ] {
            let refused = read(text.as_bytes()).map(|_| ()).map_err(|error| error.code.as_str());
            assert_eq!(refused, Err(code), "{text}");
        }
    }

    #[test]
    fn a_refusal_is_one_object_of_the_kind_error() {
        let error = ApiError::from(Error::UnknownEventType("x".to_owned()));
        let sent: Value = serde_json::from_str(&refused(&error, "https://inboxd.example")).unwrap_or_default();
        assert_eq!(sent["type"], "error");
        assert_eq!(sent["code"], "unknown_event_type");
        assert_eq!(sent["name"], "BadRequestError");
    }
}
