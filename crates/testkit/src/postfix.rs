//! Postfix for one test, with a separate folder and port. Root must start it; it serves under its own users.

use std::fs::{Permissions, create_dir, set_permissions};
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::wait::eventually;

/// Owner of the mailboxes, the user `nobody`.
const MAILBOX_UID: u32 = 65_534;

/// Services of a Postfix that receives mail and stores it.
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

/// A Postfix that receives mail for one domain, with STARTTLS and a self-signed certificate. It stops when this value
/// is dropped.
#[derive(Debug)]
pub struct Postfix {
    _process: Child,
    folder: TempDir,
    certificate: Vec<u8>,
}

impl Postfix {
    /// Starts Postfix at a free address with these mailboxes and waits for its greeting.
    pub async fn start(address: SocketAddr, domain: &str, mailboxes: &[&str]) -> Self {
        Self::start_with(address, domain, mailboxes, "").await
    }

    /// Starts a Postfix that relays foreign mail to a server, under TLS where offered. It forwards mail for these names
    /// of its domain.
    pub async fn start_forwarding(
        address: SocketAddr,
        domain: &str,
        to_server: &str,
        forwards: &[(&str, &str)],
    ) -> Self {
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
        chown(&mail, Some(MAILBOX_UID), Some(MAILBOX_UID)).unwrap();
        let mailbox_map: String =
            mailboxes.iter().map(|name| format!(" {{ {name}@{domain} = {name}/ }}")).collect::<Vec<_>>().join(",");
        write(
            "main.cf",
            &format!(
                "compatibility_level = 3.6\nqueue_directory = {path}/queue\ndata_directory = {path}/data\n\
                 maillog_file = {path}/log\nmaillog_file_prefixes = {path}\nmyhostname = mx.{domain}\nmydestination =\n\
                 virtual_mailbox_domains = {domain}\nvirtual_mailbox_base = {path}/mail\n\
                 virtual_mailbox_maps = inline:{{{mailbox_map} }}\nvirtual_minimum_uid = 1\n\
                 virtual_uid_maps = static:{MAILBOX_UID}\nvirtual_gid_maps = static:{MAILBOX_UID}\n\
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
        let postfix = Self { _process: process, folder, certificate: made.cert.der().to_vec() };
        eventually("Postfix listens", async || TcpStream::connect(address).await.ok()).await;
        postfix
    }

    /// Returns its certificate in DER.
    #[must_use]
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// Waits for a mail in a mailbox.
    pub async fn wait_for_mail(&self, mailbox: &str) -> String {
        let folder_of_mail: PathBuf = self.folder.path().join("mail").join(mailbox).join("new");
        eventually(&format!("a mail for {mailbox}"), async || {
            let first = std::fs::read_dir(&folder_of_mail).ok()?.next()?.ok()?;
            std::fs::read_to_string(first.path()).ok()
        })
        .await
    }

    /// Returns the number of mails in a mailbox.
    #[must_use]
    pub fn mail_count(&self, mailbox: &str) -> usize {
        let folder_of_mail = self.folder.path().join("mail").join(mailbox).join("new");
        std::fs::read_dir(folder_of_mail).map_or(0, Iterator::count)
    }

    /// Returns the id of its master process, the parent of all services.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.folder.path().join("queue/pid/master.pid")).ok()?;
        file.trim().parse().ok()
    }

    /// Returns its log, for the message of a failed test.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    /// Kills the process group of the master, because its services are separate processes.
    fn drop(&mut self) {
        if let Some(id) = self.process_id() {
            let _ = std::process::Command::new("kill").args(["-KILL", "--", &format!("-{id}")]).status();
        }
    }
}
