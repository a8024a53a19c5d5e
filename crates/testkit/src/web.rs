//! A server of one file, for attachments that are given by their URL.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Answers every request with the same. It ends with this value.
#[derive(Debug)]
pub struct Web {
    port: u16,
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

    /// Starts one that answers these octets, head included.
    pub async fn answer(octets: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                let mut line = String::new();
                while stream.read_line(&mut line).await.is_ok_and(|read| read > 2) {
                    line.clear();
                }
                let _ = stream.write_all(&octets).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { port, listening }
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
