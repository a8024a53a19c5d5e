//! Unsafe starts: another secret key, a newer schema, a held lock, an immediate stop.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Output, Stdio};
use std::time::Duration;

use inboxd_testkit::{TestDatabase, WAIT_TIMEOUT, database, empty_database, eventually};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::{admin, refused_command};
use crate::support::server;

fn process(database: &TestDatabase, data_dir: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inboxd"));
    command
        .args(arguments)
        .env("INBOXD_DATABASE_URL", database.url())
        .env("INBOXD_DATA_DIR", data_dir)
        .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_DNS_ADDR", "127.0.0.1:1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn run(database: &TestDatabase, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = process(database, folder.path(), arguments);
    let output = command.envs(variables.iter().copied()).output();
    timeout(WAIT_TIMEOUT, output).await.unwrap().unwrap()
}

/// Requires failure and returns the error line after the log lines.
#[track_caller]
fn error_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it succeeded: {text}");
    text.lines().last().unwrap_or_default().to_owned()
}

async fn ready_status(server: &inboxd_testkit::TestServer) -> u16 {
    server.http().get("/ready").await.status
}

#[tokio::test]
async fn process_with_different_secret_key_refuses_to_start() {
    let server = server().await;
    let other = [("INBOXD_SECRET_KEY", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")];
    for arguments in [&["serve"][..], &["admin", "captured"]] {
        let line = error_line(&run(server.database(), arguments, &other).await);
        assert!(line.starts_with("inboxd: INBOXD_SECRET_KEY"), "{line}");
    }
    let doctor = run(server.database(), &["doctor"], &other).await;
    assert!(!doctor.status.success());
    let beside = crate::support::second_process(&server).start().await;
    assert_eq!(ready_status(&beside).await, 200);
    // The operator replaces a lost key explicitly.
    let line = error_line(&run(server.database(), &["admin", "accept-secret-key"], &other).await);
    assert!(line.contains("--yes"), "{line}");
    let output = run(server.database(), &["admin", "accept-secret-key", "--yes"], &other).await;
    assert!(output.status.success(), "{output:?}");
    let output = run(server.database(), &["admin", "captured"], &other).await;
    assert!(output.status.success(), "{output:?}");
    assert!(refused_command(&server, &["organizations"]).await.contains("INBOXD_SECRET_KEY"));
}

#[tokio::test]
async fn concurrent_first_starts_with_different_keys_leave_one_server() {
    let database = database().await;
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut processes: Vec<Child> =
        folders.iter().map(|folder| process(&database, folder.path(), &["serve"]).spawn().unwrap()).collect();
    eventually("one stops with an error", async || {
        let ended = processes.iter_mut().any(|process| process.try_wait().unwrap().is_some());
        ended.then_some(())
    })
    .await;
    sleep(Duration::from_millis(500)).await;
    let running =
        processes.iter_mut().filter_map(|process| process.try_wait().unwrap().is_none().then_some(())).count();
    assert_eq!(running, 1);
}

#[tokio::test]
async fn older_program_refuses_newer_schema_while_running_one_continues() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    server.database().execute("INSERT INTO schema_migrations (name) VALUES ('99990000000000_later')").await;
    for arguments in [&["serve"][..], &["migrate"], &["admin", "organizations"]] {
        let line = error_line(&run(server.database(), arguments, &[]).await);
        assert!(line.contains("later version") && line.contains("99990000000000_later"), "{line}");
    }
    assert_eq!(ready_status(&server).await, 200);
    agent.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn admin_commands_never_migrate() {
    let server = server().await;
    server.database().execute("DELETE FROM schema_migrations WHERE name LIKE '%_schema'").await;
    let line = refused_command(&server, &["organizations"]).await;
    assert!(line.contains("_schema") && line.contains("inboxd migrate"), "{line}");
    let is_there = "DO $$ BEGIN IF EXISTS (SELECT FROM schema_migrations WHERE name LIKE '%_schema') THEN \
        RAISE EXCEPTION 'it migrated'; END IF; END $$";
    server.database().execute(is_there).await;
}

#[tokio::test]
async fn database_from_before_first_release_is_refused() {
    let database = database().await;
    let former = "UPDATE schema_migrations SET name = '00000000000001_foundation' WHERE name < '00000000000002'; \
        INSERT INTO schema_migrations (name) VALUES ('00000000000091_outgoing_shares')";
    database.execute(former).await;
    for arguments in [&["serve"][..], &["migrate"], &["admin", "organizations"]] {
        let line = error_line(&run(&database, arguments, &[]).await);
        assert!(
            line.contains("made by a build before the first release") && line.contains("API of that build"),
            "{line}"
        );
    }
}

#[tokio::test]
async fn migration_fails_while_table_stays_locked() {
    let database = empty_database().await;
    let mut session = database.session().await;
    // The migration creates a table of the same name, which waits for the end of this transaction.
    session.execute("BEGIN; CREATE TABLE organizations ()").await;
    let short = [("INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS", "1")];
    let line = error_line(&run(&database, &["migrate"], &short).await);
    assert!(line.contains("_schema waited 1 s") && line.contains("pg_stat_activity"), "{line}");
    drop(session);
    let output = run(&database, &["migrate"], &short).await;
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn process_terminated_during_start_stops_in_order() {
    let database = database().await;
    // No other test listens at this address, so the answer comes from this process.
    let free = TcpListener::bind("127.0.0.77:0").unwrap().local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut process =
        process(&database, folder.path(), &["serve"]).env("INBOXD_HTTP_ADDR", free.to_string()).spawn().unwrap();
    eventually("the server listens", async || is_listening(free).then_some(())).await;
    let sent = std::process::Command::new("kill").args(["-TERM", &process.id().unwrap().to_string()]).status();
    assert!(sent.unwrap().success());
    let ended = timeout(WAIT_TIMEOUT, process.wait()).await.unwrap().unwrap();
    assert_eq!(ended.code(), Some(0), "{ended}");
}

fn is_listening(address: SocketAddr) -> bool {
    TcpStream::connect_timeout(&address, Duration::from_millis(100)).is_ok()
}

#[tokio::test]
async fn admin_commands_run_beside_server() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    assert!(admin(&server, &["organizations"]).await.contains(&agent.organization_id));
}
