//! Failed starts with a one-line reason.

use std::process::{Command, Output};

use crate::support::server;

fn start(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_inboxd"))
        .args(arguments)
        .env("INBOXD_DATA_DIR", folder.path())
        .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[track_caller]
fn assert_one_line_error(output: &Output, word: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{word}: the server started");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(word), "{word} is not in {text}");
}

#[test]
fn invalid_variable_is_named_with_allowed_values() {
    for (name, value) in [
        ("INBOXD_HTTP_ADDR", "nowhere"),
        ("INBOXD_SMTP_ADDR", "1.2.3.4"),
        ("INBOXD_DELIVERY", "pigeon"),
        ("INBOXD_RELAY_URL", "http://x"),
        ("INBOXD_MAX_MESSAGE_BYTES", "many"),
        ("INBOXD_ROLES", "cook"),
        ("INBOXD_STRIPE_API_URL", "http://stripe.example"),
        ("INBOXD_STRIPE_PRICES", "gold=price_1"),
        ("INBOXD_STRIPE_SECRET_KEY", "sk_test_alone"),
        ("INBOXD_SECRET_KEY", "short"),
        ("INBOXD_DATABASE_URL", "mysql://x"),
        ("INBOXD_DOMAIN", "no domain"),
        ("INBOXD_OUTBOUND_ALLOW_CIDRS", "10.0.0.0/99"),
    ] {
        let delivery = if name == "INBOXD_RELAY_URL" { ("INBOXD_DELIVERY", "relay") } else { ("INBOXD_UNUSED", "") };
        assert_one_line_error(&start(&[delivery, (name, value)], &["serve"]), name);
    }
}

#[test]
fn missing_database_is_named() {
    let url = "postgres://nobody:secret@127.0.0.1:1/nothing";
    let output = start(&[("INBOXD_DATABASE_URL", url)], &["migrate"]);
    assert_one_line_error(&output, "database");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("secret"), "the line contains the password");
}

#[tokio::test]
async fn port_in_use_is_named() {
    let server = server().await;
    let taken = server.smtp_address();
    let output = start(&[("INBOXD_SMTP_ADDR", taken)], &["serve"]);
    assert_one_line_error(&output, taken);
    assert!(String::from_utf8_lossy(&output.stderr).contains("INBOXD_SMTP_ADDR"), "{output:?}");
}

#[tokio::test]
async fn file_sets_variables_missing_in_environment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inboxd.toml");
    std::fs::write(&file, "INBOXD_DELIVERY = \"pigeon\"\n").unwrap();
    let path = file.to_str().unwrap();
    assert_one_line_error(&start(&[], &["serve", "--config", path]), "INBOXD_DELIVERY");
    std::fs::write(&file, "INBOXD_DELIVERIES = \"relay\"\n").unwrap();
    assert_one_line_error(&start(&[], &["serve", "--config", path]), "INBOXD_DELIVERIES");
}
