//! `PostgreSQL` server of one test, for outages that other tests must not see.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use inboxd_postgres::embedded::{self, Embedded, EmbeddedOptions};
use tempfile::TempDir;

use crate::database::database_folder;
use crate::wait::eventually;

/// A server with an empty database. It stops when this value is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    /// Whether its log is complete enough for a standby; commits then reach the disk.
    is_replicable: bool,
    url: String,
    running: Option<Embedded>,
}

impl PostgresServer {
    /// Starts a server.
    pub async fn start() -> Self {
        Self::start_with(false).await
    }

    /// Starts a server that standbys can follow.
    pub async fn start_replicable() -> Self {
        let server = Self::start_with(true).await;
        let access = server.cluster().join("pg_hba.conf");
        let rules = std::fs::read_to_string(&access).unwrap() + "local replication all trust\n";
        std::fs::write(&access, rules).unwrap();
        signal_server(server.folder.path(), "HUP");
        server
    }

    async fn start_with(is_replicable: bool) -> Self {
        let folder = database_folder("inboxd-postgres-").unwrap();
        // As root, the tests run the server under another account, which needs access.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let running = launch(folder.path(), is_replicable).await;
        Self { url: running.url(), folder, is_replicable, running: Some(running) }
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
        self.running = Some(launch(self.folder.path(), self.is_replicable).await);
    }

    /// Returns the folder of its data.
    pub(crate) fn cluster(&self) -> PathBuf {
        self.folder.path().join("postgres/cluster")
    }

    /// Returns the folder of its socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("postgres/socket")
    }

    /// Returns the path of a program of its version.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let server = std::fs::read_link(format!("/proc/{}/exe", process_id(self.folder.path()))).unwrap();
        server.with_file_name(name)
    }

    async fn wait_for_exit(&self) {
        let file = process_file(self.folder.path());
        eventually("the database server has stopped", async || (!file.exists()).then_some(())).await;
    }
}

async fn launch(folder: &Path, durable: bool) -> Embedded {
    let options = EmbeddedOptions { data_dir: folder.to_owned(), durable };
    embedded::start(&options).await.unwrap()
}

fn process_file(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres/cluster/postmaster.pid")
}

fn process_id(data_dir: &Path) -> String {
    let text = std::fs::read_to_string(process_file(data_dir)).unwrap();
    text.lines().next().unwrap().to_owned()
}

/// Sends a signal to the embedded server of a data directory, without waiting.
pub fn signal_server(data_dir: &Path, signal: &str) {
    let process = process_id(data_dir);
    let sent = std::process::Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status();
    assert!(sent.unwrap().success(), "kill could not signal the database server");
}
