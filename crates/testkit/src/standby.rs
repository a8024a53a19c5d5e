//! Streaming standby of a `PostgreSQL` server of one test.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::database::{database_folder, try_execute};
use crate::postgres::PostgresServer;
use crate::session::SqlSession;
use crate::wait::{eventually, eventually_ok};

/// A hot standby of a primary. It stops when this value is dropped.
#[derive(Debug)]
pub struct StandbyServer {
    folder: TempDir,
    process: Child,
}

impl StandbyServer {
    /// Starts a standby from a base backup of a [replicable](PostgresServer::start_replicable) primary.
    pub async fn start(primary: &PostgresServer) -> Self {
        let folder = database_folder("inboxd-standby-").unwrap();
        // As root, the tests run the server under another account, which needs access.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let home = home(&folder);
        let account = std::fs::metadata(primary.cluster()).unwrap();
        std::fs::create_dir(&home).unwrap();
        chown(&home, Some(account.uid()), Some(account.gid())).unwrap();
        let program = |name: &str| {
            let mut command = command(&primary.program(name), &home);
            command.uid(account.uid()).gid(account.gid());
            command
        };
        let data = home.join("data");
        eventually_ok("the primary accepts a base backup", async || {
            let mut backup = program("pg_basebackup");
            backup.args(["--wal-method=stream", "--checkpoint=fast", "--no-sync", "--write-recovery-conf"]);
            backup.arg("--username=inboxd").arg("--host").arg(primary.socket()).arg("--pgdata").arg(&data);
            let output = backup.output().unwrap();
            if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
        })
        .await;
        let mut server = program("postgres");
        server.arg("-D").arg(&data).args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100"]);
        server.arg("-c").arg(format!("unix_socket_directories={}", home.display()));
        let process = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let standby = Self { folder, process };
        let url = standby.url();
        eventually_ok("the standby accepts queries", async || try_execute(&url, "SELECT 1").await).await;
        standby
    }

    /// Returns the URL of the database.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://inboxd@/inboxd?host={}", home(&self.folder).display())
    }

    /// Pauses replay and waits until nothing more is replayed.
    pub async fn pause(&self) {
        let mut session = SqlSession::open(&self.url()).await;
        session.execute("SELECT pg_wal_replay_pause()").await;
        let is_paused = "SELECT pg_get_wal_replay_pause_state() AS text";
        eventually("replay is paused", async || (session.texts(is_paused).await == ["paused"]).then_some(())).await;
    }

    /// Resumes replay.
    pub async fn resume(&self) {
        SqlSession::open(&self.url()).await.execute("SELECT pg_wal_replay_resume()").await;
    }

    /// Stops the server like `pg_ctl stop -m immediate`.
    pub fn stop_immediately(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            let process = self.process.id().to_string();
            let sent = Command::new("kill").args(["-QUIT", &process]).status();
            assert!(sent.unwrap().success(), "kill could not signal the standby");
            self.process.wait().unwrap();
        }
    }
}

impl Drop for StandbyServer {
    fn drop(&mut self) {
        self.stop_immediately();
    }
}

/// Returns the folder of the server, which has its socket too.
fn home(folder: &TempDir) -> PathBuf {
    folder.path().join("postgres")
}

/// Returns a command in a folder, without variables that configure clients and servers.
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null()).env("HOME", folder).env("LC_ALL", "C");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PG")) {
        command.env_remove(name);
    }
    command
}
