//! Unmodified clients of MCP and OAuth against the built server.
//!
//! The scripts play the browser of a person: `python/browser.py` signs in with the mailed code and decides on the
//! consent page. Each script checks discovery, registration, consent, calls, refresh, step-up and revocation as its
//! client sees them.

mod document;
mod tools;

use inboxd_testkit::{Persona, TestServer};
use tokio::process::Command;

use crate::support::{mail_to, receive, server_and_agent};
pub(crate) use tools::node;
use tools::{Python, conformance, node_program, node_script, run};

/// Starts a server with an agent that has received one mail.
async fn start() -> (TestServer, Persona) {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Hello")).await;
    (server, agent)
}

/// Runs a command with these arguments against a new server.
async fn run_script(mut command: Command, arguments: &[&str]) -> String {
    let (server, agent) = start().await;
    command.args(arguments);
    run(&server, &agent, command).await
}

#[tokio::test]
async fn python_sdk_2_completes_flow_in_current_revision() {
    run_script(Python::sdk_2().script("flow.py"), &["auto", "none"]).await;
}

#[tokio::test]
async fn python_sdk_2_completes_flow_after_handshake() {
    run_script(Python::sdk_2().script("flow.py"), &["legacy", "client_secret_post"]).await;
}

#[tokio::test]
async fn python_sdk_1_completes_flow() {
    run_script(Python::sdk_1().script("flow.py"), &["legacy", "client_secret_basic"]).await;
}

#[tokio::test]
async fn python_sdks_start_program_over_standard_streams() {
    let (server, agent) = start().await;
    for (python, mode) in [(Python::sdk_2(), "auto"), (Python::sdk_2(), "legacy"), (Python::sdk_1(), "legacy")] {
        let mut command = python.script("stdio.py");
        command.arg(mode).env("INBOXD_PROGRAM", env!("CARGO_BIN_EXE_inboxd"));
        run(&server, &agent, command).await;
    }
}

#[tokio::test]
async fn newcomer_connects_reads_drafts_and_disconnects() {
    run_script(Python::sdk_2().script("newcomer.py"), &[]).await;
}

#[tokio::test]
async fn teammate_connects_with_role_and_inboxes_until_removal() {
    run_script(Python::sdk_2().script("teammate.py"), &[]).await;
}

#[tokio::test]
async fn typescript_client_completes_flow_in_pinned_revision() {
    run_script(node_script("flow.mjs"), &["client", "2026-07-28"]).await;
}

#[tokio::test]
async fn typescript_client_completes_flow_with_negotiation() {
    run_script(node_script("flow.mjs"), &["client", "auto"]).await;
}

#[tokio::test]
async fn typescript_client_completes_flow_after_handshake() {
    run_script(node_script("flow.mjs"), &["client", "legacy"]).await;
}

#[tokio::test]
async fn typescript_sdk_1_completes_flow() {
    run_script(node_script("flow.mjs"), &["sdk"]).await;
}

#[tokio::test]
async fn oauth4webapi_accepts_authorization_server() {
    run_script(node_script("oauth4webapi.mjs"), &[]).await;
}

#[tokio::test]
async fn authlib_accepts_authorization_server() {
    run_script(Python::authlib().script("authlib_client.py"), &[]).await;
}

#[tokio::test]
async fn connection_makes_no_key_member_or_webhook() {
    run_script(Python::authlib().script("powers.py"), &[]).await;
}

#[tokio::test]
async fn conformance_suite_accepts_server() {
    run_script(conformance(), &["server"]).await;
}

#[tokio::test]
async fn conformance_suite_accepts_authorization_server() {
    run_script(conformance(), &["authorization"]).await;
}

#[tokio::test]
async fn inspector_finds_portable_tool_schemas() {
    let (server, agent) = start().await;
    for era in ["legacy", "modern"] {
        let mut inspector = node_program("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
        let (url, key) = (format!("{}/mcp", server.base_url()), format!("x-api-key: {}", agent.key));
        inspector.args(["--cli", &url, "--transport", "http", "--method", "tools/list", "--header", &key]);
        inspector.args(["--strict", "--protocol-era", era]);
        let home = tempfile::tempdir().unwrap();
        inspector.env("HOME", home.path()).env("NO_COLOR", "1");
        let said = run(&server, &agent, inspector).await;
        assert!(said.contains("\"reply_to_message\""), "{era}: {said}");
    }
}
