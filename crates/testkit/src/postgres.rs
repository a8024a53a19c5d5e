//! `PostgreSQL` server of one test, for outages that other tests must not see.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use inboxd_postgres::embedded::{self, Embedded, EmbeddedOptions};
use tempfile::TempDir;

use crate::wait::eventually;

/// A server with an empty database. It stops when this value is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    url: String,
    running: Option<Embedded>,
}

impl PostgresServer {
    /// Starts a server.
    pub async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("inboxd-postgres-").tempdir().unwrap();
        // As root, the tests run the server under another account, which needs access.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let running = launch(folder.path()).await;
        Self { url: running.url(), folder, running: Some(running) }
    }

    /// Returns the URL of the database, also during an outage.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops the server like `pg_ctl stop -m immediate`: it completes nothing and writes nothing more.
    pub async fn stop_immediately(&mut self) {
        signal_server(self.folder.path(), "QUIT");
        self.wait_for_exit().await;
    }

    /// Kills the server; its supervisor restarts it.
    pub fn kill(&self) {
        signal_server(self.folder.path(), "KILL");
    }

    /// Restarts the server in the same folder.
    pub async fn restart(&mut self) {
        self.running = Some(launch(self.folder.path()).await);
    }

    async fn wait_for_exit(&self) {
        let file = process_file(self.folder.path());
        eventually("the database server has stopped", async || (!file.exists()).then_some(())).await;
    }
}

async fn launch(folder: &Path) -> Embedded {
    let options = EmbeddedOptions { data_dir: folder.to_owned(), durable: false };
    embedded::start(&options).await.unwrap()
}

fn process_file(data_dir: &Path) -> std::path::PathBuf {
    data_dir.join("postgres/cluster/postmaster.pid")
}

/// Sends a signal to the embedded server of a data directory, without waiting.
pub fn signal_server(data_dir: &Path, signal: &str) {
    let text = std::fs::read_to_string(process_file(data_dir)).unwrap();
    let process = text.lines().next().unwrap().to_owned();
    let sent = std::process::Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status();
    assert!(sent.unwrap().success(), "kill could not signal the database server");
}
