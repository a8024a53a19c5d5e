//! WebSocket of the API: lines of standard input are sent, messages are printed as lines.

use std::io::BufRead;

use futures_util::{SinkExt, StreamExt};
use http::StatusCode;
use hyper_util::rt::TokioIo;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::failure::{CommandFailure, ExitStatus};
use crate::http::{ApiClient, ApiRequest, BROKEN};
use crate::output::pager;
use crate::output::text::safe_json;

/// Number of lines that wait to be sent.
const MAX_WAITING_LINES: usize = 16;

/// Connects, and passes messages until the server closes the connection.
pub(crate) async fn talk(client: &ApiClient, request: ApiRequest) -> Result<(), CommandFailure> {
    let mut socket = connect(client, request).await?;
    let (entered, mut lines) = mpsc::channel(MAX_WAITING_LINES);
    std::thread::spawn(move || read_lines(&entered));
    let broken = |cause: String| CommandFailure::new(ExitStatus::Unreachable, format!("{BROKEN}: {cause}"));
    loop {
        tokio::select! {
            Some(line) = lines.recv() => {
                socket.send(Message::text::<String>(line)).await.map_err(|error| broken(error.to_string()))?;
            }
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    pager::write(&format!("{}\n", safe_json(&text).replace('\n', " ")))?;
                }
                Some(Ok(Message::Close(frame))) => {
                    let Some(frame) = frame.filter(|frame| u16::from(frame.code) != 1000) else { return Ok(()) };
                    let cause = format!("the server closed the connection: {} {}", frame.code, frame.reason);
                    return Err(CommandFailure::local(cause));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(broken(error.to_string())),
                None => return Ok(()),
            }
        }
    }
}

/// Opens a WebSocket (RFC 6455, section 4.1).
async fn connect(
    client: &ApiClient,
    mut request: ApiRequest,
) -> Result<WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>, CommandFailure> {
    let key = generate_key();
    let headers = [("connection", "upgrade"), ("upgrade", "websocket"), ("sec-websocket-version", "13")];
    request.headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    request.headers.push(("sec-websocket-key".to_owned(), key.clone()));
    let response = client.send(&request).await?;
    let accepted = response.headers().get("sec-websocket-accept").map(http::HeaderValue::as_bytes);
    let is_accepted = accepted == Some(derive_accept_key(key.as_bytes()).as_bytes());
    if response.status() != StatusCode::SWITCHING_PROTOCOLS || !is_accepted {
        return Err(CommandFailure::local("the server opened no WebSocket").fix("check that the URL names an inboxd"));
    }
    let upgraded = hyper::upgrade::on(response).await;
    let upgraded =
        upgraded.map_err(|error| CommandFailure::new(ExitStatus::Unreachable, format!("{BROKEN}: {error}")))?;
    Ok(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, None).await)
}

/// Reads lines until the input ends. The connection stays open.
fn read_lines(lines: &mpsc::Sender<String>) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !line.trim().is_empty() && lines.blocking_send(line).is_err() {
            return;
        }
    }
}
