//! A reverse proxy in front of a server as a process: nginx, `HAProxy` or Caddy.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::wait::eventually;

/// A proxy that stops when this value is dropped.
#[derive(Debug)]
pub struct ReverseProxy {
    process: Child,
    folder: TempDir,
}

impl ReverseProxy {
    /// Starts a program in the foreground and waits until it listens. `prepare` writes its files to the folder and
    /// returns the command.
    pub async fn start(listens_on: &[SocketAddr], prepare: impl FnOnce(&Path) -> Command) -> Self {
        let folder = tempfile::Builder::new().prefix("inboxd-proxy-").tempdir().unwrap();
        let mut command = prepare(folder.path());
        let log = std::fs::File::create(folder.path().join("output.log")).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).kill_on_drop(true);
        let mut proxy = Self { process: command.spawn().unwrap(), folder };
        for address in listens_on {
            eventually(&format!("the proxy listens on {address}"), async || {
                let ended = proxy.process.try_wait().unwrap();
                assert!(ended.is_none(), "the proxy has ended: {}", proxy.log());
                TcpStream::connect(address).await.ok()
            })
            .await;
        }
        proxy
    }

    /// Returns its output, for the message of a failed test.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("output.log")).unwrap_or_default()
    }

    /// Returns a free address of this machine.
    #[must_use]
    pub fn free_address() -> SocketAddr {
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
    }
}
