//! Responses of the HTTP API.

use serde_json::Value;

/// A response with its complete body.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    call: String,
    /// Status code.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// Body without transfer coding.
    pub body: Vec<u8>,
}

impl ApiResponse {
    /// Parses an HTTP/1.1 response; the body ends at its length or at the end of the connection.
    pub(crate) fn read(call: &str, bytes: &[u8]) -> Self {
        let response = Self::try_read(call.to_owned(), bytes);
        response.unwrap_or_else(|| panic!("{call}: incomplete response: {:?}", String::from_utf8_lossy(bytes)))
    }

    /// Parses a response; returns `None` when it is incomplete.
    pub(crate) fn try_read(call: String, bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let mut response = Self::head(call, &bytes[..end])?;
        response.body = bytes[end + 4..].to_vec();
        if response.header("Transfer-Encoding") == Some("chunked") {
            response.body = decode_chunks(&response.body)?;
        }
        let length: Option<usize> = response.header("Content-Length").and_then(|length| length.parse().ok());
        let is_whole = length.is_none_or(|length| response.body.len() == length);
        is_whole.then_some(response)
    }

    /// Parses the status line and the header fields.
    pub(crate) fn head(call: String, bytes: &[u8]) -> Option<Self> {
        let head = String::from_utf8_lossy(bytes).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        Some(Self { call, status: status?, headers, body: Vec::new() })
    }

    /// Returns the value of a header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        self.headers.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str())
    }

    /// Returns the values of all header fields of a name.
    pub fn header_values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns the body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body as JSON.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{}: status {} has no JSON body: {error}: {}", self.call, self.status, self.text()),
        }
    }

    /// Requires status 200 and returns the body.
    #[expect(clippy::must_use_candidate, reason = "the check is the point")]
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}: {}", self.call, self.text());
        self.json()
    }

    /// Requires status 204 without a body.
    #[track_caller]
    pub fn require_no_content(&self) {
        assert_eq!(self.status, 204, "{}: {}", self.call, self.text());
        assert!(self.body.is_empty(), "{}: 204 with a body: {}", self.call, self.text());
    }

    /// Requires this status and error code and returns the error envelope.
    #[expect(clippy::must_use_candidate, reason = "the check is the point")]
    #[track_caller]
    pub fn require_error(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.call, self.text());
        let envelope = self.envelope();
        assert_eq!(envelope["code"], code, "{}: {envelope:#}", self.call);
        envelope
    }

    /// Requires a complete error envelope of any code and returns it.
    #[must_use]
    #[track_caller]
    pub fn envelope(&self) -> Value {
        let envelope = self.json();
        for field in ["name", "code", "message", "fix", "docs"] {
            let text = envelope[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{}: {field} is missing: {envelope:#}", self.call);
        }
        let anchor = format!("/docs/errors#{}", envelope["code"].as_str().unwrap_or_default());
        assert!(envelope["docs"].as_str().unwrap_or_default().ends_with(&anchor), "{}: {envelope:#}", self.call);
        envelope
    }

    /// Requires a 422 and returns the fields that it names, sorted.
    #[must_use]
    #[track_caller]
    pub fn bad_fields(&self) -> Vec<String> {
        let envelope = self.require_error(422, "validation_error");
        let paths = |list: &str, path: &str| -> Vec<Value> {
            envelope[list].as_array().into_iter().flatten().map(|error| error[path].clone()).collect()
        };
        let detail = paths("detail", "loc");
        assert_eq!(detail.len(), paths("errors", "path").len(), "{}: {envelope:#}", self.call);
        let mut fields: Vec<String> =
            paths("errors", "path").iter().map(|path| path.as_str().unwrap_or_default().to_owned()).collect();
        fields.sort();
        fields
    }
}

/// Decodes a chunked body; returns `None` when its last chunk is missing.
fn decode_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).ok()?.trim(), 16).ok()?;
        body = &body[end + 2..];
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(..size)?);
        body = body.get(size + 2..)?;
    }
}
