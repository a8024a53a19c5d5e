//! Loopback HTTP server that writes exact bytes.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inboxd_core::ports::Fetched;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::{AddressGuard, Authorities, ClientTimeouts, GuardedFetcher};

/// Actions for one request, in order. Afterwards the server closes the connection.
#[derive(Clone)]
pub(super) enum Act {
    Write(Vec<u8>),
    Wait(Duration),
    /// Leaves the connection open for another request.
    Again,
}

/// Received request with its body.
#[derive(Clone)]
pub(super) struct Posted {
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

pub(super) struct Server {
    pub(super) address: SocketAddr,
    posted: Arc<Mutex<Vec<Posted>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    pub(super) async fn start(answer: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", answer).await
    }

    pub(super) async fn at(address: &str, answer: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let server =
            Self { address: listener.local_addr().unwrap(), posted: Arc::default(), connections: Arc::default() };
        let (posted, connections) = (Arc::clone(&server.posted), Arc::clone(&server.connections));
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&posted), Arc::clone(&answer)));
            }
        });
        server
    }

    /// Starts a server that writes the same bytes for every path.
    pub(super) async fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |_| vec![Act::Write(bytes.clone())]).await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the heads of all requests.
    pub(super) fn heads(&self) -> Vec<String> {
        self.posted().into_iter().map(|posted| posted.head).collect()
    }

    /// Returns all requests.
    pub(super) fn posted(&self) -> Vec<Posted> {
        self.posted.lock().unwrap().clone()
    }

    /// Returns the number of accepted connections.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

pub(super) async fn serve<S, F>(mut stream: S, posted: Arc<Mutex<Vec<Posted>>>, answer: Arc<F>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    F: Fn(&str) -> Vec<Act>,
{
    while let Some(request) = read_request(&mut stream).await {
        let acts = answer(request.head.split(' ').nth(1).unwrap());
        let is_kept = acts.iter().any(|act| matches!(act, Act::Again));
        posted.lock().unwrap().push(request);
        for act in acts {
            match act {
                // The client may have disconnected already, as some tests require.
                Act::Write(bytes) if stream.write_all(&bytes).await.is_err() => return,
                Act::Write(_) | Act::Again => {}
                Act::Wait(time) => tokio::time::sleep(time).await,
            }
        }
        if !is_kept {
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// Reads a request with a declared body length. Returns `None` when the client disconnected.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Posted> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Posted { head, body })
}

/// Returns a response with a content length.
pub(super) fn ok(content_type: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

pub(super) fn redirect(status: u16, location: &str) -> Vec<Act> {
    let text = format!("HTTP/1.1 {status} Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    vec![Act::Write(text.into_bytes())]
}

/// Returns a fetcher with short timeouts that may reach these networks in addition to public addresses.
pub(super) fn fetcher(allow: &[&str]) -> GuardedFetcher {
    let guard = AddressGuard::allowing(allow.iter().map(|cidr| cidr.parse().unwrap()).collect());
    let timeouts = ClientTimeouts { connect: Duration::from_secs(1), total: Duration::from_secs(3) };
    GuardedFetcher::with_timeouts(guard, &Authorities::public(), timeouts).unwrap()
}

/// Fetches with 127.0.0.1 alone permitted and returns the error text.
pub(super) async fn read(url: &str, limit: usize) -> Result<Fetched, String> {
    fetcher(&["127.0.0.1"]).get(url, limit).await.map_err(|error| error.to_string())
}

/// Returns the error text of a fetch that must fail.
pub(super) async fn refusal(url: &str, limit: usize) -> String {
    read(url, limit).await.expect_err("the read was to fail")
}
