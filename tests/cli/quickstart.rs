//! Quickstart of the command line, run as written.

use std::path::Path;

use tokio::process::Command;

use crate::readme::quickstart;
use crate::sdk::program;
use crate::support::server;

#[tokio::test]
async fn command_line_quickstart_succeeds() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("quickstart.sh");
    std::fs::write(&script, format!("set -euo pipefail\n{}", quickstart("command line"))).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_inboxd")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(&script).env("PATH", path).env("XDG_CONFIG_HOME", folder.path()).env_remove("INBOXD_API_KEY");
    let said = program::execute(&server, command).await;
    assert!(said.contains("Shall we meet at noon?") && said.contains("message_id"), "{said}");
}
