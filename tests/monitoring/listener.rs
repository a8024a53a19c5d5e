//! Listener of the metrics.

use std::net::TcpListener;
use std::process::Stdio;

use inboxd_testkit::{HttpClient, HttpRequest};
use tokio::process::Command;

use super::{metrics_address, observed};
use crate::support::options;

#[tokio::test]
async fn listener_serves_metrics_alone() {
    let server = observed().start().await;
    let metrics = HttpClient::new(metrics_address(&server).await);
    assert_eq!(metrics.get("/").await.status, 404);
    assert_eq!(metrics.get("/v0/inboxes").await.status, 404);
    let refused = metrics.call(HttpRequest::new("POST", "/metrics").body("x")).await;
    assert_eq!((refused.status, refused.header("Allow")), (405, Some("GET, HEAD")));
    assert_eq!(server.http().get("/metrics").await.status, 404, "the API has no metrics");
}

#[tokio::test]
async fn metrics_can_be_off() {
    let server = options().set("INBOXD_METRICS_ADDR", "off").start().await;
    server.http().get("/ready").await;
    assert!(!server.log().lines().iter().any(|line| line.contains("metrics")), "{:#?}", server.log().lines());
}

#[tokio::test]
async fn configured_port_in_use_stops_the_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_inboxd"))
        .arg("serve")
        .env("INBOXD_DATA_DIR", folder.path())
        .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_METRICS_ADDR", &address)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    let line = said.lines().find(|line| line.contains(&address)).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("INBOXD_METRICS_ADDR") && line.contains("off"), "{line}");
}

#[tokio::test]
async fn default_port_in_use_is_a_warning() {
    // Held by this test, or by another process of this machine.
    let _taken = TcpListener::bind("127.0.0.1:9464");
    let server = options().set("INBOXD_METRICS_ADDR", "").start().await;
    let entry = server.log().entry("a warning", |entry| entry["message"] == "metrics not served").await;
    assert_eq!(entry["level"], "WARN", "{entry}");
    assert!(entry["fix"].as_str().unwrap().contains("INBOXD_METRICS_ADDR"), "{entry}");
    assert_eq!(server.http().get("/ready").await.status, 200);
}
