//! A server that webhooks are sent to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::patience::eventually;

/// What the receiver was told, once.
#[derive(Debug, Clone)]
pub struct Told {
    /// The path that it was sent to.
    pub path: String,
    /// The fields of its header, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, octet for octet.
    pub body: Vec<u8>,
}

impl Told {
    /// The value of a field; empty where it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The event that it is about.
    #[must_use]
    pub fn event(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What the receiver does when it is told something.
#[derive(Debug, Clone)]
pub enum Reaction {
    /// Answers with this status and keeps the connection.
    Status(u16),
    /// Answers 200 once it is [released](Receiver::release).
    Hold,
    /// Answers these octets and closes the connection.
    Octets(Vec<u8>),
    /// Does not answer, and keeps the connection as long as the other side does.
    Hang,
}

type React = Box<dyn Fn(&Told) -> Reaction + Send>;

/// A receiver of webhooks. It ends with this value.
pub struct Receiver {
    port: u16,
    shared: Arc<Shared>,
    listening: JoinHandle<()>,
}

struct Shared {
    told: Mutex<Vec<Told>>,
    react: Mutex<React>,
    connections: AtomicUsize,
    answers: Semaphore,
}

impl Receiver {
    /// Starts one that answers 200.
    pub async fn start() -> Self {
        Self::reacting(|_| Reaction::Status(200)).await
    }

    /// Starts one that reacts so.
    pub async fn reacting(react: impl Fn(&Told) -> Reaction + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            told: Mutex::default(),
            react: Mutex::new(Box::new(react)),
            connections: AtomicUsize::new(0),
            answers: Semaphore::new(0),
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

    /// From now on it reacts so.
    pub fn react(&self, react: impl Fn(&Told) -> Reaction + Send + 'static) {
        *self.shared.react.lock().unwrap() = Box::new(react);
    }

    /// Answers all that it holds, and will hold.
    pub fn release(&self) {
        self.shared.answers.close();
    }

    /// Where it is told.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    /// All that it was told, in the order in which it came.
    #[must_use]
    pub fn told(&self) -> Vec<Told> {
        self.shared.told.lock().unwrap().clone()
    }

    /// How many connections were made to it.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits until it was told so many things, and answers all of them.
    pub async fn until(&self, count: usize) -> Vec<Told> {
        eventually(&format!("the receiver is told {count} things"), async || {
            let told = self.told();
            (told.len() >= count).then_some(told)
        })
        .await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let mut stream = BufReader::new(stream);
    while let Some(told) = read(&mut stream).await {
        let reaction = (shared.react.lock().unwrap())(&told);
        shared.told.lock().unwrap().push(told);
        let status = match reaction {
            Reaction::Status(status) => status,
            Reaction::Hold => {
                // It is closed when the answers are released.
                let _ = shared.answers.acquire().await;
                200
            }
            Reaction::Octets(octets) => {
                let _ = stream.write_all(&octets).await;
                let _ = stream.shutdown().await;
                return;
            }
            Reaction::Hang => {
                // Ends when the other side hangs up.
                let _ = stream.read_u8().await;
                return;
            }
        };
        let answer = format!("HTTP/1.1 {status} So\r\nContent-Length: 4\r\n\r\nsaid");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads a request; `None` when there is no more.
async fn read(stream: &mut BufReader<TcpStream>) -> Option<Told> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
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
    Some(Told { path, headers, body })
}
