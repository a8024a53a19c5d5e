//! `inboxd config`, secrets from files, unknown variables and SIGHUP.

use std::process::Output;

use inboxd_testkit::{HttpRequest, TestServer, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::options;

/// Runs the binary with these variables only.
fn inboxd(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_inboxd"))
        .args(arguments)
        .env_clear()
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Writes a file of a temporary folder and returns its path.
fn file(folder: &TempDir, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Sends SIGHUP and waits for the log entry.
async fn reload(server: &TestServer, event: &str) -> Value {
    let sent = std::process::Command::new("kill").args(["-HUP", &server.process_id().to_string()]).status();
    assert!(sent.unwrap().success(), "kill could not signal the server");
    server.log().entry(event, |entry| entry["message"] == event).await
}

#[test]
fn example_file_passes_check_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let example = inboxd(&["config", "example"], &[]);
    assert!(example.status.success(), "{example:?}");
    let path = file(&folder, "inboxd.toml", &String::from_utf8(example.stdout).unwrap());
    let checked = inboxd(&["config", "check", "--config", &path], &[]);
    assert!(checked.status.success(), "{checked:?}");
    assert_eq!(lines(&checked).len(), 1, "{checked:?}");
    let changed = inboxd(&["config", "show", "--changed", "--config", &path], &[]);
    assert!(changed.status.success() && changed.stdout.is_empty(), "{changed:?}");
}

#[test]
fn check_reports_all_bad_settings_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "inboxd.toml", "INBOXD_DOMAINS = \"x.example\"\nINBOXD_KEY_RATE = \"fast\"\n");
    let checked = inboxd(
        &["config", "check", "--config", &path],
        &[
            ("INBOXD_HTTP_ADDR", "nowhere"),
            ("INBOXD_ROLES", "cook"),
            ("INBOXD_KEY_RATES", "5"),
            ("INBOXD_API_KEY", "am_client"),
        ],
    );
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    let found = lines(&checked);
    let has = |level: &str, name: &str| found.iter().any(|line| line.starts_with(level) && line.contains(name));
    for name in ["INBOXD_DOMAINS", "INBOXD_KEY_RATE ", "INBOXD_HTTP_ADDR", "INBOXD_ROLES"] {
        assert!(has("error", name), "{name}: {found:#?}");
    }
    assert!(has("warning", "INBOXD_KEY_RATES is not a setting"), "{found:#?}");
    assert!(has("warning", "the nearest is INBOXD_KEY_RATE"), "{found:#?}");
    assert_eq!(found.len(), 5, "a variable of the client is known: {found:#?}");
}

#[test]
fn show_has_effective_values_with_origin_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "ab".repeat(32);
    let key = file(&folder, "key", &format!("{secret}\n"));
    let path = file(&folder, "inboxd.toml", "INBOXD_DOMAIN = \"mail.example.org\"\nINBOXD_MAX_DRAFTS = 5\n");
    let variables = [
        ("INBOXD_SECRET_KEY_FILE", &*key),
        ("INBOXD_KEY_RATE", "7"),
        ("INBOXD_DATABASE_URL", "postgres://inboxd:hush@127.0.0.1/inboxd"),
    ];
    let shown = inboxd(&["config", "show", "--json", "--changed", "--config", &path], &variables);
    assert!(shown.status.success(), "{shown:?}");
    let shown: Vec<Value> = lines(&shown).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = [
        json!({"name": "INBOXD_DOMAIN", "value": "mail.example.org", "source": path}),
        json!({"name": "INBOXD_SECRET_KEY", "value": "(set)", "source": key}),
        json!({"name": "INBOXD_DATABASE_URL", "value": "(set)", "source": "environment"}),
        json!({"name": "INBOXD_KEY_RATE", "value": "7", "source": "environment"}),
        json!({"name": "INBOXD_MAX_DRAFTS", "value": "5", "source": path}),
    ];
    assert_eq!(shown, expected);
    let all = inboxd(&["config", "show", "--config", &path], &variables);
    let text = String::from_utf8(all.stdout).unwrap();
    assert!(text.contains("signup.mail.example.org") && text.contains("http://127.0.0.1:8080"), "{text}");
    assert!(!text.contains("hush") && !text.contains(&secret), "{text}");
}

#[test]
fn secret_has_one_origin_and_environment_precedes_credentials_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = |user: &str| format!("postgres://{user}@127.0.0.1/inboxd");
    let of_file = file(&folder, "file", &format!("{}\n", url("file")));
    let path = file(&folder, "inboxd.toml", &format!("INBOXD_DATABASE_URL_FILE = \"{of_file}\"\n"));
    let credential = file(&folder, "database-url", &url("credential"));
    let credentials = ("CREDENTIALS_DIRECTORY", folder.path().to_str().unwrap());
    let source = |variables: &[(&str, &str)]| {
        let shown = inboxd(&["config", "show", "--json", "--changed", "--config", &path], variables);
        let line = lines(&shown).first().cloned().unwrap_or_default();
        serde_json::from_str::<Value>(&line).unwrap()["source"].as_str().unwrap().to_owned()
    };
    assert_eq!(source(&[]), of_file);
    assert_eq!(source(&[credentials]), credential);
    assert_eq!(source(&[credentials, ("INBOXD_DATABASE_URL", &url("environment"))]), "environment");
    let both = [("INBOXD_DATABASE_URL", "postgres://x@y/z"), ("INBOXD_DATABASE_URL_FILE", &*of_file)];
    let refused = inboxd(&["migrate"], &both);
    let line = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && line.contains("both set") && line.lines().count() == 1, "{line}");
    let missing = inboxd(&["migrate"], &[("INBOXD_SECRET_KEY_FILE", "/nonexistent/key")]);
    let line = String::from_utf8(missing.stderr).unwrap();
    assert!(line.contains("INBOXD_SECRET_KEY_FILE") && line.contains("/nonexistent/key"), "{line}");
}

