//! Response heads of streams and upgraded connections.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::api_response::ApiResponse;
use crate::wait::WAIT_TIMEOUT;

/// Maximum size of a response head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Reads the head of a response and leaves the body on the stream.
pub(crate) async fn read_head(call: String, stream: &mut TcpStream) -> ApiResponse {
    let mut bytes = Vec::new();
    let reading = async {
        while !bytes.ends_with(b"\r\n\r\n") {
            bytes.push(stream.read_u8().await.unwrap());
            assert!(bytes.len() < MAX_HEAD_BYTES, "{call}: the head does not end");
        }
    };
    assert!(tokio::time::timeout(WAIT_TIMEOUT, reading).await.is_ok(), "{call}: no response within {WAIT_TIMEOUT:?}");
    let read = ApiResponse::head(call, &bytes);
    read.unwrap_or_else(|| panic!("no status line: {:?}", String::from_utf8_lossy(&bytes)))
}

impl ApiResponse {
    /// Reads the body by its `Content-Length`.
    pub(crate) async fn with_body(mut self, stream: &mut TcpStream) -> Self {
        let length = self.header("Content-Length").and_then(|length| length.parse().ok());
        self.body = vec![0; length.unwrap()];
        stream.read_exact(&mut self.body).await.unwrap();
        self
    }
}
