//! Configuration and its effects (`wire.md`, section 7).

use inboxd_testkit::database;
use serde_json::json;
use tokio::process::Command;

use crate::support::{mail_to, options, receive, server};

/// Runs a command of the binary with these variables.
async fn run(arguments: &[&str], variables: &[(&str, &str)]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_inboxd"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_")) {
        command.env_remove(name);
    }
    let variables = variables.iter().copied();
    command.args(arguments).env("INBOXD_DATA_DIR", folder.path()).envs(variables).output().await.unwrap()
}

#[tokio::test]
async fn links_and_error_docs_start_with_configured_base_url() {
    let base = "https://mail.example.org/inboxd";
    let server = options().set("INBOXD_BASE_URL", format!("{base}/")).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "hello").attach("a.txt", "text/plain", b"attached")).await;
    let message = agent.message_about("hello").await;
    let file = format!("/attachments/{}", message["attachments"][0]["attachment_id"].as_str().unwrap());
    for (rest, expected) in [(&*file, "attached"), ("/raw", "About hello.")] {
        let link = agent.get(&agent.message(&message["message_id"], rest)).await.ok();
        let url = link["download_url"].as_str().unwrap().to_owned();
        // A proxy at that URL forwards the path.
        let target = url.strip_prefix(base).unwrap_or_else(|| panic!("{url} has another base"));
        let content = server.http().get(target).await;
        assert_eq!(content.status, 200, "{url}");
        assert!(content.text().contains(expected), "{}", content.text());
    }
    let envelope = agent.get("/v0/inboxes/nobody@inboxd.localhost").await.require_error(404, "not_found");
    assert_eq!(envelope["docs"], format!("{base}/docs/errors#not_found"));
}

#[tokio::test]
async fn environment_overrides_file() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inboxd.toml");
    let (path, url) = (file.to_str().unwrap(), server.database().url());
    let arguments = ["admin", "organizations", "--config", path];
    let secret_key = std::fs::read_to_string(server.data_dir().join("secret-key")).unwrap();
    let key = ("INBOXD_SECRET_KEY", secret_key.trim());
    // The file sets variables that the environment omits …
    std::fs::write(&file, format!("INBOXD_DATABASE_URL = \"{url}\"\n")).unwrap();
    let of_file = run(&arguments, &[key]).await;
    assert!(String::from_utf8_lossy(&of_file.stdout).contains(&agent.organization_id), "{of_file:?}");
    // … and overrides none.
    std::fs::write(&file, "INBOXD_DATABASE_URL = \"postgres://nobody@127.0.0.1:1/nothing\"\n").unwrap();
    let of_environment = run(&arguments, &[key, ("INBOXD_DATABASE_URL", &url)]).await;
    assert!(String::from_utf8_lossy(&of_environment.stdout).contains(&agent.organization_id), "{of_environment:?}");
    assert!(!run(&arguments, &[key]).await.status.success(), "the database of the file does not exist");
}

#[tokio::test]
async fn inboxd_migrate_migrates_empty_database_once() {
    let database = database().await;
    database.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
    let count = "SELECT count(*) FROM organizations";
    assert!(database.try_execute(count).await.is_err(), "the database is empty");
    let url = database.url();
    for _ in 0..2 {
        let output = run(&["migrate"], &[("INBOXD_DATABASE_URL", &url)]).await;
        assert!(output.status.success(), "{output:?}");
        database.execute(count).await;
    }
    let served = options().set("INBOXD_DATABASE_URL", url).start().await;
    served.verified("owner@example.org", "scout").await.send(json!({"to": "bob@outside.example", "text": "x"})).await;
}

#[tokio::test]
async fn missing_certificate_stops_start_before_database() {
    let variables = [
        ("INBOXD_HTTP_ADDR", "127.0.0.1:0?tls=on"),
        ("INBOXD_SMTP_ADDR", "127.0.0.1:0"),
        ("INBOXD_METRICS_ADDR", "off"),
        ("INBOXD_TLS_CERT", "/nonexistent/cert.pem"),
        ("INBOXD_TLS_KEY", "/nonexistent/key.pem"),
        ("INBOXD_DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing"),
    ];
    let output = run(&["serve"], &variables).await;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && log.contains("INBOXD_TLS_KEY: /nonexistent/cert.pem has no"), "{log}");
}

#[tokio::test]
async fn unknown_organization_and_plan_fail_with_message() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let nobody = "org_00000000000000000000000000000000";
    let output = server.command(&["admin", "plan", nobody, "startup"]).await;
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && line.lines().count() == 1 && line.contains(nobody), "{line}");
    let output = server.command(&["admin", "plan", &agent.organization_id, "gold"]).await;
    let said = String::from_utf8(output.stderr).unwrap();
    let first = said.lines().next().unwrap();
    assert!(!output.status.success() && first.contains("gold") && first.contains("<PLAN>"), "{said}");
}
