//! The service and its OpenAPI document say the same. Schemathesis calls every operation with what the document allows
//! and with what it rules out, and compares each answer with the document.

mod seeds;

use std::path::Path;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::sdk::venv;
use crate::support::server_and_agent;

const REQUIREMENTS: &str = include_str!("requirements.txt");

/// A run takes a minute or two, and many times that where other programs take the cores.
const PATIENCE: Duration = Duration::from_mins(30);

#[tokio::test]
async fn no_answer_is_a_fault_of_the_server_or_contradicts_the_document() {
    let (server, agent) = server_and_agent().await;
    let folder = tempfile::tempdir().unwrap();
    let ids = folder.path().join("ids.json");
    std::fs::write(&ids, seeds::sown(&server, &agent).await.to_string()).unwrap();

    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance"));
    let mut schemathesis = Command::new(venv::programs("schemathesis", REQUIREMENTS).join("schemathesis"));
    schemathesis
        .arg("--config-file")
        .arg(here.join("schemathesis.toml"))
        .args(["run", "--no-color"])
        .arg(format!("{}/openapi.json", server.base_url()))
        .current_dir(folder.path())
        .env("SCHEMATHESIS_HOOKS", here.join("hooks.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("INBOXD_KEY", &agent.key)
        .env("INBOXD_IDS", &ids)
        .kill_on_drop(true);
    let Ok(output) = timeout(PATIENCE, schemathesis.output()).await else { panic!("schemathesis does not end") };
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "the service and its document differ:\n{said}");
    println!("{said}");
}
