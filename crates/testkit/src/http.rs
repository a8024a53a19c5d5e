//! A client that sends requests just as the test writes them: nothing is encoded, added or tried again.

use std::fmt::Write as _;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::Answer;
use crate::patience::PATIENCE;

/// The API of a server, called with one key or with none.
#[derive(Debug, Clone)]
pub struct Http {
    address: String,
    key: Option<String>,
}

/// A request, with everything a test may want to get wrong.
#[derive(Debug, Clone, Default)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Request {
    /// A request without a body.
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

    /// Adds a body of JSON, and says so.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json").body(body.to_string())
    }

    /// Adds a body of which nothing is said.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }
}

impl Http {
    /// The API at an address and port, without a key.
    #[must_use]
    pub fn new(address: String) -> Self {
        Self { address, key: None }
    }

    /// The same API with a key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { address: self.address.clone(), key: Some(key.to_owned()) }
    }

    /// GET.
    pub async fn get(&self, target: &str) -> Answer {
        self.call(Request::new("GET", target)).await
    }

    /// POST of JSON.
    pub async fn post(&self, target: &str, body: Value) -> Answer {
        self.call(Request::new("POST", target).json(&body)).await
    }

    /// PATCH of JSON.
    pub async fn patch(&self, target: &str, body: Value) -> Answer {
        self.call(Request::new("PATCH", target).json(&body)).await
    }

    /// DELETE.
    pub async fn delete(&self, target: &str) -> Answer {
        self.call(Request::new("DELETE", target)).await
    }

    /// Sends a request on a connection of its own, and reads the whole answer.
    pub async fn call(&self, request: Request) -> Answer {
        let what = format!("{} {}", request.method, request.target);
        let answered = tokio::time::timeout(PATIENCE, self.exchange(request)).await;
        assert!(answered.is_ok(), "{what}: no answer within {PATIENCE:?}");
        let octets = answered.unwrap();
        Answer::read(&what, &octets)
    }

    /// Sends a request to a server that may go at any moment: `None` when there is no whole answer.
    pub async fn try_call(&self, request: Request) -> Option<Answer> {
        let what = format!("{} {}", request.method, request.target);
        let mut stream = TcpStream::connect(&self.address).await.ok()?;
        stream.write_all(&self.encode(request, "close")).await.ok()?;
        let mut octets = Vec::new();
        stream.read_to_end(&mut octets).await.ok()?;
        Answer::try_read(what, &octets)
    }

    /// Sends a request on a connection that stays open, and leaves the answer to the test.
    pub async fn begin(&self, request: Request) -> TcpStream {
        self.begin_with(request, "keep-alive").await
    }

    /// The same with another word for what becomes of the connection.
    pub(crate) async fn begin_with(&self, request: Request, connection: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(&self.encode(request, connection)).await.unwrap();
        stream
    }

    async fn exchange(&self, request: Request) -> Vec<u8> {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        let (mut from_server, mut to_server) = stream.into_split();
        let octets = self.encode(request, "close");
        // A server that refuses a large body answers before it has read all of it.
        let writing = tokio::spawn(async move {
            let _ = to_server.write_all(&octets).await;
            to_server
        });
        let mut answer = Vec::new();
        let read = from_server.read_to_end(&mut answer).await;
        assert!(read.is_ok() || !answer.is_empty(), "the connection broke: {read:?}");
        writing.abort();
        answer
    }

    fn encode(&self, request: Request, connection: &str) -> Vec<u8> {
        let Request { method, target, headers, body } = request;
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {}\r\n", self.address);
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
        let mut octets = head.into_bytes();
        octets.extend(body.unwrap_or_default());
        octets
    }
}

/// A text for one segment of a path or one value of a query, with everything encoded that could mean something there.
#[must_use]
pub fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for octet in text.bytes() {
        if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) {
            encoded.push(char::from(octet));
        } else {
            let _ = write!(encoded, "%{octet:02X}");
        }
    }
    encoded
}
