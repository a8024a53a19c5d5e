//! Running under a service manager: readiness, watchdog, passed sockets, account, units, version.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use inboxd_testkit::{HttpClient, SmtpClient, database, eventually};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::support::options;

const UNITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/systemd");

/// Notification socket of a service manager.
fn notify_socket(folder: &Path) -> UnixDatagram {
    let socket = UnixDatagram::bind(folder.join("notify")).unwrap();
    socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    socket
}

/// Waits for a notification, and returns the others before it.
fn wait_for(socket: &UnixDatagram, wanted: &str) -> Vec<String> {
    let mut before = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let length = socket.recv(&mut buffer).unwrap_or_else(|error| panic!("no {wanted} after {before:?}: {error}"));
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        if text.lines().any(|line| line == wanted) {
            return before;
        }
        before.push(text);
    }
}

#[tokio::test]
async fn service_manager_hears_of_readiness_watchdog_and_stop() {
    let folder = tempfile::tempdir().unwrap();
    let socket = notify_socket(folder.path());
    let started = options()
        .set("NOTIFY_SOCKET", folder.path().join("notify").to_str().unwrap())
        .set("WATCHDOG_USEC", "400000")
        .start();
    let mut server = started.await;
    let before = wait_for(&socket, "READY=1");
    assert!(before.iter().all(|text| text.contains("EXTEND_TIMEOUT_USEC") || text.contains("WATCHDOG")), "{before:?}");
    for _ in 0..3 {
        wait_for(&socket, "WATCHDOG=1");
    }
    assert!(server.terminate().await.success());
    wait_for(&socket, "STOPPING=1");
}

#[tokio::test]
async fn watchdog_ping_needs_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let socket = notify_socket(folder.path());
    let server = options()
        .set("NOTIFY_SOCKET", folder.path().join("notify").to_str().unwrap())
        .set("WATCHDOG_USEC", "200000")
        .set("INBOXD_DATABASE_TIMEOUT_SECONDS", "1")
        .start()
        .await;
    server.database().begin_outage().await;
    eventually("the database is away", async || (server.http().get("/ready").await.status == 503).then_some(())).await;
    socket.set_nonblocking(true).unwrap();
    while socket.recv(&mut [0; 4096]).is_ok() {}
    socket.set_nonblocking(false).unwrap();
    for _ in 0..5 {
        wait_for(&socket, "WATCHDOG=1");
    }
    server.database().end_outage().await;
}

/// Program that opens sockets on free ports as a service manager does, from descriptor 3 on (`sd_listen_fds(3)`), prints
/// their ports and becomes the service.
const ACTIVATE: &str = "import os, socket, sys\n\
    names = sys.argv[1].split(':')\n\
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in names]\n\
    print(*[one.getsockname()[1] for one in sockets], flush=True)\n\
    high = [os.dup(one.fileno()) for one in sockets]\n\
    [os.dup2(one, at, inheritable=True) for at, one in enumerate(high, 3)]\n\
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(names)), LISTEN_FDNAMES=sys.argv[1])\n\
    os.execv(sys.argv[2], sys.argv[2:])";

/// Starts the server with passed sockets of these names.
fn activate(names: &str, variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new("python3");
    command.args(["-c", ACTIVATE, names, env!("CARGO_BIN_EXE_inboxd"), "serve"]);
    command.env_clear().env("PATH", std::env::var("PATH").unwrap()).envs(variables.iter().copied());
    command.kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[tokio::test]
async fn passed_sockets_take_the_place_of_configured_addresses() {
    let database = database().await;
    let folder = tempfile::tempdir().unwrap();
    let mut server = activate(
        "http:smtp",
        &[
            ("INBOXD_DATA_DIR", folder.path().to_str().unwrap()),
            ("INBOXD_DATABASE_URL", &database.url()),
            // Without passed sockets, these addresses stop the start.
            ("INBOXD_HTTP_ADDR", "192.0.2.1:80"),
            ("INBOXD_SMTP_ADDR", "192.0.2.1:25"),
        ],
    );
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let ports = output.next_line().await.unwrap().unwrap();
    let (http, smtp) = ports.split_once(' ').unwrap();
    let client = HttpClient::new(format!("127.0.0.1:{http}"));
    // The connection waits in the queue of the socket until the server is ready.
    let is_ready = async || (client.get("/ready").await.status == 200).then_some(());
    eventually("the API serves at the passed socket", is_ready).await;
    let mut session = SmtpClient::connect(&format!("127.0.0.1:{smtp}")).await;
    session.ehlo().await;
    session.quit().await;
}

#[tokio::test]
async fn passed_socket_with_another_name_stops_the_start() {
    let server = activate("inboxd.socket", &[]);
    let output = server.wait_with_output().await.unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && line.contains("inboxd.socket") && line.contains("FileDescriptorName"),
        "{line}"
    );
}

