//! Rspamd for one test, with a separate folder and port.

use std::net::TcpListener;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::wait::eventually;

/// An rspamd without filters, which recognizes GTUBE. It stops when this value is dropped.
#[derive(Debug)]
pub struct Rspamd {
    address: String,
    process: Child,
    _folder: TempDir,
}

impl Rspamd {
    /// Starts rspamd and waits until it responds.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let path = folder.path().display();
        let settings = format!(
            r#"options {{
                pidfile = "{path}/pid"; control_socket = "{path}/control.sock mode=0600"; tempdir = "{path}";
                filters = []; local_addrs = []; dns {{ nameserver = ["127.0.0.1:9"]; timeout = 1s; }}
            }}
            logging {{ type = "file"; filename = "{path}/log"; level = "notice"; }}
            metric {{ name = "default"; actions {{ reject = 15; add_header = 6; }} }}
            worker "normal" {{ bind_socket = "{address}"; count = 1; }}"#
        );
        let file = folder.path().join("rspamd.conf");
        std::fs::write(&file, settings).unwrap();
        // `-i` permits root, for machines where tests run as root.
        let process = Command::new("rspamd")
            .args(["-i", "-f", "-c"])
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let rspamd = Self { address, process, _folder: folder };
        eventually("rspamd responds", async || rspamd.is_responding().await.then_some(())).await;
        rspamd
    }

    /// Returns the URL for `INBOXD_SPAM_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops rspamd and waits until it is unreachable.
    pub async fn stop(&mut self) {
        self.kill();
        eventually("rspamd has stopped", async || (!self.is_responding().await).then_some(())).await;
    }

    /// Kills the process group, because its workers outlive the main process.
    fn kill(&self) {
        if let Some(id) = self.process.id() {
            let _ = std::process::Command::new("kill").args(["-KILL", "--", &format!("-{id}")]).status();
        }
    }

    async fn is_responding(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.address).await else { return false };
        let mut answer = [0; 12];
        stream.write_all(b"GET /ping HTTP/1.0\r\n\r\n").await.is_ok()
            && stream.read_exact(&mut answer).await.is_ok()
            && answer.ends_with(b"200")
    }
}

impl Drop for Rspamd {
    fn drop(&mut self) {
        self.kill();
    }
}
