//! Dovecot with its IMAP search, which reads the bodies of a Maildir.

use std::fs::{File, Permissions, create_dir, create_dir_all, set_permissions, write};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use inboxd_postgres::raw_of;

use crate::outcome::{Outcome, ms};
use crate::peers::postfix::free_address;
use crate::peers::psql::{Database, bytes_of_hex};

/// User id of the mailbox owner: `nobody`.
const MAIL_USER_ID: u32 = 65_534;
const PROGRAM: &str = "/usr/sbin/dovecot";

/// Running Dovecot with one mailbox and a connection. Dropping it stops the process.
pub(crate) struct Dovecot {
    process: Child,
    answers: BufReader<TcpStream>,
    commands: TcpStream,
    _folder: tempfile::TempDir,
}

impl Dovecot {
    /// Starts Dovecot with the messages of an inbox.
    pub(crate) fn with_mail_of(database: &Database, inbox_id: &str) -> Outcome<Self> {
        if !Path::new(PROGRAM).exists() || !rustix::process::geteuid().is_root() {
            return Err(format!("{PROGRAM} has to be there and is started by root: install dovecot-imapd").into());
        }
        let folder = tempfile::tempdir()?;
        set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        write_messages(database, inbox_id, &folder.path().join("mail"))?;
        let address = free_address()?;
        write(folder.path().join("dovecot.conf"), settings(folder.path(), address))?;
        let log = File::create(folder.path().join("start.log"))?;
        let process =
            Command::new(PROGRAM).arg("-F").arg("-c").arg(folder.path().join("dovecot.conf")).stderr(log).spawn()?;
        let commands = connected(address)?;
        let answers = BufReader::new(commands.try_clone()?);
        let mut dovecot = Self { process, answers, commands, _folder: folder };
        dovecot.command("LOGIN bench bench")?;
        dovecot.command("SELECT INBOX")?;
        Ok(dovecot)
    }

    /// Returns the time of a search in milliseconds.
    pub(crate) fn find(&mut self, needle: &str) -> Outcome<f64> {
        let began = Instant::now();
        let found = self.command(&format!("SEARCH BODY {needle}"))?;
        let took = ms(began.elapsed());
        let hits = found.lines().filter_map(|line| line.strip_prefix("* SEARCH")).any(|hits| !hits.trim().is_empty());
        if hits { Ok(took) } else { Err(format!("Dovecot does not find {needle}").into()) }
    }

    /// Sends a command and returns all lines up to its OK.
    fn command(&mut self, command: &str) -> Outcome<String> {
        self.commands.write_all(format!("a {command}\r\n").as_bytes())?;
        let mut all = String::new();
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line)? == 0 {
                return Err(format!("{command}: Dovecot hung up").into());
            }
            all.push_str(&line);
            if let Some(end) = line.strip_prefix("a ") {
                return if end.starts_with("OK") { Ok(all) } else { Err(format!("{command}: {line}").into()) };
            }
        }
    }
}

impl Drop for Dovecot {
    /// All processes end with the first.
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

fn settings(folder: &Path, address: SocketAddr) -> String {
    let folder = folder.display();
    format!(
        "protocols = imap\nlisten = {}\nbase_dir = {folder}/run\nstate_dir = {folder}/state\nlog_path = {folder}/log\n\
         ssl = no\ndisable_plaintext_auth = no\nfirst_valid_uid = 1\nmail_location = maildir:{folder}/mail\n\
         passdb {{\n driver = static\n args = nopassword=y\n}}\n\
         userdb {{\n driver = static\n args = uid={MAIL_USER_ID} gid={MAIL_USER_ID} home={folder}/mail\n}}\n\
         service imap-login {{\n inet_listener imap {{\n  port = {}\n }}\n inet_listener imaps {{\n  port = 0\n }}\n}}\n",
        address.ip(),
        address.port()
    )
}

/// Writes the original messages, one file each.
fn write_messages(database: &Database, inbox_id: &str, maildir: &Path) -> Outcome<()> {
    create_dir(maildir)?;
    for part in ["cur", "new", "tmp"] {
        create_dir_all(maildir.join(part))?;
        chown(maildir.join(part), Some(MAIL_USER_ID), Some(MAIL_USER_ID))?;
    }
    chown(maildir, Some(MAIL_USER_ID), Some(MAIL_USER_ID))?;
    let rows = database.stream(&format!(
        "select encode(coalesce(large_raw, body), 'hex') from message_bodies where inbox_id = '{inbox_id}'"
    ))?;
    for (number, line) in BufReader::new(rows).lines().enumerate() {
        let raw = raw_of(bytes_of_hex(&line?)?)?;
        let file = maildir.join("cur").join(format!("{number}.bench:2,"));
        write(&file, raw)?;
        chown(&file, Some(MAIL_USER_ID), Some(MAIL_USER_ID))?;
    }
    Ok(())
}

fn connected(address: SocketAddr) -> Outcome<TcpStream> {
    let began = Instant::now();
    loop {
        match TcpStream::connect(address) {
            Ok(stream) => return Ok(stream),
            Err(error) if began.elapsed() > Duration::from_secs(10) => return Err(error.into()),
            Err(_) => sleep(Duration::from_millis(20)),
        }
    }
}