/// Account that every Debian system has and that owns no process of the tests.
const ACCOUNT: &str = "www-data";

/// Returns a number of an account, `-u` or `-g`.
fn id(which: &str) -> String {
    let output = std::process::Command::new("id").args([which, ACCOUNT]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn root_is_dropped_after_binding_in_every_thread() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let data = folder.path().join("data");
    let configured = options().set("INBOXD_USER", ACCOUNT).set("INBOXD_DATA_DIR", data.to_str().unwrap());
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        let output = Command::new(env!("CARGO_BIN_EXE_inboxd"))
            .arg("serve")
            .env("INBOXD_USER", ACCOUNT)
            .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
            .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
            .output()
            .await
            .unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains("only root can change"), "{output:?}");
        return;
    }
    // A port below 1024 on a loopback address of this test.
    let server = configured.set("INBOXD_SMTP_ADDR", "127.77.3.1:25").embedded_database().start().await;
    assert_eq!(server.smtp_address(), "127.77.3.1:25");
    let (uid, gid) = (id("-u"), id("-g"));
    let tasks: Vec<_> = std::fs::read_dir(format!("/proc/{}/task", server.process_id())).unwrap().collect();
    assert!(tasks.len() > 2, "the runtime has threads");
    for task in tasks {
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(field("Uid:"), vec![uid.clone(); 4]);
        assert_eq!(field("Gid:"), vec![gid.clone(); 4]);
        assert_eq!(field("Groups:"), std::slice::from_ref(&gid));
        assert_eq!(field("CapEff:"), ["0000000000000000"]);
    }
    assert_eq!(std::fs::metadata(data.join("secret-key")).unwrap().uid().to_string(), uid);
    server.sign_up("owner@example.org", "scout").await;
}

#[tokio::test]
async fn database_of_the_shared_account_nobody_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("postgres");
    std::fs::create_dir(&database).unwrap();
    if std::os::unix::fs::chown(&database, Some(65_534), Some(65_534)).is_err() {
        // An ordinary user owns the database itself.
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_inboxd"))
        .arg("migrate")
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("INBOXD_DATA_DIR", folder.path())
        .output()
        .await
        .unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && line.contains("nobody") && line.contains("chown"), "{line}");
}

/// Runs `systemd-analyze` on a copy of the units whose program exists.
fn analyze(arguments: &[&str], units: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    for unit in std::fs::read_dir(UNITS).unwrap() {
        let path = unit.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("/usr/bin/inboxd", env!("CARGO_BIN_EXE_inboxd"));
        std::fs::write(folder.path().join(path.file_name().unwrap()), text).unwrap();
    }
    let units = units.iter().map(|unit| folder.path().join(unit));
    std::process::Command::new("systemd-analyze").args(arguments).args(units).output().unwrap()
}

#[test]
fn units_are_valid_and_confined() {
    let units = ["inboxd.service", "inboxd-http.socket", "inboxd-smtp.socket"];
    let verified = analyze(&["verify", "--man=no"], &units);
    assert!(verified.status.success() && verified.stderr.is_empty(), "{verified:?}");
    let security = analyze(&["security", "--offline=true", "--threshold=20"], &units[..1]);
    assert!(security.status.success(), "{}", String::from_utf8_lossy(&security.stdout));
}

#[test]
fn version_has_commit_and_date() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_inboxd")).arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (commit, date) =
        text.trim().strip_prefix("inboxd 0.2.0 (").unwrap().strip_suffix(')').unwrap().split_once(' ').unwrap();
    assert!(
        commit == "unknown" || commit.len() >= 12 && commit.bytes().all(|digit| digit.is_ascii_hexdigit()),
        "{text}"
    );
    assert!(date == "unknown" || date.len() == 10 && date.starts_with("20"), "{text}");
}
