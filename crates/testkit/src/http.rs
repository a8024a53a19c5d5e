//! HTTP client that sends requests unchanged: no encoding, no added fields, no retries.

use std::fmt::Write as _;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::api_response::ApiResponse;
use crate::wait::WAIT_TIMEOUT;

/// The API of a server, with or without an API key.
#[derive(Debug, Clone)]
pub struct HttpClient {
    address: String,
    key: Option<String>,
    /// Bytes before the head of each request.
    preface: Vec<u8>,
}

/// A request, which may be invalid in any part.
#[derive(Debug, Clone, Default)]
pub struct HttpRequest {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl HttpRequest {
    /// Creates a request without a body.
    #[must_use]
    pub fn new(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), ..Self::default() }
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a JSON body and its `Content-Type`.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json").body(body.to_string())
    }

    /// Adds form fields as the body, and their `Content-Type`.
    #[must_use]
    pub fn form(self, fields: &[(&str, &str)]) -> Self {
        let pairs = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        self.header("Content-Type", "application/x-www-form-urlencoded").body(pairs.collect::<Vec<_>>().join("&"))
    }

    /// Adds a body without a `Content-Type`.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }
}

impl HttpClient {
    /// Creates a client for an address and port, without an API key.
    #[must_use]
    pub fn new(address: String) -> Self {
        Self { address, key: None, preface: Vec::new() }
    }

    /// Returns a client of the same API with an API key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// Returns a client that sends these bytes first on each connection, such as a PROXY protocol header.
    #[must_use]
    pub fn with_preface(&self, preface: &[u8]) -> Self {
        Self { preface: preface.to_vec(), ..self.clone() }
    }

    /// Sends GET.
    pub async fn get(&self, target: &str) -> ApiResponse {
        self.call(HttpRequest::new("GET", target)).await
    }

    /// Sends POST with JSON.
    pub async fn post(&self, target: &str, body: Value) -> ApiResponse {
        self.call(HttpRequest::new("POST", target).json(&body)).await
    }

    /// Sends PATCH with JSON.
    pub async fn patch(&self, target: &str, body: Value) -> ApiResponse {
        self.call(HttpRequest::new("PATCH", target).json(&body)).await
    }

    /// Sends DELETE.
    pub async fn delete(&self, target: &str) -> ApiResponse {
        self.call(HttpRequest::new("DELETE", target)).await
    }

    /// Sends a request on a new connection and reads the complete response.
    pub async fn call(&self, request: HttpRequest) -> ApiResponse {
        let call = format!("{} {}", request.method, request.target);
        let answered = tokio::time::timeout(WAIT_TIMEOUT, self.exchange(request)).await;
        assert!(answered.is_ok(), "{call}: no response within {WAIT_TIMEOUT:?}");
        let bytes = answered.unwrap();
        ApiResponse::read(&call, &bytes)
    }

    /// Sends a request to a server that may stop at any time; returns `None` without a complete response.
    pub async fn try_call(&self, request: HttpRequest) -> Option<ApiResponse> {
        let call = format!("{} {}", request.method, request.target);
        let mut stream = TcpStream::connect(&self.address).await.ok()?;
        stream.write_all(&self.encode(request, "close")).await.ok()?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.ok()?;
        ApiResponse::try_read(call, &bytes)
    }

    /// Sends a request with keep-alive and returns the connection without reading the response.
    pub async fn start_request(&self, request: HttpRequest) -> TcpStream {
        self.start_request_with(request, "keep-alive").await
    }

    /// Sends a request with the given `Connection` field and returns the connection.
    pub(crate) async fn start_request_with(&self, request: HttpRequest, connection: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(&self.encode(request, connection)).await.unwrap();
        stream
    }

    async fn exchange(&self, request: HttpRequest) -> Vec<u8> {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        let (mut from_server, mut to_server) = stream.into_split();
        let bytes = self.encode(request, "close");
        // A server that refuses a large body responds before it has read all of it.
        let writing = tokio::spawn(async move {
            let _ = to_server.write_all(&bytes).await;
            to_server
        });
        let mut answer = Vec::new();
        let read = from_server.read_to_end(&mut answer).await;
        assert!(read.is_ok() || !answer.is_empty(), "the connection broke: {read:?}");
        writing.abort();
        answer
    }

    fn encode(&self, request: HttpRequest, connection: &str) -> Vec<u8> {
        let HttpRequest { method, target, headers, body } = request;
        let mut head = format!("{method} {target} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name == "Host") {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        if !headers.iter().any(|(name, _)| name == "Connection") {
            let _ = write!(head, "Connection: {connection}\r\n");
        }
        if let Some(key) = &self.key {
            let _ = write!(head, "Authorization: Bearer {key}\r\n");
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if let Some(body) = &body {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        head.push_str("\r\n");
        let mut bytes = [self.preface.as_slice(), head.as_bytes()].concat();
        bytes.extend(body.unwrap_or_default());
        bytes
    }
}

/// Percent-encodes a text for a path segment or a query value.
#[must_use]
pub fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
