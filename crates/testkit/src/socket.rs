//! A WebSocket client (RFC 6455) that also sends what no well-behaved client would.

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::answer::Answer;
use crate::head::read_head;
use crate::http::{Http, Request};
use crate::patience::PATIENCE;

/// A key of the handshake, and what a server answers to it (RFC 6455, section 1.3).
const KEY: (&str, &str) = ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

/// One WebSocket.
#[derive(Debug)]
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

/// What a server says over a WebSocket.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// JSON, in a text frame.
    Json(Value),
    /// The answer to a ping.
    Pong(Vec<u8>),
    /// That it closes, with a code and why.
    Closed(u16, String),
    /// Nothing more: the connection ended without a word.
    Gone,
}

impl Http {
    /// Upgrades to a WebSocket; answers the refusal where the server does not.
    ///
    /// # Errors
    /// Any answer but 101.
    pub async fn socket(&self, target: &str) -> Result<Socket, Answer> {
        let request = Request::new("GET", target)
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", KEY.0);
        let mut stream = self.begin_with(request, "Upgrade").await;
        let head = read_head(format!("WebSocket {target}"), &mut stream).await;
        if head.status != 101 {
            return Err(head.with_body(&mut stream).await);
        }
        assert_eq!(head.header("Sec-WebSocket-Accept"), Some(KEY.1), "{head:?}");
        Ok(Socket { stream: WebSocketStream::from_raw_socket(stream, Role::Client, None).await })
    }

    /// A WebSocket that has subscribed, and what it was told of that.
    pub async fn subscribed(&self, subscribe: Value) -> (Socket, Value) {
        let mut socket = self.socket("/v0").await.unwrap();
        let told = socket.subscribe(subscribe).await;
        assert_eq!(told["type"], "subscribed", "{told:#}");
        (socket, told)
    }
}

impl Socket {
    /// Sends JSON.
    pub async fn say(&mut self, message: &Value) {
        self.stream.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Subscribes with these fields, and answers what the server says next.
    pub async fn subscribe(&mut self, mut fields: Value) -> Value {
        fields["type"] = "subscribe".into();
        self.say(&fields).await;
        self.json().await
    }

    /// Sends a frame of fewer than 126 or up to 65,535 octets, or more, just as it is given: its first octet, which says
    /// what kind it is and whether it is the last of its message, and its payload. It may break off in the middle.
    pub async fn frame(&mut self, first: u8, payload: &[u8]) {
        let mut frame = vec![first];
        match payload.len() {
            short @ 0..126 => frame.push(0x80 | u8::try_from(short).unwrap()),
            medium @ 126..65_536 => {
                frame.push(0xFE);
                frame.extend(u16::try_from(medium).unwrap().to_be_bytes());
            }
            long => {
                frame.push(0xFF);
                frame.extend(u64::try_from(long).unwrap().to_be_bytes());
            }
        }
        // A mask of zeros leaves the payload as it is.
        frame.extend([0; 4]);
        frame.extend(payload);
        // A server that refuses a frame need not read all of it.
        let _ = self.stream.get_mut().write_all(&frame).await;
    }

    /// What the server says next. Its pings are answered on the way.
    pub async fn next(&mut self) -> Heard {
        let heard = tokio::time::timeout(PATIENCE, self.heard()).await;
        assert!(heard.is_ok(), "nothing was said within {PATIENCE:?}");
        heard.unwrap()
    }

    async fn heard(&mut self) -> Heard {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Heard::Json(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Pong(octets))) => return Heard::Pong(octets.to_vec()),
                Some(Ok(Message::Close(Some(reason)))) => {
                    return Heard::Closed(reason.code.into(), reason.reason.to_string());
                }
                Some(Ok(Message::Ping(_))) => {}
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Heard::Gone,
                Some(Ok(other)) => panic!("the server said {other:?}"),
            }
        }
    }

    /// The JSON that the server says next.
    pub async fn json(&mut self) -> Value {
        match self.next().await {
            Heard::Json(value) => value,
            other => panic!("no JSON but {other:?}"),
        }
    }

    /// The event that the server tells next.
    pub async fn event(&mut self) -> Value {
        let event = self.json().await;
        assert_eq!(event["type"], "event", "{event:#}");
        event
    }

    /// The code that the server closes with, whatever it says before, and the JSON that it said.
    pub async fn closed(&mut self) -> (u16, Vec<Value>) {
        let mut said = Vec::new();
        loop {
            match self.next().await {
                Heard::Json(value) => said.push(value),
                Heard::Pong(_) => {}
                Heard::Closed(code, _) => return (code, said),
                Heard::Gone => panic!("the connection ended without a word, after {said:#?}"),
            }
        }
    }
}
