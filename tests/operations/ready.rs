//! `inboxd ready`: health check of containers.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use inboxd_testkit::{ReverseProxy, ServerOptions, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::options;

/// Runs `inboxd ready` with the configuration of a server.
async fn ready(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_inboxd"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_")) {
        command.env_remove(name);
    }
    command.arg("ready").args(arguments).envs(variables.iter().copied()).output().await.unwrap()
}

#[track_caller]
fn assert_not_ready(output: &Output, words: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.lines().count() == 1 && text.contains(words), "{words}: {text}");
}

#[track_caller]
fn assert_ready(output: &Output) {
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

fn with(variables: &[(&str, &str)]) -> ServerOptions {
    variables.iter().fold(options(), |options, (name, value)| options.set(name, *value))
}

#[tokio::test]
async fn readiness_follows_server_and_database() {
    let address = ReverseProxy::free_address().to_string();
    let variables = [("INBOXD_HTTP_ADDR", address.as_str())];
    assert_not_ready(&ready(&variables, &[]).await, "cannot be asked");
    let begun = Instant::now();
    assert_not_ready(&ready(&variables, &["--wait=1"]).await, "not ready");
    assert!(begun.elapsed() >= Duration::from_secs(1));

    let waiting = {
        let address = address.clone();
        tokio::spawn(async move { ready(&[("INBOXD_HTTP_ADDR", &address)], &["--wait"]).await })
    };
    let server = with(&variables).set("INBOXD_DATABASE_TIMEOUT_SECONDS", "1").start().await;
    assert_ready(&waiting.await.unwrap());
    assert_ready(&ready(&variables, &[]).await);
    server.database().begin_outage().await;
    eventually("the database is away", async || (server.http().get("/ready").await.status == 503).then_some(())).await;
    assert_not_ready(&ready(&variables, &[]).await, "503");
    server.database().end_outage().await;
    assert_ready(&ready(&variables, &["--wait=30"]).await);
}

#[tokio::test]
async fn every_role_and_listener_can_be_asked() {
    let [tls, smtp, metrics] = [(); 3].map(|()| ReverseProxy::free_address());
    let tls = format!("0.0.0.0:{}?tls=on", tls.port());
    let (smtp, metrics) = (smtp.to_string(), metrics.to_string());
    let secret = ("INBOXD_SECRET_KEY", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    let [http_role, smtp_role, worker_role] = ["http", "smtp", "worker"].map(|role| ("INBOXD_ROLES", role));
    let table = [
        [http_role, ("INBOXD_HTTP_ADDR", tls.as_str()), secret],
        [smtp_role, ("INBOXD_SMTP_ADDR", smtp.as_str()), secret],
        [worker_role, ("INBOXD_METRICS_ADDR", metrics.as_str()), secret],
    ];
    for variables in table {
        assert_not_ready(&ready(&variables, &[]).await, "cannot be asked");
        let folder = tempfile::tempdir().unwrap();
        let mut server = start(&variables, folder.path()).await;
        assert_ready(&ready(&variables, &["--wait=60"]).await);
        server.kill().await.unwrap();
    }
    let off = [worker_role, ("INBOXD_METRICS_ADDR", "off")];
    assert_not_ready(&ready(&off, &[]).await, "INBOXD_METRICS_ADDR");
}

#[tokio::test]
async fn other_program_at_the_metrics_port_is_not_ready() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let other = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let read = client.read(&mut [0; 1024]).await.unwrap();
        assert!(read > 0);
        client.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n# TYPE other gauge\n").await.unwrap();
    });
    let output = ready(&[("INBOXD_ROLES", "worker"), ("INBOXD_METRICS_ADDR", &address)], &[]).await;
    other.await.unwrap();
    assert_not_ready(&output, "another program listens on");
}

/// Starts a server without waiting for its announcement.
async fn start(variables: &[(&str, &str)], data_dir: &Path) -> tokio::process::Child {
    let database = inboxd_testkit::database().await;
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_inboxd"));
    command.arg("serve").env("INBOXD_DATABASE_URL", database.url()).env("INBOXD_DATA_DIR", data_dir);
    command.envs(variables.iter().copied()).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    // The database is dropped when the server has ended.
    std::mem::forget(database);
    command.kill_on_drop(true).spawn().unwrap()
}
