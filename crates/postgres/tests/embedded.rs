//! Embedded server, started for real. The tests run as root and as an ordinary user.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use diesel::sql_types::Integer;
use diesel::{QueryableByName, sql_query};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_postgres::embedded::{self, Embedded, EmbeddedError, EmbeddedOptions, EmbeddedState};

/// A data directory that the database account can access, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("inboxd-embedded-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    async fn start(&self) -> Embedded {
        self.try_start().await.unwrap()
    }

    async fn try_start(&self) -> Result<Embedded, EmbeddedError> {
        let options = EmbeddedOptions { data_dir: self.0.clone(), durable: false };
        embedded::start(&options).await
    }

    fn process_file(&self) -> PathBuf {
        self.0.join("postgres/cluster/postmaster.pid")
    }

    fn server_process(&self) -> String {
        let text = std::fs::read_to_string(self.process_file()).unwrap();
        text.lines().next().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn execute(url: &str, statement: &str) {
    let mut connection = AsyncPgConnection::establish(url).await.unwrap();
    connection.batch_execute(statement).await.unwrap();
}

/// Returns the only number in the table `kept`.
async fn kept(url: &str) -> i32 {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Integer)]
        number: i32,
    }
    let mut connection = AsyncPgConnection::establish(url).await.unwrap();
    let row: Row = sql_query("SELECT number FROM kept").get_result(&mut connection).await.unwrap();
    row.number
}

const KEEP: &str = "CREATE TABLE kept (number integer); INSERT INTO kept VALUES (42)";

async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !done().await {
        assert!(begun.elapsed() < Duration::from_secs(30), "not yet: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn kill(process: &str) {
    let killed = Command::new("sh").args(["-c", &format!("kill -9 {process}")]).status();
    assert!(killed.unwrap().success());
}

fn parent_of(process: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("PPid:")).unwrap();
    line.trim_start_matches("PPid:").trim().to_owned()
}

