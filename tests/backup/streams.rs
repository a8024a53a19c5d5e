//! Pipes, passwords, signals and failures of `inboxd admin backup`.

use std::process::Stdio;
use std::time::Duration;

use inboxd_testkit::{SqlSession, TestServer, empty_database, eventually};
use tokio::process::{Child, Command};

use super::{error_line, folder, key_pair, message_ids, path, program, raw_messages, succeed};
use crate::support::{mail_to, receive, server_and_agent};

/// Name of the sessions of a backup.
const SESSION: &str = "inboxd backup";

fn data_dir(server: &TestServer) -> &std::path::Path {
    server.data_dir()
}

/// Locks a table, so that a dump waits.
async fn locked(server: &TestServer) -> SqlSession {
    let mut session = server.database().session().await;
    session.execute("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE").await;
    session
}

/// Waits until a dump waits for the lock, and returns its process of the database server.
async fn wait_for_dump(server: &TestServer) -> String {
    let waiting = format!(
        "SELECT pid::text AS text FROM pg_stat_activity
        WHERE application_name = '{SESSION}' AND wait_event_type = 'Lock' AND datname = current_database()"
    );
    // Within a transaction the view does not change.
    let mut session = server.database().session().await;
    eventually("the dump waits for a lock", async || session.texts(&waiting).await.pop()).await
}

/// Returns the arguments of all processes.
fn all_arguments() -> String {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path().join("cmdline")));
    let arguments = processes.filter_map(|file| std::fs::read(file).ok());
    arguments.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " ")).collect::<Vec<_>>().join("\n")
}

fn spawn(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the names in a folder beside the key pair.
fn names(folder: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "identity").collect()
}

#[tokio::test]
async fn backup_through_pipes_is_read_by_standard_tools_too() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "piped")).await;
    let folder = folder();
    let (identity, recipient) = key_pair(folder.path());
    let url = server.database().url();
    let output = program(data_dir(&server), Some(&url), &["admin", "backup", "-", "--recipient", &recipient]).output();
    let output = output.await.unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{:?}", output.stderr);
    let file = folder.path().join("piped.age");
    std::fs::write(&file, &output.stdout).unwrap();

    let database = empty_database().await;
    let arguments = ["admin", "restore", "-", "--identity", &identity];
    let mut command = program(data_dir(&server), Some(&database.url()), &arguments);
    command.stdin(std::fs::File::open(&file).unwrap());
    succeed(command).await;
    let restored = crate::support::second_process(&server).set("INBOXD_DATABASE_URL", database.url()).start().await;
    let ids = message_ids(&agent).await;
    assert!(!ids.is_empty());
    assert_eq!(raw_messages(&agent.at(&restored), &ids).await, raw_messages(&agent, &ids).await);

    let mut shell = Command::new("sh");
    let script = "age --decrypt --identity \"$1\" \"$2\" | tail -n +3 | pg_restore --list";
    shell.args(["-c", script, "sh", &identity, &path(&file)]);
    let list = succeed(shell).await;
    assert!(list.contains("TABLE DATA public messages"), "{list}");
}

#[tokio::test]
async fn password_of_database_is_in_no_arguments() {
    let (server, _) = server_and_agent().await;
    let folder = folder();
    let (_, recipient) = key_pair(folder.path());
    let mut session = locked(&server).await;
    let url = server.database().url().replace("inboxd@", "inboxd:hidden-from-all@");
    let file = path(&folder.path().join("database.age"));
    let backup = spawn(program(data_dir(&server), Some(&url), &["admin", "backup", &file, "--recipient", &recipient]));
    wait_for_dump(&server).await;
    let commands = all_arguments();
    assert!(commands.contains("pg_dump"), "{commands}");
    assert!(!commands.contains("hidden-from-all"), "{commands}");
    session.execute("ROLLBACK").await;
    let output = backup.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(names(folder.path()), ["database.age"]);
}

#[tokio::test]
async fn failed_or_stopped_backup_leaves_no_file() {
    let (server, _) = server_and_agent().await;
    let folder = folder();
    let (_, recipient) = key_pair(folder.path());
    let _session = locked(&server).await;
    let url = server.database().url();
    let (file, key) = (path(&folder.path().join("database.age")), path(&folder.path().join("key.age")));
    let arguments = ["admin", "backup", &file, "--secret-key", &key, "--recipient", &recipient];
    let start = || spawn(program(data_dir(&server), Some(&url), &arguments));

    let backup = start();
    let process = wait_for_dump(&server).await;
    server.database().execute(&format!("SELECT pg_terminate_backend({process})")).await;
    let line = error_line(&backup.wait_with_output().await.unwrap());
    assert!(line.contains("pg_dump failed"), "{line}");
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));

    let backup = start();
    wait_for_dump(&server).await;
    let process = backup.id().unwrap().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &process]).status().unwrap();
    assert!(sent.success());
    let output = tokio::time::timeout(Duration::from_secs(10), backup.wait_with_output()).await.unwrap().unwrap();
    assert!(error_line(&output).contains("stopped by a signal"), "{output:?}");
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}

#[tokio::test]
async fn contents_outside_the_database_are_saved_and_restored_into_another_folder() {
    let folder = folder();
    let blobs = |name: &str| format!("file://{}", folder.path().join(name).display());
    let server = crate::support::options().set("INBOXD_BLOBS", blobs("first")).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mail = mail_to(&agent, "large").attach("a.bin", "image/png", &vec![7; 100_000]);
    receive(&server, &agent, &mail).await;
    let ids = message_ids(&agent).await;
    let before = raw_messages(&agent, &ids).await;
    let (identity, recipient) = key_pair(folder.path());
    let [file, objects] = ["database.age", "objects.age"].map(|name| path(&folder.path().join(name)));
    let arguments = ["admin", "backup", &file, "--blobs", &objects, "--recipient", &recipient];
    let output = server.command(&arguments).await;
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 objects"), "{output:?}");

    let database = empty_database().await;
    let restore = |arguments: &[&str], store: &str| {
        let arguments = [&["admin", "restore"][..], arguments, &["--identity", identity.as_str()][..]].concat();
        let mut command = program(data_dir(&server), Some(&database.url()), &arguments);
        command.env("INBOXD_BLOBS", store);
        command
    };
    let output = restore(&[file.as_str(), "--blobs", objects.as_str()], "postgres").output().await.unwrap();
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && line.contains("INBOXD_BLOBS names no store"), "{line}");
    for _ in 0..2 {
        let restored = succeed(restore(&["--blobs", objects.as_str()], &blobs("second"))).await;
        assert!(restored.contains("restored 1 objects"), "{restored}");
    }
    let second = crate::support::second_process(&server).set("INBOXD_DATABASE_URL", database.url());
    let second = second.set("INBOXD_BLOBS", blobs("second")).start().await;
    assert_eq!(raw_messages(&agent.at(&second), &ids).await, before);
}
