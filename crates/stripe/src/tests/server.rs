//! Loopback HTTP server that records requests and writes exact bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Action for one request.
pub(super) enum Act {
    /// Responds with a status and a body.
    Answer(u16, String),
    /// Writes these bytes and closes.
    Write(Vec<u8>),
    /// Closes without a response.
    Close,
    /// Sends nothing.
    Wait,
}

pub(super) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    /// Starts a server that performs these actions in order, one for each request.
    pub(super) async fn doing(acts: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self { port: listener.local_addr().unwrap().port(), requests: Arc::default() };
        let requests = Arc::clone(&server.requests);
        let mut acts: VecDeque<Act> = acts.into_iter().collect();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut bytes = Vec::new();
                while !is_whole(&bytes) {
                    match stream.read_u8().await {
                        Ok(byte) => bytes.push(byte),
                        Err(_) => break,
                    }
                }
                let text = String::from_utf8(bytes).unwrap();
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                requests.lock().unwrap().push((head.to_owned(), body.to_owned()));
                match acts.pop_front() {
                    Some(Act::Answer(status, body)) => {
                        let head = format!("HTTP/1.1 {status} Said\r\nContent-Length: {}\r\n\r\n", body.len());
                        let _ = stream.write_all((head + &body).as_bytes()).await;
                    }
                    Some(Act::Write(bytes)) => {
                        let _ = stream.write_all(&bytes).await;
                    }
                    Some(Act::Wait) => tokio::time::sleep(Duration::from_mins(1)).await,
                    Some(Act::Close) | None => {}
                }
            }
        });
        server
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns head and body of every request.
    pub(super) fn requests(&self) -> Vec<(String, String)> {
        self.requests.lock().unwrap().clone()
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}
