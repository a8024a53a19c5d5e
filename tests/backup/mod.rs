//! Backup and restore: `inboxd admin backup`, `inboxd admin restore`, and point-in-time recovery.

mod cluster;
mod point_in_time;
mod refusals;
mod streams;
mod under_load;

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};

use inboxd_testkit::{HttpClient, HttpRequest, Persona, database::database_folder, encoded};
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::read_pages;

/// A folder that the account of an embedded database may enter.
fn folder() -> TempDir {
    let folder = database_folder("inboxd-backup-").unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Creates a command of the built program with a data directory, and a database unless it is the embedded one.
fn program(data_dir: &Path, database: Option<&str>, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inboxd"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_")) {
        command.env_remove(name);
    }
    command.env("INBOXD_DATA_DIR", data_dir).envs(database.map(|url| ("INBOXD_DATABASE_URL", url)));
    command.env("INBOXD_HTTP_ADDR", "127.0.0.1:0").env("INBOXD_SMTP_ADDR", "127.0.0.1:0");
    command.env("INBOXD_DNS_ADDR", "127.0.0.1:1").args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Runs a command, requires success and returns its output.
async fn succeed(mut command: Command) -> String {
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs `inboxd doctor`, and requires lines about the database without failure.
async fn doctor(data_dir: &Path, database: Option<&str>, expected: &[&str]) {
    let output = program(data_dir, database, &["doctor"]).output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    for words in expected {
        assert!(text.contains(words), "{words}: {text}");
    }
    for check in ["database", "secret key"] {
        assert!(!text.contains(&format!("fail  {check}")), "{text}");
    }
}

/// Requires failure and returns the error line.
#[track_caller]
fn error_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it succeeded: {output:?}");
    assert_eq!(text.lines().count(), 1, "{text}");
    text.trim_end().to_owned()
}

/// Creates a key pair by `age-keygen`, and returns the file with the identity, and the recipient.
fn key_pair(folder: &Path) -> (String, String) {
    let file = folder.join("identity");
    let made = std::process::Command::new("age-keygen").arg("-o").arg(&file).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    let recipient = text.lines().find_map(|line| line.strip_prefix("# public key: ")).unwrap();
    (path(&file), recipient.to_owned())
}

/// Writes a passphrase to a file and returns its path.
fn passphrase(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, format!("{text}\n")).unwrap();
    path(&file)
}

fn path(file: &Path) -> String {
    file.to_str().unwrap().to_owned()
}

/// Returns the bytes of messages of the first inbox of an agent, by id.
async fn raw_messages(agent: &Persona, ids: &[String]) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for id in ids {
        found.insert(id.clone(), raw(agent, &agent.inbox(&format!("/messages/{}/raw", encoded(id)))).await);
    }
    found
}

async fn raw(http: &HttpClient, target: &str) -> Vec<u8> {
    let answer = http.call(HttpRequest::new("GET", target).header("Accept", "message/rfc822")).await;
    assert_eq!(answer.status, 200, "{target}");
    answer.body
}

/// Returns the ids of all messages of the first inbox of an agent.
async fn message_ids(agent: &Persona) -> Vec<String> {
    read_pages(agent, &agent.inbox("/messages?limit=200"), "messages", "message_id").await
}
