//! A real Prometheus, its alerts and `promtool`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use inboxd_testkit::{Prometheus, eventually};

use super::traffic::BusyServer;
use super::{metrics_address, repository};

#[tokio::test]
async fn prometheus_scrapes_traffic_and_evaluates_alerts() {
    let busy = BusyServer::start().await;
    let address = metrics_address(&busy.server).await;
    let prometheus = Prometheus::scraping(&address, &repository("packaging/prometheus/alerts.yml")).await;
    for query in [
        "sum(inboxd_smtp_messages_total{outcome='accepted'})",
        "sum(inboxd_delivery_recipients_total{outcome='delivered'})",
        "sum(inboxd_webhook_attempts_total{outcome='2xx'})",
        "sum(inboxd_http_requests_total{route='/v0/inboxes/{inbox_id}/messages/send'})",
        "sum(inboxd_http_request_duration_seconds_count)",
        "inboxd_build_info",
        "max(inboxd_database_up)",
    ] {
        let value = eventually(query, async || prometheus.value(query).await).await;
        assert!(value >= 1.0, "{query} is {value}");
    }
    let target = prometheus.target().await;
    assert_eq!((target["health"].as_str(), target["lastError"].as_str()), (Some("up"), Some("")), "{target:#}");
    let rules = eventually("all alerts are evaluated", async || {
        let rules = prometheus.rules().await;
        rules.iter().all(|rule| rule["health"] != "unknown").then_some(rules)
    })
    .await;
    for rule in &rules {
        assert_eq!((rule["health"].as_str(), rule["state"].as_str()), (Some("ok"), Some("inactive")), "{rule:#}");
    }
    assert!(rules.len() >= 10, "{}", rules.len());
}

/// Requires that `promtool` finds no problem.
pub(super) fn check_with_promtool(text: &str) {
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    promtool.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
}
