//! Request to the API.

use std::fmt::Write;

use bytes::Bytes;
use http::Method;
use serde_json::Value;

/// Request to the API, before it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiRequest {
    pub(crate) method: Method,
    /// Path with encoded segments.
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
    /// Body of bytes with its media type.
    pub(crate) content: Option<(String, Bytes)>,
    pub(crate) accept: String,
}

impl ApiRequest {
    /// Creates a request that expects JSON.
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            content: None,
            accept: "application/json".to_owned(),
        }
    }

    /// Creates a GET request.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Creates a POST request with a body.
    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self { body: Some(body), ..Self::new(Method::POST, path) }
    }

    /// Returns the media type of the body.
    pub(crate) fn content_type(&self) -> Option<&str> {
        let json = self.body.as_ref().map(|_| "application/json");
        self.content.as_ref().map(|(content_type, _)| content_type.as_str()).or(json)
    }

    /// Returns the bytes of the body; none without one.
    pub(crate) fn body_bytes(&self) -> Bytes {
        match (&self.content, &self.body) {
            (Some((_, content)), _) => content.clone(),
            (None, Some(body)) => body.to_string().into(),
            (None, None) => Bytes::new(),
        }
    }

    /// Returns the path with the query.
    pub(crate) fn target(&self) -> String {
        let mut target = self.path.clone();
        for (name, value) in &self.query {
            let mark = if target.contains('?') { '&' } else { '?' };
            target.push(mark);
            encode_into(&mut target, name, b"-._~");
            target.push('=');
            encode_into(&mut target, value, b"-._~");
        }
        target
    }

    /// Replaces or adds a query parameter.
    pub(crate) fn set_query(&mut self, name: &str, value: &str) {
        self.query.retain(|(known, _)| known != name);
        self.query.push((name.to_owned(), value.to_owned()));
    }
}

/// Encodes a value as one segment of a path.
pub(crate) fn encode_segment(value: &str) -> String {
    let mut encoded = String::new();
    encode_into(&mut encoded, value, b"-._~@+");
    // A segment of dots would be removed from the path.
    if encoded.bytes().all(|byte| byte == b'.') { encoded.replace('.', "%2E") } else { encoded }
}

/// Appends a text with every byte encoded that is no letter, digit or kept byte (RFC 3986, section 2).
fn encode_into(target: &mut String, value: &str, kept: &[u8]) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            target.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(target, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cannot_leave_their_place() {
        for (value, expected) in [
            ("scout@inboxd.localhost", "scout@inboxd.localhost"),
            ("<a/b?c#d>", "%3Ca%2Fb%3Fc%23d%3E"),
            ("..", "%2E%2E"),
            ("a b%", "a%20b%25"),
        ] {
            assert_eq!(encode_segment(value), expected);
        }
    }

    #[test]
    fn target_carries_encoded_query() {
        let mut request = ApiRequest::get("/v0/threads?x=1");
        request.set_query("q", "a&b=c d");
        request.set_query("q", "ü");
        assert_eq!(request.target(), "/v0/threads?x=1&q=%C3%BC");
    }
}
