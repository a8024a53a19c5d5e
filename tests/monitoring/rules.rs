//! Alert rules and the dashboard as files.

use std::process::Command;

use serde_json::Value;

use super::repository;

#[test]
fn alert_rules_pass_their_tests() {
    let folder = repository("packaging/prometheus");
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]] {
        let output = Command::new("promtool").args(arguments).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success() && said.contains("SUCCESS"), "{arguments:?}: {said}");
    }
}

#[test]
fn dashboard_has_distinct_panels_with_queries() {
    let text = std::fs::read_to_string(repository("packaging/grafana/inboxd.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut ids: Vec<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), panels.len());
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty() && targets.iter().all(|target| target["expr"].is_string()), "{panel:#}");
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{panel:#}");
    }
}
