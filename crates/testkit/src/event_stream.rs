//! A reader of Server-Sent Events (HTML Living Standard, section 9.2).

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::answer::Answer;
use crate::head::read_head;
use crate::http::{Http, Request};
use crate::patience::PATIENCE;

/// One stream, from its first event on.
#[derive(Debug)]
pub struct EventStream {
    /// The head of the answer.
    pub head: Answer,
    /// How many comments came so far.
    pub comments: usize,
    /// After how many milliseconds the server wants a client back whose connection broke.
    pub retry: Option<u64>,
    stream: TcpStream,
    /// What came and was not looked at.
    text: Vec<u8>,
}

/// What a server sends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// Its kind; empty for `message`.
    pub event: String,
    /// Its id.
    pub id: Option<String>,
    /// Its data.
    pub data: String,
}

impl Sent {
    /// The data as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

impl Http {
    /// Asks for a stream; answers the refusal where the server sends none.
    ///
    /// # Errors
    /// Any answer but 200.
    pub async fn stream(&self, request: Request) -> Result<EventStream, Answer> {
        let mut stream = self.begin(request.header("Accept", "text/event-stream")).await;
        let head = read_head("stream".to_owned(), &mut stream).await;
        if head.status != 200 {
            return Err(head.with_body(&mut stream).await);
        }
        assert_eq!(head.header("Transfer-Encoding"), Some("chunked"), "{head:?}");
        Ok(EventStream { head, comments: 0, retry: None, stream, text: Vec::new() })
    }
}

impl EventStream {
    /// What is sent next; `None` where the server has ended the stream.
    pub async fn next(&mut self) -> Option<Sent> {
        let sent = tokio::time::timeout(PATIENCE, self.sent()).await;
        assert!(sent.is_ok(), "nothing was sent within {PATIENCE:?}");
        sent.unwrap()
    }

    /// The event that is told next.
    pub async fn event(&mut self) -> Value {
        let Some(sent) = self.next().await else { panic!("the stream has ended") };
        assert_eq!(sent.event, "", "{sent:?}");
        let event = sent.json();
        assert_eq!(event["event_id"].as_str(), sent.id.as_deref(), "{sent:?}");
        event
    }

    /// Reads until the server has said that many comments.
    pub async fn comment(&mut self, number: usize) {
        while self.comments < number {
            let read = tokio::time::timeout(PATIENCE, self.chunk()).await;
            assert_eq!(read, Ok(true), "no comment came within {PATIENCE:?}");
            let end = self.text.windows(2).position(|window| window == b"\n\n");
            let Some(end) = end else { continue };
            let block = String::from_utf8(self.text.drain(..end + 2).collect()).unwrap();
            assert_eq!(self.taken(&block), None, "something was sent");
        }
    }

    async fn sent(&mut self) -> Option<Sent> {
        loop {
            if let Some(end) = self.text.windows(2).position(|window| window == b"\n\n") {
                let block = String::from_utf8(self.text.drain(..end + 2).collect()).unwrap();
                if let Some(sent) = self.taken(&block) {
                    return Some(sent);
                }
            } else if !self.chunk().await {
                return None;
            }
        }
    }

    /// Takes a block: what it sends, unless it is none but comments and settings.
    fn taken(&mut self, block: &str) -> Option<Sent> {
        let mut sent = Sent::default();
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

    /// Reads a chunk; false at the end.
    async fn chunk(&mut self) -> bool {
        let mut size = Vec::new();
        while !size.ends_with(b"\r\n") {
            match self.stream.read_u8().await {
                Ok(octet) => size.push(octet),
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
