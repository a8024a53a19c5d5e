//! Programs in other languages, run as a user would run them.

use std::path::Path;
use std::time::Duration;

use inboxd_testkit::TestServer;
use tokio::process::Command;

/// Runs a script with the addresses of the server and a file of its log; fails with the output.
pub(crate) async fn run(server: &TestServer, interpreter: &Path, script: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("inboxd.log");
    let write = || std::fs::write(&log, server.log().lines().join("\n") + "\n").unwrap();
    write();
    let mut command = Command::new(interpreter);
    command
        .arg(script)
        .current_dir(folder.path())
        .env("INBOXD_URL", server.base_url())
        .env("INBOXD_SMTP", server.smtp_address())
        .env("INBOXD_LOG", &log)
        .env_remove("AGENTMAIL_API_KEY")
        .kill_on_drop(true);
    let follow = async {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            write();
        }
    };
    let ended = tokio::select! {
        ended = command.output() => ended,
        () = follow => unreachable!("the program ends before the log"),
        () = tokio::time::sleep(Duration::from_mins(2)) => panic!("{} does not finish", script.display()),
    };
    let output = match ended {
        Ok(output) => output,
        Err(error) => panic!("{}: {error}; `scripts/setup test` installs it", interpreter.display()),
    };
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{} failed:\n{said}", script.display());
    said
}
