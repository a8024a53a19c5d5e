//! The parts of a JSON-RPC request that decide before rmcp reads it.

use actix_web::http::header::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use super::server::REVISIONS;

/// First revision without `initialize` and `ping`.
const STATELESS_REVISION: &str = "2026-07-28";

/// Header that names the revision.
const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Maximum number of JSON values of a request, nested ones included: ten times as many as the largest call of a tool has.
pub(super) const MAX_VALUES: usize = 4_000;
/// Maximum length of the name of a method in characters. A longer one is neither repeated nor logged.
const MAX_METHOD_CHARS: usize = 100;

/// Id, method and revision of a JSON-RPC request. A body that is none has none of them.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Envelope {
    #[serde(default)]
    id: Value,
    method: Option<String>,
    #[serde(default)]
    params: Option<EnvelopeParams>,
    /// Whether the body is no JSON.
    #[serde(skip)]
    is_broken: bool,
    /// Whether the body has more values than a request may have.
    #[serde(skip)]
    is_too_complex: bool,
}

#[derive(Debug, Default, Deserialize)]
struct EnvelopeParams {
    name: Option<String>,
    #[serde(rename = "_meta")]
    meta: Option<EnvelopeMeta>,
}

#[derive(Debug, Default, Deserialize)]
struct EnvelopeMeta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
}

impl Envelope {
    /// Reads the envelope of a body.
    ///
    /// rmcp builds a tree of every value, so a body with too many is not parsed at all.
    pub(super) fn of(body: &[u8]) -> Self {
        if number_of_values(body) > MAX_VALUES {
            return Self { is_too_complex: true, ..Self::default() };
        }
        let broken = |error: serde_json::Error| Self {
            is_broken: matches!(error.classify(), Category::Syntax | Category::Eof),
            ..Self::default()
        };
        serde_json::from_slice(body).unwrap_or_else(broken)
    }

    /// Returns whether the body is no JSON.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Returns whether the body has too many values.
    pub(super) fn is_too_complex(&self) -> bool {
        self.is_too_complex
    }

    /// Returns whether this is a ping of a revision that has pings and that the server speaks.
    pub(super) fn is_legacy_ping(&self, headers: &HeaderMap) -> bool {
        let is_ping = self.method.as_deref() == Some("ping");
        is_ping && !self.is_stateless(headers) && self.unknown_revision(headers).is_none()
    }

    /// Returns whether the request names a revision without `initialize`.
    pub(super) fn is_stateless(&self, headers: &HeaderMap) -> bool {
        let is_stateless = |version: &str| version >= STATELESS_REVISION;
        named_revision(headers).is_some_and(is_stateless) || self.version().is_some_and(is_stateless)
    }

    /// Returns whether the name of the method is longer than that of any method.
    pub(super) fn has_long_method(&self) -> bool {
        self.method.as_ref().is_some_and(|method| method.chars().count() > MAX_METHOD_CHARS)
    }

    /// Returns the revision of the header, where the server does not speak it and the body names none.
    ///
    /// rmcp compares a revision of the body with those of the server, and one of the header with all that rmcp knows.
    pub(super) fn unknown_revision<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let is_unknown = |named: &&str| REVISIONS.iter().all(|known| known.as_str() != *named);
        named_revision(headers).filter(|named| self.version().is_none() && is_unknown(named))
    }

    /// Returns the id of the request.
    pub(super) fn id(&self) -> &Value {
        &self.id
    }

    /// Returns the name of the tool that is called.
    pub(super) fn called_tool(&self) -> Option<&str> {
        let is_call = self.method.as_deref() == Some("tools/call");
        self.params.as_ref().filter(|_| is_call)?.name.as_deref()
    }

    fn version(&self) -> Option<&str> {
        self.params.as_ref().and_then(|params| params.meta.as_ref()?.version.as_deref())
    }
}

/// Returns the number of values of JSON: one, and one more for each separator and each opened array or object.
fn number_of_values(json: &[u8]) -> usize {
    let (mut values, mut is_string, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => values += 1,
            _ => {}
        }
    }
    values
}

fn named_revision(headers: &HeaderMap) -> Option<&str> {
    headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (json, expected) in [
            ("", 1),
            ("{}", 2),
            ("[1,2,3]", 4),
            (r#"{"a":"x,[{","b":"\",:[null]"}"#, 3),
            (r#"{"a":"\\\\","b":[{},{}]}"#, 7),
        ] {
            assert_eq!(number_of_values(json.as_bytes()), expected, "{json}");
        }
    }

    #[test]
    fn revision_that_is_not_offered_is_unknown() {
        let ping = Envelope::of(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        for (revision, is_unknown) in
            [("2024-11-05", true), ("2025-03-26", false), ("2025-11-25", false), ("2099-01-01", true), ("", true)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(PROTOCOL_VERSION), HeaderValue::from_static(revision));
            assert_eq!(ping.unknown_revision(&headers), is_unknown.then_some(revision));
            assert_eq!(ping.is_legacy_ping(&headers), !is_unknown, "{revision}");
        }
        assert!(ping.unknown_revision(&HeaderMap::new()).is_none() && ping.is_legacy_ping(&HeaderMap::new()));
    }

    #[test]
    fn complex_body_is_not_parsed() {
        for (count, is_too_complex) in [(MAX_VALUES - 10, false), (MAX_VALUES + 1, true)] {
            let body = format!(r#"{{"method":"ping","params":{{"x":[{}0]}}}}"#, "0,".repeat(count));
            let envelope = Envelope::of(body.as_bytes());
            assert_eq!((envelope.is_too_complex(), envelope.method.is_none()), (is_too_complex, is_too_complex));
        }
    }
}
