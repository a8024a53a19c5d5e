//! The head of an answer whose body goes on, or is no body at all.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::answer::Answer;
use crate::patience::PATIENCE;

/// The most octets of a head.
const LONGEST: usize = 64 * 1024;

/// Reads the head of an answer and nothing behind it.
pub(crate) async fn read_head(what: String, stream: &mut TcpStream) -> Answer {
    let mut octets = Vec::new();
    let reading = async {
        while !octets.ends_with(b"\r\n\r\n") {
            octets.push(stream.read_u8().await.unwrap());
            assert!(octets.len() < LONGEST, "{what}: the head does not end");
        }
    };
    assert!(tokio::time::timeout(PATIENCE, reading).await.is_ok(), "{what}: no answer within {PATIENCE:?}");
    let read = Answer::head(what, &octets);
    read.unwrap_or_else(|| panic!("no status line: {:?}", String::from_utf8_lossy(&octets)))
}

impl Answer {
    /// The answer with its body, which says how long it is.
    pub(crate) async fn with_body(mut self, stream: &mut TcpStream) -> Self {
        let length = self.header("Content-Length").and_then(|length| length.parse().ok());
        self.body = vec![0; length.unwrap()];
        stream.read_exact(&mut self.body).await.unwrap();
        self
    }
}
