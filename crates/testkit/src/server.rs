//! Built server binary as a process.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::database::{TestDatabase, database_folder};
use crate::dns::DnsServer;
use crate::http::HttpClient;
use crate::log::ServerLog;
use crate::options::ServerOptions;
use crate::persona::Persona;
use crate::smtp::{SmtpClient, SmtpReply};
use crate::wait::{WAIT_TIMEOUT, eventually};

/// PROXY protocol header of a connection that a proxy opens for itself (command LOCAL).
const LOCAL_HEADER: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";

/// A server for one test, killed when this value is dropped.
#[derive(Debug)]
pub struct TestServer {
    options: ServerOptions,
    database: Option<TestDatabase>,
    data_dir: TempDir,
    running: Running,
    /// DNS server that lives as long as the server.
    _dns: Option<DnsServer>,
}

#[derive(Debug)]
struct Running {
    process: Child,
    readers: [JoinHandle<()>; 2],
    log: ServerLog,
    http: String,
    smtp: String,
    /// Addresses of the first TLS listener and of the redirect.
    https: Option<String>,
    redirect: Option<String>,
}

impl TestServer {
    pub(crate) async fn start(options: ServerOptions, database: Option<TestDatabase>, dns: Option<DnsServer>) -> Self {
        let data_dir = database_folder("inboxd-data-").unwrap();
        // As root, the tests run an embedded database under another account, which needs access.
        std::fs::set_permissions(data_dir.path(), Permissions::from_mode(0o755)).unwrap();
        let running = run(&options, database.as_ref(), &data_dir).await;
        Self { options, database, data_dir, running, _dns: dns }
    }

    /// Returns a client of its API, without an API key.
    #[must_use]
    pub fn http(&self) -> HttpClient {
        http_client(&self.options, &self.running.http)
    }

    /// Returns the base URL of its API.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.running.http)
    }

    /// Returns the address and port of its first HTTPS listener.
    #[must_use]
    pub fn https_address(&self) -> &str {
        self.running.https.as_deref().unwrap()
    }

    /// Returns the address and port that redirects to its base URL.
    #[must_use]
    pub fn redirect_address(&self) -> &str {
        self.running.redirect.as_deref().unwrap()
    }

    /// Returns the address and port of its SMTP listener.
    #[must_use]
    pub fn smtp_address(&self) -> &str {
        &self.running.smtp
    }

    /// Returns its output since the last start.
    #[must_use]
    pub fn log(&self) -> &ServerLog {
        &self.running.log
    }

    /// Returns its test database; an embedded database has none.
    #[must_use]
    pub fn database(&self) -> &TestDatabase {
        self.database.as_ref().unwrap()
    }

    /// Returns its data directory.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        self.data_dir.path()
    }

    /// Returns its process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.running.process.id().unwrap()
    }

    /// Runs another command of the binary with the same configuration.
    pub async fn command(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = command(&self.options, self.database.as_ref(), &self.data_dir);
        command.args(arguments).output().await.unwrap()
    }

    /// Runs a command of the program with a terminal as its output, by util-linux `script`.
    pub async fn command_on_terminal(&self, arguments: &str) -> std::process::Output {
        let mut command = command(&self.options, self.database.as_ref(), &self.data_dir);
        let binary = std::mem::replace(&mut command, Command::new("script"));
        for (name, value) in binary.as_std().get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let words = format!("{} {arguments}", self.options.binary.display());
        command.args(["--quiet", "--return", "--command", &words, "/dev/null"]).stdin(Stdio::null());
        command.output().await.unwrap()
    }

    /// Opens an SMTP session.
    pub async fn smtp(&self) -> SmtpClient {
        SmtpClient::connect(&self.running.smtp).await
    }

    /// Delivers a mail from outside and returns the reply to its content, or the first refusal.
    pub async fn deliver(&self, from: &str, to: &[&str], mail: impl AsRef<[u8]>) -> SmtpReply {
        let mut client = self.smtp().await;
        client.ehlo().await;
        let reply = client.deliver(from, to, mail.as_ref()).await;
        client.quit().await;
        reply
    }

    /// Signs up an unverified organization.
    pub async fn sign_up(&self, human_email: &str, username: &str) -> Persona {
        let body = json!({"human_email": human_email, "username": username});
        let signed_up = self.http().post("/v0/agent/sign-up", body).await.ok();
        Persona::from_sign_up(self, human_email, &signed_up)
    }

    /// Signs up and verifies the owner address with the captured code.
    pub async fn verified(&self, human_email: &str, username: &str) -> Persona {
        let persona = self.sign_up(human_email, username).await;
        persona.verify().await;
        persona
    }

    /// Kills the process with SIGKILL and waits for its end.
    pub async fn kill(&mut self) {
        self.running.process.start_kill().unwrap();
        self.wait_for_exit().await;
    }

    /// Stops the process with SIGTERM and waits for its end.
    pub async fn terminate(&mut self) -> ExitStatus {
        self.send_sigterm();
        self.wait_for_exit().await
    }

    /// Sends SIGTERM without waiting.
    pub fn send_sigterm(&self) {
        let sent = std::process::Command::new("kill").args(["-TERM", &self.process_id().to_string()]).status();
        assert!(sent.unwrap().success(), "kill could not signal the server");
    }

    /// Waits for the end of the process and of its output.
    pub async fn wait_for_exit(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(WAIT_TIMEOUT, self.running.process.wait()).await;
        assert!(ended.is_ok(), "the server does not stop: {:#?}", self.running.log.lines());
        for reader in &mut self.running.readers {
            // A database server that is still stopping keeps the log open.
            let _ = tokio::time::timeout(std::time::Duration::from_millis(500), reader).await;
        }
        ended.unwrap().unwrap()
    }

    /// Restarts the server on other ports, with the same database and folder.
    pub async fn restart(&mut self) {
        self.running = run(&self.options, self.database.as_ref(), &self.data_dir).await;
    }
}

