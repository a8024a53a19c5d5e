//! Relay that delays its greeting.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Content of complete mails, and the number of clients.
#[derive(Default)]
struct Taken {
    is_slow: AtomicBool,
    clients: AtomicUsize,
    mails: Mutex<Vec<String>>,
}

/// A relay that stops when this value is dropped.
pub(super) struct SlowRelay {
    port: u16,
    taken: Arc<Taken>,
}

impl SlowRelay {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken = Arc::new(Taken::default());
        let serving = Arc::clone(&taken);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, Arc::clone(&serving)));
            }
        });
        Self { port, taken }
    }

    pub(super) fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Makes the relay slow, or fast again.
    pub(super) fn set_slow(&self, is_slow: bool) {
        self.taken.is_slow.store(is_slow, Ordering::SeqCst);
    }

    /// Returns the number of clients so far.
    pub(super) fn clients(&self) -> usize {
        self.taken.clients.load(Ordering::SeqCst)
    }

    /// Returns whether a mail with this text was accepted.
    pub(super) fn has(&self, text: &str) -> bool {
        self.taken.mails.lock().unwrap().iter().any(|mail| mail.contains(text))
    }
}

async fn serve(client: TcpStream, taken: Arc<Taken>) -> Option<()> {
    taken.clients.fetch_add(1, Ordering::SeqCst);
    if taken.is_slow.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1500)).await;
    }
    let mut client = BufReader::new(client);
    client.write_all(b"220 relay.example ESMTP\r\n").await.ok()?;
    let (mut line, mut mail, mut is_content) = (String::new(), String::new(), false);
    loop {
        line.clear();
        if client.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let reply = match line.trim_end() {
            "." if is_content => {
                taken.mails.lock().unwrap().push(std::mem::take(&mut mail));
                // No connection is reused for a later mail.
                return client.write_all(b"250 2.0.0 taken\r\n").await.ok();
            }
            _ if is_content => {
                mail.push_str(&line);
                continue;
            }
            "DATA" => {
                is_content = true;
                "354 go on"
            }
            "QUIT" => "221 2.0.0 bye",
            _ => "250 ok",
        };
        client.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
    }
}
