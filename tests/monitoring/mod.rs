//! Metrics for operators: the listener, Prometheus, dashboard, alerts, traces.

mod cardinality;
mod listener;
mod prometheus;
mod rules;
pub(crate) mod samples;
mod trace;
mod traffic;

use std::path::{Path, PathBuf};

use inboxd_testkit::{HttpClient, HttpRequest, ServerOptions, TestServer};

use crate::support::options;

/// Options of a server with metrics on a free port.
pub(crate) fn observed() -> ServerOptions {
    options().set("INBOXD_METRICS_ADDR", "127.0.0.1:0")
}

/// Returns the address and port of the metrics of a server.
async fn metrics_address(server: &TestServer) -> String {
    let entry = server.log().entry("metrics are served", |entry| entry["message"] == "metrics served").await;
    let url = entry["url"].as_str().unwrap();
    url.strip_prefix("http://").and_then(|url| url.strip_suffix("/metrics")).unwrap().to_owned()
}

/// Returns the metrics of a server in the older text format.
pub(crate) async fn scrape(server: &TestServer) -> String {
    let response = HttpClient::new(metrics_address(server).await).get("/metrics").await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("Content-Type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    response.text()
}

/// Returns the metrics of a server as `OpenMetrics`.
async fn scrape_open_metrics(server: &TestServer) -> String {
    let request = HttpRequest::new("GET", "/metrics").header("Accept", "application/openmetrics-text; version=1.0.0");
    let response = HttpClient::new(metrics_address(server).await).call(request).await;
    let kind = response.header("Content-Type");
    assert_eq!(kind, Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
    response.text()
}

/// Returns a file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).canonicalize().unwrap()
}