fn command(options: &ServerOptions, database: Option<&TestDatabase>, data_dir: &TempDir) -> Command {
    let mut command = Command::new(&options.binary);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_") || name == "RUST_LOG") {
        command.env_remove(name);
    }
    command.env("INBOXD_DATA_DIR", data_dir.path());
    if let Some(database) = database {
        command.env("INBOXD_DATABASE_URL", database.url());
    }
    command.envs(&options.variables).stdin(Stdio::null()).kill_on_drop(true);
    command
}

async fn run(options: &ServerOptions, database: Option<&TestDatabase>, data_dir: &TempDir) -> Running {
    let mut command = command(options, database, data_dir);
    command.arg("serve").args(options.hold.then_some("--hold"));
    command.args(options.file.iter().flat_map(|file| ["--config", file]));
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (announced, log) = (ServerLog::default(), ServerLog::default());
    let readers = [announced.follow(process.stdout.take().unwrap()), log.follow(process.stderr.take().unwrap())];
    let plays = |role: &str| options.variables.get("INBOXD_ROLES").is_none_or(|roles| roles.contains(role));
    let (http, smtp) = eventually("the server announces that it is ready", async || {
        let ended = process.try_wait().unwrap();
        assert!(ended.is_none(), "the server has ended: {ended:?}\n{:#?}", log.lines());
        let lines = announced.lines();
        let address = |role, label| if plays(role) { after(&lines, label) } else { Some(String::new()) };
        // The last line of the announcement, by role.
        let is_whole = lines.iter().any(|line| line.contains(if plays("http") { "human_email" } else { "is ready" }));
        Some((address("http", "API   http://")?, address("smtp", "SMTP  ")?)).filter(|_| is_whole)
    })
    .await;
    if plays("http") {
        let ready = http_client(options, &http);
        let is_serving = async || {
            let answer = ready.get("/ready").await;
            // With little disk space the server is not ready, but it serves reads.
            (answer.status == 200 || answer.text().contains("disk space")).then_some(())
        };
        eventually("/ready responds", is_serving).await;
    }
    let lines = announced.lines();
    let (https, redirect) = (after(&lines, "API   https://"), after(&lines, "HTTP  "));
    Running { process, readers, log, http, smtp, https, redirect }
}

/// Returns a client of the API, which speaks as a proxy where the server requires one.
fn http_client(options: &ServerOptions, address: &str) -> HttpClient {
    let client = HttpClient::new(address.to_owned());
    let requires_proxy = options.variables["INBOXD_HTTP_ADDR"].contains("proxy=required");
    if requires_proxy { client.with_preface(LOCAL_HEADER) } else { client }
}

/// Returns the word after a label.
fn after(lines: &[String], label: &str) -> Option<String> {
    let (_, rest) = lines.iter().find_map(|line| line.split_once(label))?;
    rest.split_whitespace().next().map(str::to_owned)
}
