//! A database of its own for every test.
//!
//! The first test of a process starts a server in a temporary folder and migrates a template; each test gets a copy of
//! the template, which takes some 25 ms. The server belongs to the process, not to the runtime of the test that happened
//! to come first, and goes with it: when the process ends, however it ends, the server stops and its folder is removed.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_postgres::embedded::{self, Embedded, Options};

use crate::session::Session;

/// The migrated database that the others are copies of.
const TEMPLATE: &str = "template_inboxd";

/// Waits for the end of the process, which is the end of its input, then for that of the server, and cleans up.
const CLEAN_UP: &str = r#"
while read -r _line; do :; done
tries=0
while [ -e "$1/postgres/cluster/postmaster.pid" ] && [ $tries -lt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
sleep 0.1
rm -rf "$1"
"#;

/// A migrated, empty database that nobody else uses. It is dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
}

impl TestDatabase {
    /// The address of the database, for `INBOXD_DATABASE_URL` and for pools.
    #[must_use]
    pub fn url(&self) -> String {
        cluster().server.url_of(&self.name)
    }

    /// Takes the database away from whoever uses it, as an outage would.
    ///
    /// # Panics
    ///
    /// When the server does not let go of it.
    pub async fn take_away(&self) {
        if let Err(error) = cluster().server.drop_database(&self.name).await {
            panic!("the test database {} stays: {error}", self.name);
        }
    }

    /// Lets nobody in, and ends all connections: an outage until [`end_outage`](Self::end_outage).
    ///
    /// # Panics
    ///
    /// When the server does not do so.
    pub async fn begin_outage(&self) {
        let name = &self.name;
        let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        self.administer(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
        self.administer(&end).await;
    }

    /// Lets everybody in again.
    ///
    /// # Panics
    ///
    /// When the server does not do so.
    pub async fn end_outage(&self) {
        self.administer(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name)).await;
    }

    /// Runs SQL from beside the database.
    async fn administer(&self, sql: &str) {
        let mut beside = AsyncPgConnection::establish(&cluster().server.url_of("postgres")).await.unwrap();
        beside.batch_execute(sql).await.unwrap();
    }

    /// Runs SQL: for a test that needs a state which no call brings about in time.
    ///
    /// # Panics
    ///
    /// When the SQL is wrong.
    pub async fn execute(&self, sql: &str) {
        if let Err(error) = self.try_execute(sql).await {
            panic!("{sql}: {error}");
        }
    }

    /// A connection of one's own, for what has to stay open.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub async fn session(&self) -> Session {
        Session::open(&self.url()).await
    }

    /// Runs SQL that may fail.
    ///
    /// # Errors
    ///
    /// What the server says.
    pub async fn try_execute(&self, sql: &str) -> Result<(), String> {
        try_execute(&self.url(), sql).await
    }
}

/// Runs SQL on any database, which may fail.
///
/// # Errors
///
/// What the server says.
pub async fn try_execute(url: &str, sql: &str) -> Result<(), String> {
    let connected = AsyncPgConnection::establish(url).await;
    let mut connection = connected.map_err(|error| error.to_string())?;
    connection.batch_execute(sql).await.map_err(|error| error.to_string())
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // Without a thread to drop it, the database goes with its server.
        let _ = cluster().dropped.send(std::mem::take(&mut self.name));
    }
}

/// Makes a fresh database for the calling test.
///
/// # Panics
///
/// When there is no server: a test cannot go on without one.
pub async fn database() -> TestDatabase {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let made = cluster().server.create_database(&name, Some(TEMPLATE));
    if let Err(error) = made.await {
        panic!("no database for this test: {error}");
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
        // A thread with a runtime of its own, since the caller may be inside the runtime of a test.
        let started = std::thread::spawn(|| runtime().block_on(start()));
        let Ok(server) = started.join() else {
            panic!("no database server for the tests, see above");
        };
        std::thread::spawn(|| drop_databases(to_drop));
        Cluster { server, dropped }
    })
}

async fn start() -> Embedded {
    let folder = match tempfile::Builder::new().prefix("inboxd-test-").tempdir() {
        Ok(folder) => folder.keep(),
        Err(error) => panic!("no temporary folder: {error}"),
    };
    clean_up_afterwards(&folder);
    // The account that the server runs as, where the tests run as root, has to get in.
    if let Err(error) = std::fs::set_permissions(&folder, Permissions::from_mode(0o755)) {
        panic!("cannot open {} to the server: {error}", folder.display());
    }
    let options = Options { data_dir: folder, durable: false };
    match make_template(&options).await {
        Ok(server) => server,
        Err(error) => panic!("no database server for the tests: {error}"),
    }
}

async fn make_template(options: &Options) -> Result<Embedded, Box<dyn std::error::Error>> {
    let server = embedded::start(options).await?;
    server.create_database(TEMPLATE, None).await?;
    inboxd_postgres::migrate(&server.url_of(TEMPLATE)).await?;
    Ok(server)
}

/// Leaves a process behind that removes the folder when this process and the server have gone. Its input is never
/// written to, and closed by the system.
fn clean_up_afterwards(folder: &Path) {
    let started = Command::new("sh")
        .args(["-c", CLEAN_UP, "inboxd-test-clean-up"])
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

/// Drops the databases of tests that are over, so that a long run does not fill the disk.
fn drop_databases(names: Receiver<String>) {
    let runtime = runtime();
    for name in names {
        if let Err(error) = runtime.block_on(cluster().server.drop_database(&name)) {
            eprintln!("the test database {name} stays until the end: {error}");
        }
    }
}

/// Migrations block their thread, which takes a runtime of several.
fn runtime() -> tokio::runtime::Runtime {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    match built {
        Ok(runtime) => runtime,
        Err(error) => panic!("no runtime for the test database: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_test_has_a_database_of_its_own() {
        let (first, second) = tokio::join!(database(), database());
        assert_ne!(first.url(), second.url());
        assert!(first.url().starts_with("postgres://"));
    }

    #[tokio::test]
    async fn a_database_goes_with_its_test() {
        let database = database().await;
        let name = database.name.clone();
        drop(database);
        let server = &cluster().server;
        // The name is free again once the database has been dropped.
        while server.create_database(&name, None).await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        server.drop_database(&name).await.ok();
    }

    #[test]
    fn the_server_serves_one_runtime_after_the_other() {
        for _ in 0..2 {
            let database = runtime().block_on(database());
            assert!(database.url().contains("test_"));
        }
    }
}
