//! A separate database for each test.
//!
//! The first test of a process starts a server in a temporary folder and migrates a template. Each test gets a copy of
//! the template in about 25 ms. The server belongs to the process, not to the runtime of the first test. When the
//! process ends in any manner, the server stops and its folder is removed.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_postgres::embedded::{self, Embedded, EmbeddedOptions};
use tempfile::TempDir;

use crate::session::SqlSession;

/// Migrated database that all others are copied from.
const TEMPLATE: &str = "template_inboxd";

/// Waits until standard input closes, which means that the test process ended; then waits for the server and removes
/// its folder.
const CLEAN_UP_SCRIPT: &str = r#"
while read -r _line; do :; done
tries=0
while [ -e "$1/postgres/cluster/postmaster.pid" ] && [ $tries -lt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
sleep 0.1
rm -rf "$1"
"#;

/// A migrated, empty database for one test, dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
}

impl TestDatabase {
    /// Returns the URL of the database, for `INBOXD_DATABASE_URL` and for pools.
    #[must_use]
    pub fn url(&self) -> String {
        cluster().server.url_of(&self.name)
    }

    /// Drops the database while clients are connected, like an outage.
    ///
    /// # Panics
    ///
    /// When the server cannot drop it.
    pub async fn force_drop(&self) {
        if let Err(error) = cluster().server.drop_database(&self.name).await {
            panic!("cannot drop the test database {}: {error}", self.name);
        }
    }

    /// Refuses new connections and ends all open ones, until [`end_outage`](Self::end_outage).
    ///
    /// # Panics
    ///
    /// When the server refuses the statements.
    pub async fn begin_outage(&self) {
        let name = &self.name;
        let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        self.administer(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
        self.administer(&end).await;
    }

    /// Accepts connections again.
    ///
    /// # Panics
    ///
    /// When the server refuses the statement.
    pub async fn end_outage(&self) {
        self.administer(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name)).await;
    }

    /// Runs SQL in the database `postgres` of the same server.
    async fn administer(&self, sql: &str) {
        let mut connection = AsyncPgConnection::establish(&cluster().server.url_of("postgres")).await.unwrap();
        connection.batch_execute(sql).await.unwrap();
    }

    /// Runs SQL, for a state that no API call reaches in time.
    ///
    /// # Panics
    ///
    /// When the SQL fails.
    pub async fn execute(&self, sql: &str) {
        if let Err(error) = self.try_execute(sql).await {
            panic!("{sql}: {error}");
        }
    }

    /// Opens a separate connection, for transactions that stay open.
    ///
    /// # Panics
    ///
    /// When the server refuses the connection.
    pub async fn session(&self) -> SqlSession {
        SqlSession::open(&self.url()).await
    }

    /// Runs SQL that may fail.
    ///
    /// # Errors
    ///
    /// The error of the server.
    pub async fn try_execute(&self, sql: &str) -> Result<(), String> {
        try_execute(&self.url(), sql).await
    }
}

/// Runs SQL that may fail, in any database.
///
/// # Errors
///
/// The error of the server.
pub async fn try_execute(url: &str, sql: &str) -> Result<(), String> {
    let connected = AsyncPgConnection::establish(url).await;
    let mut connection = connected.map_err(|error| error.to_string())?;
    connection.batch_execute(sql).await.map_err(|error| error.to_string())
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // Without that thread the database disappears with its server.
        let _ = cluster().dropped.send(std::mem::take(&mut self.name));
    }
}

/// Creates a migrated database without rows for the calling test.
///
/// # Panics
///
/// When no server runs: the test cannot continue.
pub async fn database() -> TestDatabase {
    create(Some(TEMPLATE)).await
}

/// Creates a database without tables for the calling test.
///
/// # Panics
///
/// When no server runs: the test cannot continue.
pub async fn empty_database() -> TestDatabase {
    create(None).await
}

async fn create(template: Option<&str>) -> TestDatabase {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let created = cluster().server.create_database(&name, template);
    if let Err(error) = created.await {
        panic!("cannot create a test database: {error}");
    }
    TestDatabase { name }
}

