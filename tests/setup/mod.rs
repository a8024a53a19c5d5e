//! `inboxd setup`: settings, DNS records and the first mail, step by step.

mod mail;
mod records;
mod settings;

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;

use inboxd_testkit::{DnsServer, TestDatabase, TestServer, database, eventually};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::support::options;

const DOMAIN: &str = "mail.example.org";

/// A machine before inboxd runs on it.
struct Machine {
    folder: TempDir,
    database: TestDatabase,
    dns: DnsServer,
    /// Address of the DNS server that the command asks.
    resolver: String,
    http: String,
    smtp: String,
}

/// End of the command.
#[derive(Debug)]
struct SetupOutput {
    code: i32,
    stdout: String,
    stderr: String,
}

impl SetupOutput {
    /// Requires a result of a check: its level, its name and words of it.
    #[track_caller]
    fn require(&self, level: &str, check: &str, words: &str) {
        let start = format!("{level:4}  {check:9} ");
        let is_there = self.stdout.lines().any(|line| line.starts_with(&start) && line.contains(words));
        assert!(is_there, "{start}… {words}\n{}\n{}", self.stdout, self.stderr);
    }

    /// Requires a line of the table of records.
    #[track_caller]
    fn require_record(&self, state: &str, name: &str, kind: &str, data: &str) {
        let is_there = self.stdout.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.starts_with(&[state, name, kind]) && words[3..].join(" ") == data
        });
        assert!(is_there, "{state} {name} {kind} {data}\n{}", self.stdout);
    }
}

impl Machine {
    async fn new() -> Self {
        let dns = DnsServer::start().await;
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        Self {
            folder: tempfile::tempdir().unwrap(),
            database: database().await,
            resolver: dns.address().to_string(),
            dns,
            http: free(),
            smtp: free(),
        }
    }

    /// Path of the configuration file.
    fn file(&self) -> PathBuf {
        self.folder.path().join("inboxd.toml")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    /// Variables that keep the machine to itself.
    fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("INBOXD_DATABASE_URL", self.database.url()),
            ("INBOXD_DATA_DIR", self.folder.path().join("data").display().to_string()),
            ("INBOXD_DNS_ADDR", self.resolver.clone()),
            ("INBOXD_HTTP_ADDR", self.http.clone()),
            ("INBOXD_SMTP_ADDR", self.smtp.clone()),
            ("INBOXD_METRICS_ADDR", "off".to_owned()),
        ]
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_")) {
            command.env_remove(name);
        }
        command.envs(self.variables()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// Runs the command with answers on standard input.
    async fn answer(&self, arguments: &[&str], answers: &str) -> SetupOutput {
        let mut command = self.command(env!("CARGO_BIN_EXE_inboxd"));
        command.arg("setup").arg("--config").arg(self.file()).args(arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(answers.as_bytes()).await.unwrap();
        SetupOutput::from(child.wait_with_output().await.unwrap())
    }

    /// Starts the service with these settings, and waits until it has created its key.
    async fn serve(&self, settings: &[(&str, String)]) -> TestServer {
        let variables = self.variables().into_iter().chain(settings.iter().cloned());
        let options = variables.fold(options(), |options, (name, value)| options.set(name, value));
        let server = options.set("INBOXD_DOMAIN", DOMAIN).start().await;
        let has_key = async || {
            let table = self.records("table", &["--domain", DOMAIN]).await;
            table.contains("v=DKIM1").then_some(())
        };
        eventually("the service has a key", has_key).await;
        server
    }

    /// Returns the records in a format.
    async fn records(&self, format: &str, arguments: &[&str]) -> String {
        let output = self.answer(&[&["--format", format], arguments].concat(), "").await;
        assert_eq!(output.code, 0, "{output:?}");
        output.stdout
    }

    /// Publishes the records that the commands of nsupdate add.
    fn publish(&self, commands: &str) {
        for line in commands.lines().filter_map(|line| line.strip_prefix("update add ")) {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words[..] {
                [name, _, "MX", data] => self.dns.mx(name, 10, data.strip_prefix("10 ").unwrap()),
                [name, _, "TXT", data] => self.dns.txt(name, &data.trim_matches('"').replace("\" \"", "")),
                [name, _, "A" | "AAAA", data] => self.dns.host(name, data.parse().unwrap()),
                _ => panic!("{line}"),
            }
        }
    }

    /// Runs the command without a question.
    async fn setup(&self, arguments: &[&str]) -> SetupOutput {
        self.answer(&[arguments, &["--yes"]].concat(), "").await
    }
}

impl From<std::process::Output> for SetupOutput {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}
