//! A `PostgreSQL` server of one test, for what no other test may see: outages.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use inboxd_postgres::embedded::{self, Embedded, Options};
use tempfile::TempDir;

use crate::patience::eventually;

/// A server with an empty database. It ends with this value.
#[derive(Debug)]
pub struct Postgres {
    folder: TempDir,
    url: String,
    running: Option<Embedded>,
}

impl Postgres {
    /// Starts one.
    pub async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("inboxd-postgres-").tempdir().unwrap();
        // The account that the server runs as, where the tests run as root, has to get in.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let running = launch(folder.path()).await;
        Self { url: running.url(), folder, running: Some(running) }
    }

    /// The address of the database, whether or not it is there.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops the server at once, as `pg_ctl stop -m immediate` does: nothing is finished, nothing is written any more.
    pub async fn stop_at_once(&mut self) {
        signal_server(self.folder.path(), "QUIT");
        self.gone().await;
    }

    /// Kills the server; its supervisor starts it again soon.
    pub fn kill(&self) {
        signal_server(self.folder.path(), "KILL");
    }

    /// Starts it again where it was.
    pub async fn start_again(&mut self) {
        self.running = Some(launch(self.folder.path()).await);
    }

    async fn gone(&self) {
        let file = process_file(self.folder.path());
        eventually("the database server has gone", async || (!file.exists()).then_some(())).await;
    }
}

async fn launch(folder: &Path) -> Embedded {
    let options = Options { data_dir: folder.to_owned(), durable: false };
    embedded::start(&options).await.unwrap()
}

fn process_file(data_dir: &Path) -> std::path::PathBuf {
    data_dir.join("postgres/cluster/postmaster.pid")
}

/// Sends a signal to the embedded database server of a data directory, and does not wait.
pub fn signal_server(data_dir: &Path, signal: &str) {
    let text = std::fs::read_to_string(process_file(data_dir)).unwrap();
    let process = text.lines().next().unwrap().to_owned();
    let sent = std::process::Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status();
    assert!(sent.unwrap().success(), "kill could not signal the database server");
}
