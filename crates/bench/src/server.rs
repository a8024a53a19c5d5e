//! Built server with a durable embedded database in a folder of its own.

use std::fs::{File, Permissions, set_permissions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use inboxd_postgres::embedded::{self, Embedded};
use inboxd_testkit::DnsServer;
use serde_json::{Value, json};

use crate::load::http::{Http, encoded};
use crate::load::mails::SignedMail;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::peers::psql::Database;
use crate::processor::ProcessorTime;

/// Running server with one organization on a plan without limits.
pub(crate) struct Server {
    process: Process,
    embedded: Embedded,
    http: SocketAddr,
    key: String,
    inboxes: usize,
    pub(crate) smtp: SocketAddr,
    pub(crate) inbox_id: String,
    /// Time from the start of the program on an empty folder to readiness.
    pub(crate) ready_after: Duration,
    /// Time until the first inbox exists.
    pub(crate) signed_up_after: Duration,
    folder: tempfile::TempDir,
    /// DNS server for the lifetime of the server.
    _dns: Option<DnsServer>,
}

impl Server {
    /// Starts the program with these variables and signs up. Without a configured resolver, the server queries one that
    /// knows `bench.example` only.
    pub(crate) async fn start(options: &Options, variables: &[(&str, String)]) -> Outcome<Self> {
        Self::start_program(&options.server, variables).await
    }

    /// Does the same with another program.
    pub(crate) async fn start_program(program: &Path, variables: &[(&str, String)]) -> Outcome<Self> {
        let mut variables = variables.to_vec();
        let mut dns = None;
        if !variables.iter().any(|(name, _)| *name == "INBOXD_DNS_ADDR") {
            let own = DnsServer::start().await;
            own.txt("bench.example", "v=spf1 ip4:127.0.0.1 -all");
            variables.push(("INBOXD_DNS_ADDR", own.address().to_string()));
            dns = Some(own);
        }
        let folder = tempfile::Builder::new().prefix("inboxd-bench-").tempdir()?;
        // If this runs as root, the embedded database runs as another account, which needs access.
        set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        let began = Instant::now();
        let (process, announced) = run(program, folder.path(), &variables)?;
        let ready_after = began.elapsed();
        let signed_up = Http::connect(announced.http, None)?
            .post("/v0/agent/sign-up", &json!({"human_email": "owner@example.org", "username": "bench"}))?;
        let signed_up_after = began.elapsed();
        // A process that joins the embedded PostgreSQL can measure it alone.
        let embedded =
            embedded::start(&embedded::EmbeddedOptions { data_dir: folder.path().to_owned(), durable: true }).await?;
        let text = |name: &str| signed_up[name].as_str().map(str::to_owned).ok_or("sign-up answered something else");
        let server = Self {
            process,
            embedded,
            http: announced.http,
            key: text("api_key")?,
            inboxes: 0,
            smtp: announced.smtp,
            inbox_id: text("inbox_id")?,
            ready_after,
            signed_up_after,
            folder,
            _dns: dns,
        };
        server.lift_limits()?;
        Ok(server)
    }

    /// Verifies all organizations and puts them on a plan without limits.
    pub(crate) fn lift_limits(&self) -> Outcome<()> {
        self.database().execute("update organizations set plan = 'enterprise', verified_at = now()").map(drop)
    }

    /// Returns the secret key that the server has made in its folder.
    pub(crate) fn secret_key(&self) -> Outcome<[u8; 32]> {
        let hex = std::fs::read_to_string(self.folder.path().join("secret-key"))?;
        let byte = |pair: &[u8]| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
        let bytes = hex.trim().as_bytes().chunks(2).map(byte).collect::<Outcome<Vec<u8>>>()?;
        bytes.try_into().map_err(|_| "the secret key does not have 32 bytes".into())
    }

    /// Returns the lines of its log at the level `ERROR`.
    pub(crate) fn logged_errors(&self) -> Outcome<Vec<String>> {
        let log = BufReader::new(File::open(self.folder.path().join("server.log"))?);
        let is_error = |line: &String| line.contains("\"level\":\"ERROR\"");
        Ok(log.lines().map_while(Result::ok).filter(is_error).collect())
    }

    /// Returns the database of the server.
    pub(crate) fn database(&self) -> Database {
        Database::new(self.embedded.url())
    }

    /// Creates an empty database on the same PostgreSQL.
    pub(crate) async fn other_database(&self, name: &str) -> Outcome<Database> {
        self.embedded.create_database(name, None).await?;
        Ok(Database::new(self.embedded.url_of(name)))
    }

    /// Returns the address of the API.
    pub(crate) fn http_address(&self) -> SocketAddr {
        self.http
    }

    /// Returns the key of the organization.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Signs up another organization and returns its key.
    pub(crate) fn another_key(&self, name: &str) -> Outcome<String> {
        let who = json!({"human_email": format!("{name}@example.org"), "username": name});
        let signed_up = Http::connect(self.http, None)?.post("/v0/agent/sign-up", &who)?;
        Ok(signed_up["api_key"].as_str().ok_or("sign-up answered something else")?.to_owned())
    }

    /// Opens an API connection.
    pub(crate) fn api(&self) -> Outcome<Http> {
        Http::connect(self.http, Some(&self.key))
    }

    /// Creates so many empty inboxes.
    pub(crate) fn new_inboxes(&mut self, count: usize) -> Outcome<Vec<String>> {
        let mut api = self.api()?;
        let first = self.inboxes;
        self.inboxes += count;
        let make = |number: usize| -> Outcome<String> {
            let made = api.post("/v0/inboxes", &json!({"username": format!("agent{number}")}))?;
            Ok(made["inbox_id"].as_str().ok_or("no inbox was made")?.to_owned())
        };
        (first..first + count).map(make).collect()
    }

    /// Checks that an accepted message is findable, threaded and authenticated, as its 250 promises.
    pub(crate) fn check(&self, inbox_id: &str, mail: &SignedMail) -> Outcome<()> {
        let mut api = self.api()?;
        let found = api.get(&format!("/v0/inboxes/{inbox_id}/messages/search?q={}", mail.word))?;
        let [message] = found["messages"].as_array().map_or(&[][..], Vec::as_slice) else {
            return Err(format!("{} is not found in {inbox_id}: {found}", mail.word).into());
        };
        let message_id = message["message_id"].as_str().ok_or("a message without an id")?;
        let whole = api.get(&format!("/v0/inboxes/{inbox_id}/messages/{}", encoded(message_id)))?;
        let verdict = |method: &str| whole["authentication"][method] == "pass";
        let is_judged = ["spf", "dkim", "dmarc"].into_iter().all(verdict);
        let events = api.get(&format!("/v0/events?limit=1&inbox_id={inbox_id}"))?;
        match (is_judged, &whole["thread_id"], events["events"].as_array().map(Vec::len)) {
            (true, Value::String(_), Some(1)) => Ok(()),
            _ => Err(format!("{message_id} is not judged, threaded and announced: {whole:#} {events:#}").into()),
        }
    }

    /// Returns the process id of the server.
    pub(crate) fn process_id(&self) -> u32 {
        self.process.0.id()
    }

    /// Returns the processor time of the server, its PostgreSQL and this program.
    pub(crate) fn spent(&self) -> Outcome<[ProcessorTime; 3]> {
        Ok([
            ProcessorTime::by(self.process_id())?,
            ProcessorTime::by(self.postgres_id()?)?,
            ProcessorTime::of_this_process()?,
        ])
    }

    /// Returns the id of the first process of its PostgreSQL.
    pub(crate) fn postgres_id(&self) -> Outcome<u32> {
        let text = std::fs::read_to_string(self.folder.path().join("postgres/cluster/postmaster.pid"))?;
        Ok(text.lines().next().unwrap_or_default().parse()?)
    }

    /// Stops everything.
    pub(crate) async fn stop(mut self) -> Outcome<()> {
        Command::new("kill").arg(self.process_id().to_string()).status()?;
        self.process.0.wait()?;
        Ok(self.embedded.stop().await?)
    }
}

/// Process that is killed on drop, so a failed benchmark leaves none. A stopped server is not affected.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Announced {
    http: SocketAddr,
    smtp: SocketAddr,
}