/// The server of this process.
struct Cluster {
    server: Embedded,
    dropped: Sender<String>,
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let (dropped, to_drop) = channel();
        // A separate thread and runtime, because the caller may be inside the runtime of a test.
        let started = std::thread::spawn(|| runtime().block_on(start()));
        let Ok(server) = started.join() else {
            panic!("cannot start the database server, see above");
        };
        std::thread::spawn(|| drop_databases(to_drop));
        Cluster { server, dropped }
    })
}

async fn start() -> Embedded {
    let folder = match database_folder("inboxd-test-") {
        Ok(folder) => folder.keep(),
        Err(error) => panic!("cannot create a temporary folder: {error}"),
    };
    spawn_clean_up(&folder);
    // As root, the tests run the server under another account, which needs access.
    if let Err(error) = std::fs::set_permissions(&folder, Permissions::from_mode(0o755)) {
        panic!("cannot set the permissions of {}: {error}", folder.display());
    }
    let options = EmbeddedOptions { data_dir: folder, durable: false };
    match create_template(&options).await {
        Ok(server) => server,
        Err(error) => panic!("cannot start the database server: {error}"),
    }
}

/// Creates a folder for a database server or the data of inboxd, in memory where 4 GiB are free: each test database is
/// 900 files, disks take twice the time to create and delete them, and no test needs data that survives a power failure.
///
/// # Errors
///
/// When the folder cannot be created.
pub fn database_folder(prefix: &str) -> std::io::Result<TempDir> {
    const MEMORY: &str = "/dev/shm";
    const FREE_BYTES: u64 = 4 << 30;
    let is_free = rustix::fs::statvfs(MEMORY).is_ok_and(|found| found.f_bavail * found.f_frsize > FREE_BYTES);
    let parent = if is_free { PathBuf::from(MEMORY) } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix(prefix).tempdir_in(parent)
}

async fn create_template(options: &EmbeddedOptions) -> Result<Embedded, Box<dyn std::error::Error>> {
    let server = embedded::start(options).await?;
    server.create_database(TEMPLATE, None).await?;
    inboxd_postgres::migrate(&server.url_of(TEMPLATE)).await?;
    Ok(server)
}

/// Starts a process that removes the folder after this process and the server have ended. The system closes its input
/// when this process ends.
fn spawn_clean_up(folder: &Path) {
    let started = Command::new("sh")
        .args(["-c", CLEAN_UP_SCRIPT, "inboxd-test-clean-up"])
        .arg(folder)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    match started {
        Ok(process) => std::mem::forget(process),
        Err(error) => panic!("cannot run sh: {error}"),
    }
}

/// Drops the databases of finished tests, so that a long run does not fill the disk.
fn drop_databases(names: Receiver<String>) {
    let runtime = runtime();
    for name in names {
        if let Err(error) = runtime.block_on(cluster().server.drop_database(&name)) {
            eprintln!("cannot drop the test database {name} before the end: {error}");
        }
    }
}

/// Builds a multi-thread runtime, because migrations block their thread.
fn runtime() -> tokio::runtime::Runtime {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    match built {
        Ok(runtime) => runtime,
        Err(error) => panic!("cannot build a runtime: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn test_database_is_separate_for_each_test() {
        let (first, second) = tokio::join!(database(), database());
        assert_ne!(first.url(), second.url());
        assert!(first.url().starts_with("postgres://"));
    }

    #[tokio::test]
    async fn test_database_is_dropped_with_its_value() {
        let database = database().await;
        let name = database.name.clone();
        drop(database);
        let server = &cluster().server;
        // The name is free again after the database was dropped.
        while server.create_database(&name, None).await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        server.drop_database(&name).await.ok();
    }

    #[test]
    fn server_outlives_the_runtime_of_a_test() {
        for _ in 0..2 {
            let database = runtime().block_on(database());
            assert!(database.url().contains("test_"));
        }
    }
}
