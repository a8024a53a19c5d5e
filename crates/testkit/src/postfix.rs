//! A Postfix of one test, with its own folder and port. It has to be started by root, and serves as its own users.

use std::fs::{Permissions, create_dir, set_permissions};
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::patience::eventually;

/// Whose mailboxes they are: nobody's.
const NOBODY: u32 = 65_534;

/// The processes of a Postfix that receives mail and lays it down.
const SERVICES: &str = "\
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
smtp unix - - n - - smtp
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
";

/// A running Postfix that takes the mail for one domain, with STARTTLS and a certificate that it signed itself. It ends with
/// this value.
#[derive(Debug)]
pub struct Postfix {
    _process: Child,
    folder: TempDir,
}

impl Postfix {
    /// Starts one at an address that is free, with these mailboxes, and waits until it greets.
    pub async fn start(address: SocketAddr, domain: &str, mailboxes: &[&str]) -> Self {
        Self::start_with(address, domain, mailboxes, "").await
    }

    /// Starts one that hands all mail which is not its own to a server, under TLS where that offers it, and forwards what
    /// comes for these names of its domain.
    pub async fn forwarding(address: SocketAddr, domain: &str, to_server: &str, forwards: &[(&str, &str)]) -> Self {
        let (host, port) = to_server.rsplit_once(':').unwrap();
        let forwards: Vec<String> =
            forwards.iter().map(|(name, to)| format!(" {{ {name}@{domain} = {to} }}")).collect();
        let settings = format!(
            "relayhost = [{host}]:{port}\nsmtp_tls_security_level = may\nvirtual_alias_maps = inline:{{{} }}\n",
            forwards.join(",")
        );
        Self::start_with(address, domain, &["postmaster"], &settings).await
    }

    async fn start_with(address: SocketAddr, domain: &str, mailboxes: &[&str], settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let path = folder.path().display();
        let made = rcgen::generate_simple_self_signed([format!("mx.{domain}")]).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("cert.pem", &made.cert.pem());
        write("key.pem", &made.signing_key.serialize_pem());
        let mail = folder.path().join("mail");
        create_dir(&mail).unwrap();
        create_dir(folder.path().join("queue")).unwrap();
        chown(&mail, Some(NOBODY), Some(NOBODY)).unwrap();
        let places: String =
            mailboxes.iter().map(|name| format!(" {{ {name}@{domain} = {name}/ }}")).collect::<Vec<_>>().join(",");
        write(
            "main.cf",
            &format!(
                "compatibility_level = 3.6\nqueue_directory = {path}/queue\ndata_directory = {path}/data\n\
                 maillog_file = {path}/log\nmaillog_file_prefixes = {path}\nmyhostname = mx.{domain}\nmydestination =\n\
                 virtual_mailbox_domains = {domain}\nvirtual_mailbox_base = {path}/mail\n\
                 virtual_mailbox_maps = inline:{{{places} }}\nvirtual_minimum_uid = 1\n\
                 virtual_uid_maps = static:{NOBODY}\nvirtual_gid_maps = static:{NOBODY}\n\
                 smtpd_relay_restrictions = reject_unauth_destination\nsmtpd_tls_security_level = may\n\
                 smtpd_tls_cert_file = {path}/cert.pem\nsmtpd_tls_key_file = {path}/key.pem\n\
                 smtpd_tls_received_header = yes\nsmtp_dns_support_level = disabled\nalias_maps =\nalias_database =\n{settings}"
            ),
        );
        write("master.cf", &format!("{}:{} inet n - n - - smtpd\n{SERVICES}", address.ip(), address.port()));
        let process = Command::new("/usr/sbin/postfix")
            .arg("-c")
            .arg(folder.path())
            .arg("start-fg")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let postfix = Self { _process: process, folder };
        eventually("Postfix listens", async || TcpStream::connect(address).await.ok()).await;
        postfix
    }

    /// Waits for a mail in a mailbox.
    pub async fn mail_of(&self, mailbox: &str) -> String {
        let place: PathBuf = self.folder.path().join("mail").join(mailbox).join("new");
        eventually(&format!("a mail for {mailbox}"), async || {
            let first = std::fs::read_dir(&place).ok()?.next()?.ok()?;
            std::fs::read_to_string(first.path()).ok()
        })
        .await
    }

    /// How many mails it has laid down in a mailbox.
    #[must_use]
    pub fn count_of(&self, mailbox: &str) -> usize {
        let place = self.folder.path().join("mail").join(mailbox).join("new");
        std::fs::read_dir(place).map_or(0, Iterator::count)
    }

    /// Its master, whose children do all the work.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.folder.path().join("queue/pid/master.pid")).ok()?;
        file.trim().parse().ok()
    }

    /// What it has written to its log, for a test that fails.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    /// Its services are processes of their own: they are ended as a group, which its master leads.
    fn drop(&mut self) {
        if let Some(id) = self.process_id() {
            let _ = std::process::Command::new("kill").args(["-KILL", "--", &format!("-{id}")]).status();
        }
    }
}
