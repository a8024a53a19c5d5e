//! Reader of Server-Sent Events (HTML Living Standard, section 9.2).

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::api_response::ApiResponse;
use crate::head::read_head;
use crate::http::{HttpClient, HttpRequest};
use crate::wait::WAIT_TIMEOUT;

/// An open stream.
#[derive(Debug)]
pub struct EventStream {
    /// Head of the response.
    pub head: ApiResponse,
    /// Number of comments received.
    pub comments: usize,
    /// Reconnection delay that the server sets, in milliseconds.
    pub retry: Option<u64>,
    stream: TcpStream,
    /// Received text that is not parsed yet.
    text: Vec<u8>,
}

/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerSentEvent {
    /// Type; empty for `message`.
    pub event: String,
    /// Id.
    pub id: Option<String>,
    /// Data.
    pub data: String,
}

impl ServerSentEvent {
    /// Returns the data as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

impl HttpClient {
    /// Opens a stream.
    ///
    /// # Errors
    ///
    /// The response, when its status is not 200.
    pub async fn open_stream(&self, request: HttpRequest) -> Result<EventStream, ApiResponse> {
        let mut stream = self.start_request(request.header("Accept", "text/event-stream")).await;
        let head = read_head("stream".to_owned(), &mut stream).await;
        if head.status != 200 {
            return Err(head.with_body(&mut stream).await);
        }
        assert_eq!(head.header("Transfer-Encoding"), Some("chunked"), "{head:?}");
        Ok(EventStream { head, comments: 0, retry: None, stream, text: Vec::new() })
    }
}

impl EventStream {
    /// Returns the next event, or `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<ServerSentEvent> {
        let event = tokio::time::timeout(WAIT_TIMEOUT, self.read_event()).await;
        assert!(event.is_ok(), "no event within {WAIT_TIMEOUT:?}");
        event.unwrap()
    }

    /// Returns the JSON of the next event of the feed.
    pub async fn next_event(&mut self) -> Value {
        let Some(sent) = self.next().await else { panic!("end of stream") };
        assert_eq!(sent.event, "", "{sent:?}");
        let event = sent.json();
        assert_eq!(event["event_id"].as_str(), sent.id.as_deref(), "{sent:?}");
        event
    }

    /// Reads until the server has sent that many comments.
    pub async fn wait_for_comments(&mut self, number: usize) {
        while self.comments < number {
            let read = tokio::time::timeout(WAIT_TIMEOUT, self.read_chunk()).await;
            assert_eq!(read, Ok(true), "no comment within {WAIT_TIMEOUT:?}");
            let end = self.text.windows(2).position(|window| window == b"\n\n");
            let Some(end) = end else { continue };
            let block = String::from_utf8(self.text.drain(..end + 2).collect()).unwrap();
            assert_eq!(self.parse_block(&block), None, "unexpected event");
        }
    }

    async fn read_event(&mut self) -> Option<ServerSentEvent> {
        loop {
            if let Some(end) = self.text.windows(2).position(|window| window == b"\n\n") {
                let block = String::from_utf8(self.text.drain(..end + 2).collect()).unwrap();
                if let Some(sent) = self.parse_block(&block) {
                    return Some(sent);
                }
            } else if !self.read_chunk().await {
                return None;
            }
        }
    }

    /// Parses a block; returns `None` for a block of comments and settings only.
    fn parse_block(&mut self, block: &str) -> Option<ServerSentEvent> {
        let mut sent = ServerSentEvent::default();
        let mut data = Vec::new();
        for line in block.lines().filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "" => self.comments += 1,
                "event" => value.clone_into(&mut sent.event),
                "id" => sent.id = Some(value.to_owned()),
                "data" => data.push(value),
                "retry" => self.retry = value.parse().ok(),
                _ => {}
            }
        }
        sent.data = data.join("\n");
        (!data.is_empty()).then_some(sent)
    }

    /// Reads a chunk; returns `false` at the end.
    async fn read_chunk(&mut self) -> bool {
        let mut size = Vec::new();
        while !size.ends_with(b"\r\n") {
            match self.stream.read_u8().await {
                Ok(byte) => size.push(byte),
                Err(_) => return false,
            }
        }
        let size = usize::from_str_radix(String::from_utf8_lossy(&size).trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        if self.stream.read_exact(&mut chunk).await.is_err() {
            return false;
        }
        self.text.extend_from_slice(&chunk[..size]);
        size > 0
    }
}
