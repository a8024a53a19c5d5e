//! TCP proxy in front of a test database, which can stop forwarding.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::task::JoinHandle;

/// A proxy that stops when this value is dropped.
#[derive(Debug)]
pub struct TcpProxy {
    port: u16,
    database: String,
    is_paused: Arc<AtomicBool>,
    listening: JoinHandle<()>,
}

impl TcpProxy {
    /// Starts a proxy in front of the database of a URL with a Unix socket.
    pub async fn start(url: &str) -> Self {
        let (server, folder) = url.split_once("?host=").unwrap();
        let (_, database) = server.rsplit_once('/').unwrap();
        let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_paused = Arc::new(AtomicBool::new(false));
        let paused = Arc::clone(&is_paused);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (socket, paused) = (socket.clone(), Arc::clone(&paused));
                tokio::spawn(async move {
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = UnixStream::connect(&socket).await.unwrap().into_split();
                    tokio::join!(
                        forward(from_client, to_server, Arc::clone(&paused)),
                        forward(from_server, to_client, Arc::clone(&paused)),
                    );
                });
            }
        });
        Self { port, database: database.to_owned(), is_paused, listening }
    }

    /// Returns the URL of the database through the proxy.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://inboxd@127.0.0.1:{}/{}", self.port, self.database)
    }

    /// Stops forwarding without closing connections, like a host that disappeared.
    pub fn stop_forwarding(&self) {
        self.is_paused.store(true, Ordering::SeqCst);
    }

    /// Forwards the bytes of new connections again.
    pub fn resume_forwarding(&self) {
        self.is_paused.store(false, Ordering::SeqCst);
    }
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Forwards bytes until one side closes. A paused connection stays paused.
async fn forward(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, paused: Arc<AtomicBool>) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if paused.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
