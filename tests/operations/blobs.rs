//! Stores of large contents: `inboxd doctor` and the start.

use std::process::{Command, Output, Stdio};

use inboxd_testkit::{Seaweed, database};

use crate::support::options;

/// Runs a command with a database of its own and these variables only.
async fn run(command: &'static str, variables: Vec<(&'static str, String)>) -> Output {
    let database = database().await;
    let url = database.url();
    let run = move || {
        let folder = tempfile::tempdir().unwrap();
        Command::new(env!("CARGO_BIN_EXE_inboxd"))
            .arg(command)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("INBOXD_DATABASE_URL", url)
            .env("INBOXD_DATA_DIR", folder.path().join("data"))
            .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
            .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
            .env("INBOXD_METRICS_ADDR", "off")
            .envs(variables)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// Returns the lines of the check.
async fn doctor(variables: Vec<(&'static str, String)>) -> Vec<String> {
    let output = run("doctor", variables).await;
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|line| line[6..].starts_with("blobs")).map(str::to_owned).collect()
}

#[track_caller]
fn assert_line(lines: &[String], level: &str, words: &[&str]) {
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with(level) && words.iter().all(|word| lines[0].contains(word)),
        "{level} {words:?}: {lines:?}"
    );
}

#[tokio::test]
async fn doctor_tries_a_folder() {
    assert!(doctor(Vec::new()).await.is_empty(), "contents are in rows");
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("blobs");
    let blobs = || vec![("INBOXD_BLOBS", format!("file://{}", folder.display()))];
    assert_line(&doctor(blobs()).await, "warn", &["does not exist", "To mend: start inboxd serve"]);
    assert!(!folder.exists(), "a check creates nothing");
    std::fs::create_dir(&folder).unwrap();
    assert_line(&doctor(blobs()).await, "ok", &["stores, returns, lists and deletes objects"]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "the probe remains");
    std::fs::remove_dir(&folder).unwrap();
    std::fs::write(&folder, "").unwrap();
    assert_line(&doctor(blobs()).await, "fail", &["INBOXD_BLOBS", "To mend: give the folder"]);
}

#[tokio::test]
async fn doctor_tries_a_bucket() {
    let mut seaweed = Seaweed::start().await;
    assert_line(&doctor(seaweed.settings()).await, "ok", &["s3://mail"]);
    let mut settings = seaweed.settings();
    seaweed.stop().await;
    settings.push(("INBOXD_BLOB_TIMEOUT", "1s".to_owned()));
    let lines = doctor(settings).await;
    assert_line(&lines, "fail", &["INBOXD_BLOBS", "AWS_ENDPOINT_URL_S3", "create the bucket"]);
}

#[tokio::test]
async fn start_refuses_a_folder_that_cannot_be_written() {
    let parent = tempfile::tempdir().unwrap();
    std::fs::write(parent.path().join("file"), "").unwrap();
    let blobs = format!("file://{}", parent.path().join("file/blobs").display());
    let output = run("serve", vec![("INBOXD_BLOBS", blobs)]).await;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("INBOXD_BLOBS: cannot write in") && said.contains("name another one"), "{said}");
}

#[tokio::test]
async fn start_refuses_the_store_of_another_service() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = format!("file://{}", folder.path().display());
    let mut first = options().set("INBOXD_BLOBS", blobs.as_str()).start().await;
    let output = run("serve", vec![("INBOXD_BLOBS", blobs)]).await;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("belongs to another service") && said.contains("INBOXD_SECRET_KEY"), "{said}");
    first.kill().await;
    first.restart().await;
    let output = first.command(&["doctor"]).await;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("stores, returns, lists and deletes objects"), "{said}");
}

#[tokio::test]
async fn start_creates_the_folder_and_needs_no_bucket() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("blobs");
    let server = options()
        .set("INBOXD_BLOBS", "s3://mail/inboxd")
        .set("INBOXD_BLOBS_FROM", format!("file://{}", folder.display()))
        .set("INBOXD_BLOB_TIMEOUT", "1s")
        .set("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
        .set("AWS_ALLOW_HTTP", "true")
        .set("AWS_ACCESS_KEY_ID", "id")
        .set("AWS_SECRET_ACCESS_KEY", "hush-hush")
        .start()
        .await;
    assert!(folder.is_dir());
    let entry = server.log().entry("the outage", |entry| entry["message"] == "blob store unavailable").await;
    assert_eq!((entry["level"].as_str(), entry["kind"].as_str()), (Some("WARN"), Some("s3")), "{entry}");
    assert!(!server.log().lines().iter().any(|line| line.contains("hush")), "the secret is logged");
}
