//! The built program with a configuration folder of its own.

use std::process::Stdio;

use inboxd_testkit::{Persona, TestServer};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// The program as one user runs it.
pub(super) struct CliUser {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// End of a command.
#[derive(Debug)]
pub(super) struct CliOutput {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl CliUser {
    /// A user without a profile, at a server.
    pub(super) fn at(server: &TestServer) -> Self {
        Self::without_server().set("INBOXD_URL", &server.base_url())
    }

    /// A user without a profile, who names the server in another way.
    pub(super) fn without_server() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// A user with the key of a persona.
    pub(super) fn acting_as(server: &TestServer, persona: &Persona) -> Self {
        Self::at(server).set("INBOXD_API_KEY", &persona.key)
    }

    /// Sets an environment variable.
    pub(super) fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Path of a file of the user.
    pub(super) fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Path of the file of profiles.
    pub(super) fn profiles(&self) -> std::path::PathBuf {
        self.file("inboxd/profiles.toml")
    }

    /// Returns a command of this user.
    pub(super) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_")) {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(self.folder.path()).env("XDG_CONFIG_HOME", self.folder.path());
        command.env_remove("NO_COLOR").env_remove("PAGER").envs(self.variables.iter().cloned());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// Returns a command of the built program.
    pub(super) fn inboxd(&self, arguments: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_inboxd"), arguments)
    }

    /// Runs the program.
    pub(super) async fn run(&self, arguments: &[&str]) -> CliOutput {
        CliOutput::from(self.inboxd(arguments).output().await.unwrap())
    }

    /// Runs the program with standard input.
    pub(super) async fn run_with_input(&self, arguments: &[&str], input: &str) -> CliOutput {
        let mut child = self.inboxd(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        CliOutput::from(child.wait_with_output().await.unwrap())
    }

    /// Runs the program on a long terminal and returns all that it shows.
    pub(super) async fn run_on_terminal(&self, arguments: &[&str]) -> CliOutput {
        self.run_on_terminal_of(500, arguments).await
    }

    /// Runs the program on a terminal with this number of rows and returns all that it shows.
    pub(super) async fn run_on_terminal_of(&self, rows: u16, arguments: &[&str]) -> CliOutput {
        let quoted = arguments.iter().map(|argument| format!("'{argument}'")).collect::<Vec<_>>().join(" ");
        let line = format!("stty -echo cols 120 rows {rows}; exec {} {quoted}", env!("CARGO_BIN_EXE_inboxd"));
        let mut command = self.command("script", &["-qefc", &line, "/dev/null"]);
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        CliOutput::from(command.output().await.unwrap())
    }
}

impl From<std::process::Output> for CliOutput {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl CliOutput {
    /// Returns standard output of a command that succeeded.
    #[track_caller]
    pub(super) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:#?}");
        self.stdout
    }

    /// Returns the lines of JSON of a command that succeeded.
    #[track_caller]
    pub(super) fn json_lines(self) -> Vec<Value> {
        self.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the one JSON value of a command that succeeded.
    #[track_caller]
    pub(super) fn json(self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{lines:#?}");
        lines.remove(0)
    }

    /// Returns standard error of a command that failed with this code.
    #[track_caller]
    pub(super) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:#?}");
        assert_eq!(self.stdout, "", "a failed command writes no result");
        self.stderr
    }
}
