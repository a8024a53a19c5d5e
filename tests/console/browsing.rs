//! The console in Chromium: scripts of `browser/` against a filled organization.

use std::path::Path;

use serde_json::Value;
use tokio::process::Command;

use super::world::World;
use crate::mcp_clients::node;
use crate::sdk::node::install;
use crate::sdk::program;

/// Folder of the scripts.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/console/browser");

/// Runs a script, which makes at least this number of checks and finds no problem.
async fn run(script: &str, least: u64) {
    let world = World::start().await;
    let lock = include_str!("browser/package-lock.json");
    let modules = install("console-node", include_str!("browser/package.json"), lock);
    let folder = tempfile::tempdir_in(&modules).unwrap();
    for name in ["lib.mjs", script] {
        std::fs::copy(Path::new(SCRIPTS).join(name), folder.path().join(name)).unwrap();
    }
    let (facts, report) = (folder.path().join("world.json"), folder.path().join("report.json"));
    std::fs::write(&facts, world.facts.to_string()).unwrap();
    let mut command = Command::new(node());
    command.arg(folder.path().join(script)).env("INBOXD_WORLD", &facts).env("INBOXD_REPORT", &report);
    let said = program::execute(&world.server, command).await;
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let problems: Vec<&str> = report["problems"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(problems.is_empty(), "{script} found {} problems:\n{}\n{said}", problems.len(), problems.join("\n"));
    let checks = report["checks"].as_u64().unwrap();
    assert!(checks >= least, "{script} made {checks} checks only\n{said}");
}

#[tokio::test]
async fn every_page_is_accessible_and_valid() {
    run("pages.mjs", 500).await;
}

#[tokio::test]
async fn people_read_write_and_administrate() {
    run("flows.mjs", 50).await;
}

#[tokio::test]
async fn pictures_of_documentation_are_taken() {
    run("pictures.mjs", 10).await;
}

#[tokio::test]
async fn mail_of_strangers_does_nothing() {
    run("hostile.mjs", 100).await;
}
