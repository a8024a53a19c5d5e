//! Webhook endpoint for tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::wait::eventually;

/// One received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Request method.
    pub method: String,
    /// Request path.
    pub path: String,
    /// Header fields, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Exact bytes of the body.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// Returns the value of a header field, or an empty text.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Parses the body as an event.
    #[must_use]
    pub fn event(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Response of the receiver to one request.
#[derive(Debug, Clone)]
pub enum Reaction {
    /// Responds with this status and keeps the connection open.
    Status(u16),
    /// Responds with 200 after it is [released](WebhookReceiver::release).
    Hold,
    /// Sends these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Does not respond until the client disconnects.
    Hang,
}

type ReactionFn = Box<dyn Fn(&ReceivedRequest) -> Reaction + Send>;

/// A webhook endpoint that stops when this value is dropped.
pub struct WebhookReceiver {
    port: u16,
    shared: Arc<ReceiverState>,
    listening: JoinHandle<()>,
}

struct ReceiverState {
    requests: Mutex<Vec<ReceivedRequest>>,
    react: Mutex<ReactionFn>,
    connections: AtomicUsize,
    permits: Semaphore,
}

impl WebhookReceiver {
    /// Starts a receiver that responds with 200.
    pub async fn start() -> Self {
        Self::start_with(|_| Reaction::Status(200)).await
    }

    /// Starts a receiver with a reaction to each request.
    pub async fn start_with(react: impl Fn(&ReceivedRequest) -> Reaction + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(ReceiverState {
            requests: Mutex::default(),
            react: Mutex::new(Box::new(react)),
            connections: AtomicUsize::new(0),
            permits: Semaphore::new(0),
        });
        let served = Arc::clone(&shared);
        let listening = tokio::spawn(async move {
            let mut running = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                served.connections.fetch_add(1, Ordering::SeqCst);
                running.spawn(serve(stream, Arc::clone(&served)));
            }
        });
        Self { port, shared, listening }
    }

    /// Replaces the reaction to later requests.
    pub fn set_reaction(&self, react: impl Fn(&ReceivedRequest) -> Reaction + Send + 'static) {
        *self.shared.react.lock().unwrap() = Box::new(react);
    }

    /// Responds to all held requests, present and future.
    pub fn release(&self) {
        self.shared.permits.close();
    }

    /// Returns the URL of the endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    /// Returns all requests in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Returns the number of accepted connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits for that many requests and returns all of them.
    pub async fn wait_for_requests(&self, count: usize) -> Vec<ReceivedRequest> {
        eventually(&format!("the receiver has {count} requests"), async || {
            let requests = self.requests();
            (requests.len() >= count).then_some(requests)
        })
        .await
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn serve(stream: TcpStream, shared: Arc<ReceiverState>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await {
        let reaction = (shared.react.lock().unwrap())(&request);
        shared.requests.lock().unwrap().push(request);
        let status = match reaction {
            Reaction::Status(status) => status,
            Reaction::Hold => {
                // `release` closes the semaphore.
                let _ = shared.permits.acquire().await;
                200
            }
            Reaction::Bytes(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Reaction::Hang => {
                // The read ends when the client disconnects.
                let _ = stream.read_u8().await;
                return;
            }
        };
        let response = format!("HTTP/1.1 {status} Status\r\nContent-Length: 4\r\n\r\ndone");
        if stream.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads a request; returns `None` at the end of the connection.
pub(crate) async fn read_request(stream: &mut (impl AsyncBufRead + Unpin)) -> Option<ReceivedRequest> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    let (method, rest) = line.split_once(' ')?;
    let (method, path) = (method.to_owned(), rest.split(' ').next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(ReceivedRequest { method, path, headers, body })
}