#[tokio::test]
async fn server_warns_of_unknown_variable_and_names_the_nearest() {
    let server = options().set("INBOXD_MAX_DRAFT", "7").start().await;
    let entry = server.log().entry("a warning", |entry| entry["message"] == "unknown environment variable").await;
    assert_eq!([&entry["name"], &entry["nearest"], &entry["level"]], ["INBOXD_MAX_DRAFT", "INBOXD_MAX_DRAFTS", "WARN"]);
}

#[tokio::test]
async fn sighup_applies_limits_and_rates_and_names_settings_that_need_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "inboxd.toml", "INBOXD_MAX_DRAFTS = 1\n");
    let server = options().config(&path).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let draft = async || agent.post(&agent.inbox("/drafts"), json!({"text": "hello"})).await.status;
    assert_eq!([draft().await, draft().await], [200, 429], "one draft is permitted");

    let changed = "INBOXD_MAX_DRAFTS = 2\nINBOXD_DOMAIN = \"other.example\"\nINBOXD_KEY_RATE = 1\n";
    file(&folder, "inboxd.toml", &format!("{changed}INBOXD_TRUSTED_PROXIES = \"127.0.0.1\"\n"));
    reload(&server, "configuration reloaded").await;
    let log = server.log().entries();
    let has = |event: &str, name: &str| log.iter().any(|entry| entry["message"] == event && entry["name"] == name);
    assert!(has("setting changed", "INBOXD_MAX_DRAFTS"), "{log:#?}");
    assert!(has("setting changed", "INBOXD_KEY_RATE"), "{log:#?}");
    assert!(has("changed setting needs a restart", "INBOXD_DOMAIN"), "{log:#?}");
    assert_eq!([draft().await, draft().await], [200, 429], "two drafts are permitted");
    server.http().call(HttpRequest::new("GET", "/v0/inboxes").header("X-Forwarded-For", "192.0.2.7")).await;
    server.log().entry("a request through the new proxy", |entry| entry["client"] == "192.0.2.7").await;
    let list = async || agent.get("/v0/inboxes").await.status;
    eventually("a key has one request per second and ten at once", async || (list().await == 429).then_some(())).await;

    file(&folder, "inboxd.toml", "INBOXD_MAX_DRAFTS = 0\n");
    let entry = reload(&server, "configuration not reloaded").await;
    assert!(entry["error"].as_str().unwrap().contains("INBOXD_MAX_DRAFTS"), "{entry}");
    assert_eq!(server.http().get("/health").await.status, 200);
}

#[tokio::test]
async fn sighup_keeps_proxies_that_a_running_listener_requires() {
    let folder = tempfile::tempdir().unwrap();
    let listener = "INBOXD_HTTP_REDIRECT_ADDR = \"127.0.0.1:0?proxy=required\"\n";
    let path = file(&folder, "inboxd.toml", &format!("{listener}INBOXD_TRUSTED_PROXIES = \"127.0.0.1\"\n"));
    let server = options().config(&path).start().await;
    file(&folder, "inboxd.toml", "");
    reload(&server, "configuration reloaded").await;
    let is_kept = |entry: &Value| {
        entry["message"] == "changed setting needs a restart" && entry["name"] == "INBOXD_TRUSTED_PROXIES"
    };
    assert!(server.log().entries().iter().any(is_kept), "{:#?}", server.log().entries());
    server.http().call(HttpRequest::new("GET", "/v0/inboxes").header("X-Forwarded-For", "192.0.2.7")).await;
    server.log().entry("a request through the old proxy", |entry| entry["client"] == "192.0.2.7").await;
}

#[tokio::test]
async fn sighup_replaces_the_log_filter() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "inboxd.toml", "INBOXD_LOG_FILTER = \"inboxd::reload=info\"\n");
    let server = options().config(&path).start().await;
    let is_logged = || server.log().lines().iter().any(|line| line.contains("request completed"));
    server.http().get("/health").await;
    assert!(!is_logged(), "the filter has no events of the API");
    file(&folder, "inboxd.toml", "INBOXD_LOG_FILTER = \"info\"\n");
    reload(&server, "configuration reloaded").await;
    server.http().get("/v0/inboxes").await;
    eventually("requests are logged", async || is_logged().then_some(())).await;
}
