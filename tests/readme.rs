//! Quickstart of the README, run as written.

use std::path::Path;

use crate::sdk::{node, program, venv};
use crate::support::server;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");

/// Returns the fenced block after `<!-- quickstart: NAME -->`.
pub(crate) fn quickstart(name: &str) -> String {
    let readme = std::fs::read_to_string(README).unwrap();
    let mark = format!("<!-- quickstart: {name} -->\n```");
    let Some((_, rest)) = readme.split_once(&mark) else { panic!("the README has no quickstart for {name}") };
    let (_, rest) = rest.split_once('\n').unwrap();
    let (block, _) = rest.split_once("\n```").unwrap();
    format!("{block}\n")
}

#[tokio::test]
async fn curl_quickstart_succeeds() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("quickstart.sh");
    std::fs::write(&script, format!("set -euo pipefail\n{}", quickstart("curl"))).unwrap();
    let said = program::run(&server, Path::new("bash"), &script).await;
    assert!(said.contains("Shall we meet at noon?") && said.contains("message_id"), "{said}");
}

#[tokio::test]
async fn python_quickstart_succeeds() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("quickstart.py");
    std::fs::write(&script, quickstart("python")).unwrap();
    let said = program::run(&server, &venv::python(), &script).await;
    assert!(said.contains("wrote: Shall we meet at noon?") && said.contains("has 2 messages"), "{said}");
}

#[tokio::test]
async fn typescript_quickstart_succeeds() {
    let server = server().await;
    // It contains no types, so that every Node runs it unchanged.
    let scripts = node::with_modules(&[("quickstart.mjs", &quickstart("typescript"))]);
    let said = program::run(&server, Path::new("node"), &scripts.join("quickstart.mjs")).await;
    assert!(said.contains("wrote: Shall we meet at noon?") && said.contains("has 2 messages"), "{said}");
}
