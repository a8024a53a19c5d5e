//! WebSocket client (RFC 6455) that can also violate the protocol.

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::api_response::ApiResponse;
use crate::head::read_head;
use crate::http::{HttpClient, HttpRequest};
use crate::wait::WAIT_TIMEOUT;

/// Key of the handshake and its accept value (RFC 6455, section 1.3).
const HANDSHAKE_KEY: (&str, &str) = ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

/// An open WebSocket.
#[derive(Debug)]
pub struct WebSocketClient {
    stream: WebSocketStream<TcpStream>,
}

/// A frame from the server, or the end of the connection.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerFrame {
    /// JSON of a text frame.
    Json(Value),
    /// Pong with its payload.
    Pong(Vec<u8>),
    /// Close frame with its code and reason.
    Closed(u16, String),
    /// End of the connection without a close frame.
    Disconnected,
}

impl HttpClient {
    /// Opens a WebSocket.
    ///
    /// # Errors
    ///
    /// The response, when its status is not 101.
    pub async fn open_socket(&self, target: &str) -> Result<WebSocketClient, ApiResponse> {
        let request = HttpRequest::new("GET", target)
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", HANDSHAKE_KEY.0);
        let mut stream = self.start_request_with(request, "Upgrade").await;
        let head = read_head(format!("WebSocket {target}"), &mut stream).await;
        if head.status != 101 {
            return Err(head.with_body(&mut stream).await);
        }
        assert_eq!(head.header("Sec-WebSocket-Accept"), Some(HANDSHAKE_KEY.1), "{head:?}");
        Ok(WebSocketClient { stream: WebSocketStream::from_raw_socket(stream, Role::Client, None).await })
    }

    /// Opens a WebSocket and subscribes. Returns the reply too.
    pub async fn open_subscribed_socket(&self, subscribe: Value) -> (WebSocketClient, Value) {
        let mut socket = self.open_socket("/v0").await.unwrap();
        let reply = socket.subscribe(subscribe).await;
        assert_eq!(reply["type"], "subscribed", "{reply:#}");
        (socket, reply)
    }
}

impl WebSocketClient {
    /// Sends JSON.
    pub async fn send_json(&mut self, message: &Value) {
        self.stream.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Sends `subscribe` with these fields and returns the reply.
    pub async fn subscribe(&mut self, mut fields: Value) -> Value {
        fields["type"] = "subscribe".into();
        self.send_json(&fields).await;
        self.next_json().await
    }

    /// Sends one raw frame: its first byte (FIN and opcode) and its payload. The frame may violate the protocol.
    pub async fn send_frame(&mut self, first: u8, payload: &[u8]) {
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
        // A zero mask leaves the payload unchanged.
        frame.extend([0; 4]);
        frame.extend(payload);
        // A server that refuses a frame may not read all of it.
        let _ = self.stream.get_mut().write_all(&frame).await;
    }

    /// Returns the next frame. The client responds to pings automatically.
    pub async fn next(&mut self) -> ServerFrame {
        let frame = tokio::time::timeout(WAIT_TIMEOUT, self.read_frame()).await;
        assert!(frame.is_ok(), "no frame within {WAIT_TIMEOUT:?}");
        frame.unwrap()
    }

    async fn read_frame(&mut self) -> ServerFrame {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return ServerFrame::Json(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Pong(bytes))) => return ServerFrame::Pong(bytes.to_vec()),
                Some(Ok(Message::Close(Some(reason)))) => {
                    return ServerFrame::Closed(reason.code.into(), reason.reason.to_string());
                }
                Some(Ok(Message::Ping(_))) => {}
                Some(Ok(Message::Close(None)) | Err(_)) | None => return ServerFrame::Disconnected,
                Some(Ok(other)) => panic!("unexpected frame {other:?}"),
            }
        }
    }

    /// Requires that the next frame is JSON and returns it.
    pub async fn next_json(&mut self) -> Value {
        match self.next().await {
            ServerFrame::Json(value) => value,
            other => panic!("no JSON frame: {other:?}"),
        }
    }

    /// Requires that the next frame is an event and returns it.
    pub async fn next_event(&mut self) -> Value {
        let event = self.next_json().await;
        assert_eq!(event["type"], "event", "{event:#}");
        event
    }

    /// Reads until the close frame. Returns its code and all JSON before it.
    pub async fn read_until_close(&mut self) -> (u16, Vec<Value>) {
        let mut received = Vec::new();
        loop {
            match self.next().await {
                ServerFrame::Json(value) => received.push(value),
                ServerFrame::Pong(_) => {}
                ServerFrame::Closed(code, _) => return (code, received),
                ServerFrame::Disconnected => panic!("no close frame, after {received:#?}"),
            }
        }
    }
}
