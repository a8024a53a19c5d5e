//! What the API answers.

use serde_json::Value;

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    what: String,
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads HTTP/1.1: status line, fields, and a body that ends with the connection or says where it ends.
    pub(crate) fn read(what: &str, octets: &[u8]) -> Self {
        let answer = Self::try_read(what.to_owned(), octets);
        answer.unwrap_or_else(|| panic!("{what}: no whole answer: {:?}", String::from_utf8_lossy(octets)))
    }

    /// Reads an answer; `None` when it is cut short.
    pub(crate) fn try_read(what: String, octets: &[u8]) -> Option<Self> {
        let end = octets.windows(4).position(|window| window == b"\r\n\r\n")?;
        let mut answer = Self::head(what, &octets[..end])?;
        answer.body = octets[end + 4..].to_vec();
        if answer.header("Transfer-Encoding") == Some("chunked") {
            answer.body = unchunked(&answer.body)?;
        }
        let length: Option<usize> = answer.header("Content-Length").and_then(|length| length.parse().ok());
        let is_whole = length.is_none_or(|length| answer.body.len() == length);
        is_whole.then_some(answer)
    }

    /// Reads status line and fields.
    pub(crate) fn head(what: String, octets: &[u8]) -> Option<Self> {
        let head = String::from_utf8_lossy(octets).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        Some(Self { what, status: status?, headers, body: Vec::new() })
    }

    /// A header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        self.headers.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{}: {} is not JSON: {error}: {}", self.what, self.status, self.text()),
        }
    }

    /// The body of an answer that has to be 200.
    #[expect(clippy::must_use_candidate, reason = "the check is the point")]
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}: {}", self.what, self.text());
        self.json()
    }

    /// Checks that the answer is 204 without a body.
    #[track_caller]
    pub fn gone(&self) {
        assert_eq!(self.status, 204, "{}: {}", self.what, self.text());
        assert!(self.body.is_empty(), "{}: 204 has no body: {}", self.what, self.text());
    }

    /// The envelope of an answer that has to be this refusal.
    #[expect(clippy::must_use_candidate, reason = "the check is the point")]
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.what, self.text());
        let envelope = self.envelope();
        assert_eq!(envelope["code"], code, "{}: {envelope:#}", self.what);
        envelope
    }

    /// The envelope of any refusal, complete.
    #[must_use]
    #[track_caller]
    pub fn envelope(&self) -> Value {
        let envelope = self.json();
        for field in ["name", "code", "message", "fix", "docs"] {
            let text = envelope[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{}: {field} is missing: {envelope:#}", self.what);
        }
        let anchor = format!("/docs/errors#{}", envelope["code"].as_str().unwrap_or_default());
        assert!(envelope["docs"].as_str().unwrap_or_default().ends_with(&anchor), "{}: {envelope:#}", self.what);
        envelope
    }

    /// The fields that a 422 names, in order.
    #[must_use]
    #[track_caller]
    pub fn bad_fields(&self) -> Vec<String> {
        let envelope = self.refused(422, "validation_error");
        let paths = |list: &str, path: &str| -> Vec<Value> {
            envelope[list].as_array().into_iter().flatten().map(|error| error[path].clone()).collect()
        };
        let detail = paths("detail", "loc");
        assert_eq!(detail.len(), paths("errors", "path").len(), "{}: {envelope:#}", self.what);
        let mut fields: Vec<String> =
            paths("errors", "path").iter().map(|path| path.as_str().unwrap_or_default().to_owned()).collect();
        fields.sort();
        fields
    }
}

/// A chunked body as a whole; `None` when its end is missing.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
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
