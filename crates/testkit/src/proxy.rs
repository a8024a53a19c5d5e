//! A TCP proxy before a test database, which can fall silent.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::task::JoinHandle;

/// A proxy. It ends with this value.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    database: String,
    is_silent: Arc<AtomicBool>,
    listening: JoinHandle<()>,
}

impl Proxy {
    /// Starts one before the database of a URL with a socket.
    pub async fn start(url: &str) -> Self {
        let (server, folder) = url.split_once("?host=").unwrap();
        let (_, database) = server.rsplit_once('/').unwrap();
        let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_silent = Arc::new(AtomicBool::new(false));
        let silent = Arc::clone(&is_silent);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (socket, silent) = (socket.clone(), Arc::clone(&silent));
                tokio::spawn(async move {
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = UnixStream::connect(&socket).await.unwrap().into_split();
                    tokio::join!(
                        pass(from_client, to_server, Arc::clone(&silent)),
                        pass(from_server, to_client, Arc::clone(&silent)),
                    );
                });
            }
        });
        Self { port, database: database.to_owned(), is_silent, listening }
    }

    /// The address of the database behind it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://inboxd@127.0.0.1:{}/{}", self.port, self.database)
    }

    /// Passes nothing on from now on, and ends nothing, like a host that vanished.
    pub fn fall_silent(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
    }

    /// Passes on what comes on new connections.
    pub fn answer_again(&self) {
        self.is_silent.store(false, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Passes bytes on until one side ends. A connection that met silence stays silent.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, silent: Arc<AtomicBool>) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
