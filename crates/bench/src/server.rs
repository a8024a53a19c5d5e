//! The built server on a durable embedded database in a folder of its own.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use inboxd_postgres::embedded::{self, Embedded, Options};
use serde_json::{Value, json};

/// A running server with one inbox.
pub(crate) struct Server {
    child: Child,
    database: Embedded,
    pub(crate) smtp: SocketAddr,
    pub(crate) inbox_id: String,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts the binary that was built beside this one, and signs up.
    pub(crate) async fn start() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        open_to_all(folder.path())?;
        let binary = std::env::current_exe()?.with_file_name("inboxd");
        let mut child = Command::new(&binary)
            .arg("serve")
            .envs([("INBOXD_HTTP_ADDR", "127.0.0.1:0"), ("INBOXD_SMTP_ADDR", "127.0.0.1:0"), ("RUST_LOG", "warn")])
            .env("INBOXD_DATA_DIR", folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}; build it first", binary.display()))?;
        let mut announced = BufReader::new(child.stdout.take().ok_or("no output")?);
        let http = address_behind("http://", &mut announced)?;
        let smtp = address_behind("SMTP  ", &mut announced)?;
        // Whoever joins the embedded server while it runs can measure it alone.
        let database = embedded::start(&Options { data_dir: folder.path().to_owned(), durable: true }).await?;
        let inbox_id = sign_up(http)?;
        Ok(Self { child, database, smtp, inbox_id, _folder: folder })
    }

    /// The database of the server.
    pub(crate) fn database_url(&self) -> String {
        self.database.url()
    }

    /// Stops everything.
    pub(crate) async fn stop(mut self) -> Result<(), Box<dyn Error>> {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        self.child.wait()?;
        Ok(self.database.stop().await?)
    }
}

fn open_to_all(folder: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}

fn address_behind(mark: &str, lines: &mut impl BufRead) -> Result<SocketAddr, Box<dyn Error>> {
    for line in lines.lines() {
        let line = line?;
        if let Some((_, rest)) = line.split_once(mark) {
            return Ok(rest.split_whitespace().next().unwrap_or_default().parse()?);
        }
    }
    Err("the server ended before it was ready".into())
}

fn sign_up(http: SocketAddr) -> Result<String, Box<dyn Error>> {
    let body = json!({"human_email": "owner@example.org", "username": "bench"}).to_string();
    let mut stream = TcpStream::connect(http)?;
    write!(
        stream,
        "POST /v0/agent/sign-up HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    let start = body.find('{').ok_or("no JSON")?;
    let end = body.rfind('}').ok_or("no JSON")?;
    let signed_up: Value = serde_json::from_str(&body[start..=end])?;
    Ok(signed_up["inbox_id"].as_str().ok_or("no inbox")?.to_owned())
}
