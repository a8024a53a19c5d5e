//! The built binary, running.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::database::TestDatabase;
use crate::dns::Dns;
use crate::http::Http;
use crate::log::Log;
use crate::options::ServerOptions;
use crate::patience::{PATIENCE, eventually};
use crate::persona::Persona;
use crate::smtp::{Reply, SmtpClient};

/// A server of its own for one test. It is killed with this value.
#[derive(Debug)]
pub struct Server {
    options: ServerOptions,
    database: Option<TestDatabase>,
    data_dir: TempDir,
    running: Running,
    /// Answers as long as the server may ask.
    _dns: Option<Dns>,
}

#[derive(Debug)]
struct Running {
    process: Child,
    readers: [JoinHandle<()>; 2],
    log: Log,
    http: String,
    smtp: String,
}

impl Server {
    pub(crate) async fn start(options: ServerOptions, database: Option<TestDatabase>, dns: Option<Dns>) -> Self {
        let data_dir = tempfile::Builder::new().prefix("inboxd-data-").tempdir().unwrap();
        // The account that an embedded database runs as, where the tests run as root, has to get in.
        std::fs::set_permissions(data_dir.path(), Permissions::from_mode(0o755)).unwrap();
        let running = run(&options, database.as_ref(), &data_dir).await;
        Self { options, database, data_dir, running, _dns: dns }
    }

    /// Its API, without a key.
    #[must_use]
    pub fn http(&self) -> Http {
        Http::new(self.running.http.clone())
    }

    /// Where its API is, as a URL.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.running.http)
    }

    /// Where it takes mail, as address and port.
    #[must_use]
    pub fn smtp_address(&self) -> &str {
        &self.running.smtp
    }

    /// What it wrote since it was last started.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.running.log
    }

    /// Its database, unless that is its own.
    #[must_use]
    pub fn database(&self) -> &TestDatabase {
        self.database.as_ref().unwrap()
    }

    /// Its data directory.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        self.data_dir.path()
    }

    /// The id of its process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.running.process.id().unwrap()
    }

    /// Runs another command of the binary with the same configuration.
    pub async fn command(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = command(&self.options, self.database.as_ref(), &self.data_dir);
        command.args(arguments).output().await.unwrap()
    }

    /// Opens an SMTP session.
    pub async fn smtp(&self) -> SmtpClient {
        SmtpClient::connect(&self.running.smtp).await
    }

    /// Delivers a mail from outside and answers how the server replied to its content, or to what it refused before.
    pub async fn deliver(&self, from: &str, to: &[&str], mail: impl AsRef<[u8]>) -> Reply {
        let mut client = self.smtp().await;
        client.ehlo().await;
        let reply = client.deliver(from, to, mail.as_ref()).await;
        client.quit().await;
        reply
    }

    /// Signs up; the organization is unverified.
    pub async fn sign_up(&self, human_email: &str, username: &str) -> Persona {
        let body = json!({"human_email": human_email, "username": username});
        let signed_up = self.http().post("/v0/agent/sign-up", body).await.ok();
        Persona::of(self, human_email, &signed_up)
    }

    /// Signs up and confirms the owner address, with the code that a captured mail brings.
    pub async fn verified(&self, human_email: &str, username: &str) -> Persona {
        let persona = self.sign_up(human_email, username).await;
        persona.verify().await;
        persona
    }

    /// Kills it, as a loss of power would, and waits until it is gone.
    pub async fn kill_9(&mut self) {
        self.running.process.start_kill().unwrap();
        self.ended().await;
    }

    /// Asks it to stop, and waits until it has.
    pub async fn terminate(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.ended().await
    }

    /// Sends it SIGTERM and does not wait.
    pub fn ask_to_stop(&self) {
        let sent = std::process::Command::new("kill").args(["-TERM", &self.process_id().to_string()]).status();
        assert!(sent.unwrap().success(), "kill could not signal the server");
    }

    /// Waits until it has ended by itself, and has said everything.
    pub async fn ended(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(PATIENCE, self.running.process.wait()).await;
        assert!(ended.is_ok(), "the server does not stop: {:#?}", self.running.log.lines());
        for reader in &mut self.running.readers {
            // A database server that is still stopping holds the log open.
            let _ = tokio::time::timeout(std::time::Duration::from_millis(500), reader).await;
        }
        ended.unwrap().unwrap()
    }

    /// Starts it again, on other ports, with the same database and folder.
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
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (announced, log) = (Log::default(), Log::default());
    let readers = [announced.follow(process.stdout.take().unwrap()), log.follow(process.stderr.take().unwrap())];
    let plays = |role: &str| options.variables.get("INBOXD_ROLES").is_none_or(|roles| roles.contains(role));
    let (http, smtp) = eventually("the server says that it is ready", async || {
        let ended = process.try_wait().unwrap();
        assert!(ended.is_none(), "the server has ended: {ended:?}\n{:#?}", log.lines());
        let lines = announced.lines();
        let address = |role, label| if plays(role) { after(&lines, label) } else { Some(String::new()) };
        // The last line that a server of the API always says.
        let is_whole = lines.iter().any(|line| line.contains(if plays("http") { "human_email" } else { "is ready" }));
        Some((address("http", "API   http://")?, address("smtp", "SMTP  ")?)).filter(|_| is_whole)
    })
    .await;
    if plays("http") {
        let ready = Http::new(http.clone());
        let is_serving = async || {
            let answer = ready.get("/ready").await;
            // A server that starts with little disk space serves reads.
            (answer.status == 200 || answer.text().contains("disk space")).then_some(())
        };
        eventually("/ready answers", is_serving).await;
    }
    Running { process, readers, log, http, smtp }
}

/// The word behind a label.
fn after(lines: &[String], label: &str) -> Option<String> {
    let (_, rest) = lines.iter().find_map(|line| line.split_once(label))?;
    rest.split_whitespace().next().map(str::to_owned)
}