fn run(program: &Path, folder: &Path, variables: &[(&str, String)]) -> Outcome<(Process, Announced)> {
    let mut child = Command::new(program)
        .arg("serve")
        .envs([("INBOXD_HTTP_ADDR", "127.0.0.1:0"), ("INBOXD_SMTP_ADDR", "127.0.0.1:0")])
        .env("INBOXD_UNAUTHENTICATED_RATE", "0")
        .env("INBOXD_KEY_RATE", "0")
        .env("INBOXD_DATA_DIR", folder)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .stderr(File::create(folder.join("server.log"))?)
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}; build it first", program.display()))?;
    let output = child.stdout.take();
    let process = Process(child);
    let mut lines = BufReader::new(output.ok_or("the server has no output")?);
    let announced = Announced { http: address("http://", &mut lines)?, smtp: address("SMTP  ", &mut lines)? };
    // Further output needs a reader.
    std::thread::spawn(move || lines.lines().for_each(drop));
    Ok((process, announced))
}

fn address(mark: &str, lines: &mut BufReader<ChildStdout>) -> Outcome<SocketAddr> {
    for line in lines.lines() {
        let line = line?;
        if let Some((_, rest)) = line.split_once(mark) {
            return Ok(rest.split_whitespace().next().unwrap_or_default().parse()?);
        }
    }
    Err("the server ended before it was ready".into())
}
