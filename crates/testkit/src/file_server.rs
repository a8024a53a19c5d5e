//! HTTP server of one file, for attachments by URL.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

/// More requests than any test sends.
const MAX_REQUESTS: usize = 1000;

/// A server with one response to all requests. It stops when this value is dropped.
#[derive(Debug)]
pub struct FileServer {
    port: u16,
    /// Number of requests, and permits for responses.
    requests: Arc<AtomicUsize>,
    permits: Arc<Semaphore>,
    listening: JoinHandle<()>,
}

impl FileServer {
    /// Starts a server of a file.
    pub async fn start(content_type: &str, content: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            content.len()
        );
        Self::start_with_response([head.as_bytes(), content].concat()).await
    }

    /// Starts a server that responds after it is [released](Self::release).
    pub async fn start_held(content_type: &str, content: &[u8]) -> Self {
        let server = Self::start(content_type, content).await;
        server.permits.forget_permits(MAX_REQUESTS);
        server
    }

    /// Responds to all requests, also to waiting ones.
    pub fn release(&self) {
        self.permits.add_permits(MAX_REQUESTS);
    }

    /// Returns the number of requests so far.
    #[must_use]
    pub fn request_count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Starts a server with this complete response, including the head.
    pub async fn start_with_response(bytes: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (requests, permits) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(MAX_REQUESTS)));
        let (counted, allowed) = (Arc::clone(&requests), Arc::clone(&permits));
        let listening = tokio::spawn(async move {
            let mut running = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (bytes, counted, allowed) = (bytes.clone(), Arc::clone(&counted), Arc::clone(&allowed));
                running.spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let mut line = String::new();
                    while stream.read_line(&mut line).await.is_ok_and(|read| read > 2) {
                        line.clear();
                    }
                    counted.fetch_add(1, Ordering::SeqCst);
                    let _ = allowed.acquire().await;
                    let _ = stream.write_all(&bytes).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { port, requests, permits, listening }
    }

    /// Returns the URL of the file.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/file", self.port)
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
