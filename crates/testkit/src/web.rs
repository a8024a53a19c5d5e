//! A server of one file, for attachments that are given by their URL.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

/// More requests than any test sends.
const MANY: usize = 1000;

/// Answers every request with the same. It ends with this value.
#[derive(Debug)]
pub struct Web {
    port: u16,
    /// How many requests came, and how many may be answered.
    asked: Arc<AtomicUsize>,
    answers: Arc<Semaphore>,
    listening: JoinHandle<()>,
}

impl Web {
    /// Starts one that serves a file.
    pub async fn serve(content_type: &str, content: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            content.len()
        );
        Self::answer([head.as_bytes(), content].concat()).await
    }

    /// Starts one that serves a file when it is [released](Self::release).
    pub async fn held(content_type: &str, content: &[u8]) -> Self {
        let web = Self::serve(content_type, content).await;
        web.answers.forget_permits(MANY);
        web
    }

    /// Answers every request, those that wait included.
    pub fn release(&self) {
        self.answers.add_permits(MANY);
    }

    /// How many requests came so far.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Starts one that answers these octets, head included.
    pub async fn answer(octets: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, answers) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(MANY)));
        let (counted, allowed) = (Arc::clone(&asked), Arc::clone(&answers));
        let listening = tokio::spawn(async move {
            let mut running = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (octets, counted, allowed) = (octets.clone(), Arc::clone(&counted), Arc::clone(&allowed));
                running.spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let mut line = String::new();
                    while stream.read_line(&mut line).await.is_ok_and(|read| read > 2) {
                        line.clear();
                    }
                    counted.fetch_add(1, Ordering::SeqCst);
                    let _ = allowed.acquire().await;
                    let _ = stream.write_all(&octets).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { port, asked, answers, listening }
    }

    /// The URL of the file.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/file", self.port)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
