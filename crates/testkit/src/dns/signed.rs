//! BIND with signed zones below a private root, for tests of DNSSEC.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::wait::eventually;

/// Start of each zone.
const HEAD: &str = "$TTL 60\n@ SOA ns. hostmaster. 1 3600 600 86400 60\n@ NS ns.\n";

/// A name server of these zones, without recursion. It stops when this value is dropped.
///
/// ```text
/// .                  signed; its key is the trust anchor
/// example.           signed, with NSEC3 and opt-out
/// signed.example.    signed, with the records of the test
/// unsigned.example.  not signed, with the records of the test
/// broken.example.    has a DS record, but its signatures are missing
/// ```
#[derive(Debug)]
pub struct SignedDns {
    address: SocketAddr,
    folder: TempDir,
    _process: Child,
}

impl SignedDns {
    /// Starts the server with these records of the three zones, in the form of zone files.
    pub async fn start(signed: &str, unsigned: &str, broken: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let zones = ZoneFolder(folder.path());
        for name in [".", "example.", "signed.example.", "broken.example."] {
            zones.generate_key(name).await;
        }
        zones.write("signed.example.", signed);
        zones.write("unsigned.example.", unsigned);
        zones.write("broken.example.", broken);
        zones.sign("broken.example.", &[]).await;
        zones.sign("signed.example.", &[]).await;
        let delegations = ["signed", "unsigned", "broken"].map(|name| format!("{name} NS ns.\n")).concat();
        let ds = zones.read("dsset-signed.example.") + &zones.read("dsset-broken.example.");
        zones.write("example.", &(delegations + &ds));
        zones.sign("example.", &["-3", "-", "-A"]).await;
        zones.write(".", &("ns. A 127.0.0.1\nexample. NS ns.\n".to_owned() + &zones.read("dsset-example.")));
        zones.sign(".", &[]).await;
        let address = free_address();
        let process = zones.serve(address);
        let server = Self { address, folder, _process: process };
        eventually("BIND serves its zones", async || server.log().contains("running").then_some(())).await;
        server
    }

    /// Returns the address for `INBOXD_DNS_ADDR`.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the file for `INBOXD_DNSSEC_TRUST_ANCHOR`.
    #[must_use]
    pub fn trust_anchor_file(&self) -> PathBuf {
        self.folder.path().join("trust-anchor")
    }

    /// Returns the log of the server.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

/// Folder of the keys and zones.
struct ZoneFolder<'a>(&'a Path);

impl ZoneFolder<'_> {
    async fn generate_key(&self, zone: &str) {
        let name = self.run("dnssec-keygen", &["-q", "-a", "ECDSAP256SHA256", "-f", "KSK", "-K", ".", zone]).await;
        if zone == "." {
            std::fs::copy(self.0.join(format!("{}.key", name.trim())), self.0.join("trust-anchor")).unwrap();
        }
    }

    fn write(&self, zone: &str, records: &str) {
        std::fs::write(self.0.join(format!("zone-{zone}")), format!("{HEAD}{records}")).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Signs a zone with its only key, and writes its DS records.
    async fn sign(&self, zone: &str, options: &[&str]) {
        let (unsigned, signed) = (format!("zone-{zone}"), format!("zone-{zone}-signed"));
        let arguments = [options, &["-K", ".", "-S", "-z", "-o", zone, "-f", &signed, &unsigned]].concat();
        self.run("dnssec-signzone", &arguments).await;
    }

    async fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).current_dir(self.0).output().await.unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn serve(&self, address: SocketAddr) -> Child {
        let zone =
            |name: &str, suffix: &str| format!("zone \"{name}\" {{ type primary; file \"zone-{name}{suffix}\"; }};\n");
        let zones = [
            zone(".", "-signed"),
            zone("example.", "-signed"),
            zone("signed.example.", "-signed"),
            zone("unsigned.example.", ""),
            zone("broken.example.", ""),
        ]
        .concat();
        let options = format!(
            "options {{ directory \"{}\"; listen-on port {} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; recursion no; \
             dnssec-validation no; pid-file none; session-keyfile none; lock-file none; notify no; }};\ncontrols {{ }};\n",
            self.0.display(),
            address.port()
        );
        std::fs::write(self.0.join("named.conf"), options + &zones).unwrap();
        let log = std::fs::File::create(self.0.join("log")).unwrap();
        Command::new("named")
            .args(["-g", "-n", "1", "-c"])
            .arg(self.0.join("named.conf"))
            .env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }
}

/// Returns an address whose port is free for UDP and TCP.
fn free_address() -> SocketAddr {
    loop {
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = udp.local_addr().unwrap();
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}