#[tokio::test]
async fn data_survives_restart() {
    let folder = Folder::new();
    let server = folder.start().await;
    assert!(!server.joined());
    assert_eq!(server.relocated(), None);
    execute(&server.url(), KEEP).await;
    server.stop().await.unwrap();
    assert!(!folder.process_file().exists());

    let server = folder.start().await;
    assert!(!server.joined());
    assert_eq!(kept(&server.url()).await, 42);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn connection_of_other_account_is_refused() {
    let folder = Folder::new();
    let server = folder.start().await;
    let home = std::fs::metadata(folder.0.join("postgres")).unwrap();
    let socket = std::fs::metadata(folder.0.join("postgres/socket")).unwrap();
    assert_eq!(home.mode() & 0o777, 0o700);
    assert_eq!(socket.mode() & 0o777, 0o700);
    assert_ne!(home.uid(), 0, "the server account is root");
    let listening = std::fs::read_to_string(folder.process_file()).unwrap();
    assert_eq!(listening.lines().nth(5), Some(""), "a TCP address");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn second_start_shares_server_until_last_stop() {
    let folder = Folder::new();
    let first = folder.start().await;
    execute(&first.url(), KEEP).await;
    let second = folder.start().await;
    assert!(second.joined());
    assert_eq!(kept(&second.url()).await, 42);

    second.stop().await.unwrap();
    assert_eq!(kept(&first.url()).await, 42);

    let third = folder.start().await;
    first.stop().await.unwrap();
    assert_eq!(kept(&third.url()).await, 42);
    third.stop().await.unwrap();
    assert!(!folder.process_file().exists());
}

#[tokio::test]
async fn concurrent_starts_share_one_server() {
    let folder = Folder::new();
    let (first, second) = tokio::join!(folder.start(), folder.start());
    assert_ne!(first.joined(), second.joined());
    first.stop().await.unwrap();
    execute(&second.url(), KEEP).await;
    second.stop().await.unwrap();
}

#[tokio::test]
async fn server_stops_when_last_holder_dies() {
    let folder = Folder::new();
    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    // A killed process releases its hold only by the closing of its files.
    drop(server);
    until("the server has gone", async || !folder.process_file().exists()).await;
}

#[tokio::test]
async fn start_after_death_of_last_holder_has_stable_server() {
    let folder = Folder::new();
    let mut server = folder.start().await;
    execute(&server.url(), KEEP).await;
    for _ in 0..5 {
        drop(server);
        server = folder.start().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(kept(&server.url()).await, 42);
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn killed_server_restarts_with_its_data() {
    let folder = Folder::new();
    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    let before = folder.server_process();
    kill(&before);
    let url = server.url();
    until("the server is back", async || AsyncPgConnection::establish(&url).await.is_ok()).await;
    assert_ne!(folder.server_process(), before);
    assert_eq!(kept(&url).await, 42);
    server.stop().await.unwrap();
    assert!(!folder.process_file().exists());
}

#[tokio::test]
async fn server_killed_with_supervisor_restarts_in_its_folder() {
    let folder = Folder::new();
    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    let process = folder.server_process();
    kill(&parent_of(&process));
    kill(&process);
    drop(server);
    assert!(folder.process_file().exists(), "a stale process file remains");

    let server = folder.start().await;
    assert!(!server.joined());
    assert_eq!(kept(&server.url()).await, 42);
    server.stop().await.unwrap();
}

/// Supervises a server until it runs again.
async fn tend(server: &mut Embedded) {
    let begun = Instant::now();
    while server.tend().await.unwrap() != EmbeddedState::Restarted {
        assert!(begun.elapsed() < Duration::from_secs(30), "the server does not restart");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn stopped_or_killed_server_is_restarted_by_its_supervising_process() {
    let folder = Folder::new();
    let mut server = folder.start().await;
    execute(&server.url(), KEEP).await;
    let url = server.url();
    assert_eq!(server.tend().await.unwrap(), EmbeddedState::Well);
    // Stopped in order, stopped immediately, killed, and killed with its supervisor.
    for signal in ["INT", "QUIT", "KILL", "all"] {
        let before = folder.server_process();
        if signal == "all" {
            kill(&parent_of(&before));
        }
        let name = if signal == "all" { "KILL" } else { signal };
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {before}")]).status();
        assert!(sent.unwrap().success());
        tend(&mut server).await;
        assert_ne!(folder.server_process(), before, "{signal}");
        until("it answers", async || AsyncPgConnection::establish(&url).await.is_ok()).await;
        assert_eq!(kept(&url).await, 42, "{signal}");
        assert_eq!(server.tend().await.unwrap(), EmbeddedState::Well);
    }
    server.stop().await.unwrap();
    assert!(!folder.process_file().exists());
}

#[tokio::test]
async fn concurrent_supervision_starts_one_server() {
    let folder = Folder::new();
    let (mut first, mut second) = (folder.start().await, folder.start().await);
    execute(&first.url(), KEEP).await;
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", folder.server_process())]).status();
    assert!(sent.unwrap().success());
    tokio::join!(tend(&mut first), tend(&mut second));
    // Both processes hold it, independent of which one started it.
    first.stop().await.unwrap();
    assert_eq!(kept(&second.url()).await, 42);
    second.stop().await.unwrap();
    assert!(!folder.process_file().exists());
}

#[tokio::test]
async fn orphaned_server_is_adopted() {
    let folder = Folder::new();
    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    let process = folder.server_process();
    let supervisor = parent_of(&process);
    // The watcher, a shell too, ends with the supervisor.
    let children = Command::new("sh")
        .args([
            "-c",
            r#"for f in /proc/[0-9]*/status; do
            grep -qs "^PPid:[[:space:]]*$1\$" "$f" && basename "$(dirname "$f")"; done; true"#,
        ])
        .args(["sh", &supervisor])
        .output()
        .unwrap();
    kill(&supervisor);
    for child in String::from_utf8(children.stdout).unwrap().lines() {
        if child != process {
            kill(child);
        }
    }
    drop(server);

    let server = folder.start().await;
    assert!(server.joined());
    assert_eq!(folder.server_process(), process);
    assert_eq!(kept(&server.url()).await, 42);
    server.stop().await.unwrap();
    assert!(!folder.process_file().exists());
}

#[tokio::test]
async fn process_file_of_other_process_does_not_prevent_start() {
    let folder = Folder::new();
    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    let process = folder.server_process();
    let text = std::fs::read_to_string(folder.process_file()).unwrap();
    kill(&parent_of(&process));
    kill(&process);
    drop(server);
    // As after a container restart: a process of the same account has the id of the dead server.
    let ours = std::process::id().to_string();
    std::fs::write(folder.process_file(), text.replacen(&process, &ours, 1)).unwrap();

    let server = folder.start().await;
    assert!(!server.joined());
    assert_eq!(kept(&server.url()).await, 42);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn interrupted_initialization_is_repeated() {
    let folder = Folder::new();
    folder.start().await.stop().await.unwrap();
    let home = folder.0.join("postgres");
    std::fs::rename(home.join("cluster"), home.join("cluster.new")).unwrap();
    std::fs::remove_file(home.join("cluster.new/global/pg_control")).unwrap();

    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    server.stop().await.unwrap();
    assert!(!home.join("cluster.new").exists());
}

#[tokio::test]
async fn cancelled_start_does_not_block_others() {
    let folder = Folder::new();
    for milliseconds in [20, 60, 150, 300] {
        let limit = Duration::from_millis(milliseconds);
        if let Ok(server) = tokio::time::timeout(limit, folder.start()).await {
            server.stop().await.unwrap();
        }
    }
    let server = folder.start().await;
    execute(&server.url(), KEEP).await;
    assert_eq!(kept(&server.url()).await, 42);
    server.stop().await.unwrap();
    assert!(!folder.process_file().exists());
    assert!(!folder.0.join("postgres/cluster/cluster.new").exists());
}

#[tokio::test]
async fn failed_start_returns_server_log() {
    let folder = Folder::new();
    folder.start().await.stop().await.unwrap();
    let settings = folder.0.join("postgres/cluster/postgresql.conf");
    std::fs::write(settings, "no_such_setting = on\n").unwrap();

    let error = folder.try_start().await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, EmbeddedError::NotStarted { .. }), "{text}");
    assert!(text.contains("no_such_setting"), "{text}");
}

#[tokio::test]
async fn unusual_paths_are_supported() {
    let folder = Folder::new();
    for name in ["a b, \"c\" 'd' ü?&%#", &"long".repeat(30)] {
        let options = EmbeddedOptions { data_dir: folder.0.join(name), durable: true };
        let server = embedded::start(&options).await.unwrap();
        execute(&server.url(), KEEP).await;
        assert_eq!(kept(&server.url()).await, 42);
        let url = server.url();
        server.stop().await.unwrap();
        // The socket of such a path is in the temporary folder, where an empty folder remains.
        let socket = Path::new(url.split_once("host=").unwrap().1);
        assert!(socket.starts_with("/tmp/"), "{url}");
        std::fs::remove_dir(socket).unwrap();
    }
}

#[tokio::test]
async fn inaccessible_directory_relocates_database() {
    let folder = Folder::new();
    std::fs::set_permissions(&folder.0, Permissions::from_mode(0o700)).unwrap();
    let server = folder.start().await;
    let owner = std::fs::metadata(&folder.0).unwrap().uid();
    let Some(elsewhere) = server.relocated().map(Path::to_owned) else {
        // An ordinary user is the database account and has access to its own folders.
        assert_ne!(owner, 0);
        server.stop().await.unwrap();
        return;
    };
    assert_eq!(owner, 0);
    assert!(elsewhere.starts_with("/var/lib/inboxd"));
    execute(&server.url(), KEEP).await;
    server.stop().await.unwrap();

    let server = folder.start().await;
    assert_eq!(server.relocated(), Some(elsewhere.as_path()));
    assert_eq!(kept(&server.url()).await, 42);
    server.stop().await.unwrap();
    std::fs::remove_dir_all(elsewhere).unwrap();
}
