//! A PostgreSQL that archives its write-ahead log with pgBackRest, by the files of `packaging/pgbackrest`.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use inboxd_testkit::{ReverseProxy, SqlSession, database::try_execute, eventually_ok};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::{folder, path};

pub(super) const POSTGRESQL_CONF: &str = include_str!("../../packaging/pgbackrest/postgresql.conf");
pub(super) const PGBACKREST_CONF: &str = include_str!("../../packaging/pgbackrest/pgbackrest.conf");

/// Account that runs the servers when the tests run as root.
const ACCOUNT: &str = "postgres";

/// A server with its archive. Drop kills the server.
pub(super) struct ArchivedCluster {
    process: Option<Child>,
    port: u16,
    folder: TempDir,
}

impl ArchivedCluster {
    /// Creates a server with the database `inboxd`, and its archive.
    pub(super) async fn create() -> Self {
        let folder = folder();
        own(folder.path());
        let mut cluster = Self { folder, port: ReverseProxy::free_address().port(), process: None };
        let binaries = binaries().await;
        let initdb = ["--no-sync", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--pgdata"];
        let data = cluster.data("main");
        cluster.run(&binaries.join("initdb"), &[&initdb[..], &[&data]].concat()).await;
        let settings = format!("{POSTGRESQL_CONF}\nfsync = off\n");
        let file = Path::new(&data).join("postgresql.auto.conf");
        std::fs::write(&file, settings).unwrap();
        own(&file);
        cluster.configure("main");
        cluster.start("main").await;
        try_execute(&cluster.url_of("postgres"), "CREATE DATABASE inboxd").await.unwrap();
        cluster.pgbackrest(&["stanza-create"]).await;
        cluster.pgbackrest(&["check"]).await;
        cluster
    }

    /// Returns the URL of the database.
    pub(super) fn url(&self) -> String {
        self.url_of("inboxd")
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Writes the configuration of pgBackRest for a data folder.
    fn configure(&self, name: &str) {
        let changes = [
            ("/var/lib/pgbackrest", path(&self.folder.path().join("archive"))),
            ("/var/lib/postgresql/15/main", self.data(name)),
            ("pg1-port=5432", format!("pg1-port={}", self.port)),
        ];
        let text = changes.iter().fold(PGBACKREST_CONF.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "the file has no {from:?}");
            text.replace(from, to)
        });
        let file = self.folder.path().join("pgbackrest.conf");
        std::fs::write(&file, text).unwrap();
        own(&file);
    }

    /// Starts the server on a data folder, and waits until it accepts writes.
    async fn start(&mut self, name: &str) {
        let log = std::fs::File::create(self.folder.path().join(format!("{name}.log"))).unwrap();
        let mut command = self.command(&binaries().await.join("postgres"));
        let socket = format!("unix_socket_directories={}", self.folder.path().display());
        command.args([
            "-D",
            &self.data(name),
            "-p",
            &self.port.to_string(),
            "-c",
            &socket,
            "-c",
            "max_connections=200",
        ]);
        command.stdout(log.try_clone().unwrap()).stderr(log).kill_on_drop(true);
        self.process = Some(command.spawn().unwrap());
        let is_open = "DO $$ BEGIN IF pg_is_in_recovery() THEN RAISE EXCEPTION 'in recovery'; END IF; END $$";
        let url = self.url_of("postgres");
        eventually_ok("the server accepts writes", async || {
            try_execute(&url, is_open).await.map_err(|error| format!("{error}: {}", self.log(name)))
        })
        .await;
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(format!("{name}.log"))).unwrap_or_default()
    }

    /// Makes a full backup.
    pub(super) async fn back_up(&self) {
        self.pgbackrest(&["backup", "--type=full"]).await;
    }

    /// Waits until everything so far is in the archive.
    pub(super) async fn archive(&self) {
        let mut session = SqlSession::open(&self.url()).await;
        let last = "SELECT pg_walfile_name(pg_switch_wal()) AS text";
        let last = session.texts(last).await.remove(0);
        let archived = "SELECT coalesce(last_archived_wal, '') AS text FROM pg_stat_archiver";
        eventually_ok("the log is archived", async || {
            let found = session.texts(archived).await.remove(0);
            if found >= last { Ok(()) } else { Err(format!("{found} of {last}: {}", self.log("main"))) }
        })
        .await;
    }

    /// Returns the clock of the server.
    pub(super) async fn now(&self) -> String {
        SqlSession::open(&self.url()).await.texts("SELECT clock_timestamp()::text AS text").await.remove(0)
    }

    /// Kills the server.
    pub(super) async fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.start_kill().unwrap();
        process.wait().await.unwrap();
    }

    /// Restores the state of a time to another data folder, and starts a server there.
    pub(super) async fn restore(&mut self, time: &str) {
        self.configure("restored");
        let target = format!("--target={time}");
        self.pgbackrest(&["restore", "--type=time", &target, "--target-action=promote"]).await;
        self.port = ReverseProxy::free_address().port();
        self.start("restored").await;
    }

    async fn pgbackrest(&self, arguments: &[&str]) {
        self.run(Path::new("pgbackrest"), &[&["--stanza=inboxd"], arguments].concat()).await;
    }

    async fn run(&self, program: &Path, arguments: &[&str]) {
        let Output { status, stdout, stderr } = self.command(program).args(arguments).output().await.unwrap();
        let (out, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "{} {arguments:?}: {out}{errors}", program.display());
    }

    /// Creates a command of the account of the server. Paths that the files leave to Debian are private to the test.
    fn command(&self, program: &Path) -> Command {
        let mut command = if is_root() {
            // It becomes the program, so that a kill reaches that.
            let mut command = Command::new("setpriv");
            command.args([&format!("--reuid={ACCOUNT}"), &format!("--regid={ACCOUNT}"), "--init-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let inside = |name: &str| self.folder.path().join(name);
        let variables: [(&str, OsString); 5] = [
            ("PGBACKREST_CONFIG", inside("pgbackrest.conf").into()),
            ("PGBACKREST_LOCK_PATH", inside("lock").into()),
            ("PGBACKREST_SPOOL_PATH", inside("spool").into()),
            ("PGBACKREST_PG1_SOCKET_PATH", self.folder.path().into()),
            ("PGBACKREST_PG1_USER", "postgres".into()),
        ];
        command.current_dir(self.folder.path()).envs(variables);
        command
    }

    /// Creates a data folder if it is missing, and returns its path.
    fn data(&self, name: &str) -> String {
        let data = self.folder.path().join(name);
        if !data.exists() {
            std::fs::DirBuilder::new().create(&data).unwrap();
            std::fs::set_permissions(&data, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
            own(&data);
        }
        path(&data)
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Gives a file to the account of the server.
fn own(path: &Path) {
    if is_root() {
        let given = std::process::Command::new("chown").arg(format!("{ACCOUNT}:")).arg(path).status();
        assert!(given.unwrap().success());
    }
}

/// Returns the folder of the newest installed server.
async fn binaries() -> PathBuf {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1"]);
    let output = shell.output().await.unwrap();
    String::from_utf8(output.stdout).unwrap().trim().into()
}
