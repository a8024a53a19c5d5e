//! Paths of pages. Ids are percent-encoded segments, so that no id can change the shape of a path.

use std::fmt::{Display, Write as _};

use inboxd_core::model::{InboxId, MessageId};

/// Returns the path of an inbox.
pub(crate) fn inbox(inbox_id: &InboxId) -> String {
    format!("/console/inboxes/{}", segment(inbox_id.as_str()))
}

/// Returns the path of a page below an inbox.
pub(crate) fn in_inbox(inbox_id: &InboxId, page: &str) -> String {
    format!("{}/{page}", inbox(inbox_id))
}

/// Returns the path of a thread.
pub(crate) fn thread(inbox_id: &InboxId, thread_id: impl Display) -> String {
    format!("{}/threads/{thread_id}", inbox(inbox_id))
}

/// Returns the path of a page about a message: `body`, `source`.
pub(crate) fn message(inbox_id: &InboxId, message_id: &MessageId, page: &str) -> String {
    format!("{}/messages/{}/{page}", inbox(inbox_id), segment(message_id.as_str()))
}

/// Returns the path of the composer for an answer to a message: `reply`, `reply-all`, `forward`.
pub(crate) fn answer(inbox_id: &InboxId, message_id: &MessageId, kind: &str) -> String {
    with_query(&in_inbox(inbox_id, "compose"), &[("kind", kind), ("message_id", message_id.as_str())])
}

/// Returns the path of a draft.
pub(crate) fn draft(inbox_id: &InboxId, draft_id: impl Display) -> String {
    format!("{}/drafts/{draft_id}", inbox(inbox_id))
}

/// Adds parameters to a path. Empty values are left out.
pub(crate) fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Returns a text as one segment of a path (RFC 3986, section 3.3).
pub(crate) fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_segments() {
        let inbox_id = InboxId::stored("a+b/c@mail.example".to_owned());
        let message_id = MessageId::stored("<1%2?x#y@h.example>".to_owned());
        assert_eq!(inbox(&inbox_id), "/console/inboxes/a%2Bb%2Fc%40mail.example");
        assert_eq!(thread(&inbox_id, "t1"), "/console/inboxes/a%2Bb%2Fc%40mail.example/threads/t1");
        assert_eq!(
            message(&inbox_id, &message_id, "body"),
            "/console/inboxes/a%2Bb%2Fc%40mail.example/messages/%3C1%252%3Fx%23y%40h.example%3E/body"
        );
        assert_eq!(
            answer(&inbox_id, &message_id, "reply"),
            "/console/inboxes/a%2Bb%2Fc%40mail.example/compose?kind=reply&message_id=%3C1%252%3Fx%23y%40h.example%3E"
        );
    }

    #[test]
    fn query_leaves_out_empty_values() {
        assert_eq!(with_query("/console", &[("q", ""), ("view", "")]), "/console");
        assert_eq!(with_query("/console", &[("q", "a b&c"), ("view", "")]), "/console?q=a+b%26c");
    }
}
