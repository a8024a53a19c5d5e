//! Programs in other languages, run as a user would run them.

use std::path::Path;
use std::time::Duration;

use inboxd_testkit::TestServer;
use tokio::process::Command;

/// A script takes seconds, and much longer on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_mins(5);

/// Runs a script with the addresses of the server and a file of its log; fails with the output.
pub(crate) async fn run(server: &TestServer, interpreter: &Path, script: &Path) -> String {
    let mut command = Command::new(interpreter);
    command.arg(script);
    execute(server, command).await
}

/// Runs a command with the addresses of the server and a file of its log; fails with the output.
pub(crate) async fn execute(server: &TestServer, mut command: Command) -> String {
    let words = std::iter::once(command.as_std().get_program()).chain(command.as_std().get_args());
    let label = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("inboxd.log");
    let write = || std::fs::write(&log, server.log().lines().join("\n") + "\n").unwrap();
    write();
    command
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
        () = tokio::time::sleep(WAIT_TIMEOUT) => panic!("{label} does not finish"),
    };
    let output = match ended {
        Ok(output) => output,
        Err(error) => panic!("{label}: {error}; `scripts/setup test` installs it"),
    };
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{label} failed:\n{said}");
    said
}
