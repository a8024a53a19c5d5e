//! Pebble, the ACME server for tests of Let's Encrypt, with its DNS server.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::wait::eventually;

/// An ACME server that resolves every name to 127.0.0.1. It stops when this value is dropped.
#[derive(Debug)]
pub struct Pebble {
    address: String,
    directory: String,
    management: String,
    http_port: u16,
    tls_port: u16,
    processes: [Child; 2],
    folder: TempDir,
}

impl Pebble {
    /// Starts the server, whose certificates are valid for this many seconds.
    pub async fn start(validity_seconds: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [listen, management, http, tls, dns, dns_management] = free_ports();
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let config = json!({"pebble": {
            "listenAddress": format!("127.0.0.1:{listen}"),
            "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": file("cert.pem", &made.cert.pem()),
            "privateKey": file("key.pem", &made.signing_key.serialize_pem()),
            "httpPort": http,
            "tlsPort": tls,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
            "certificateValidityPeriod": validity_seconds,
        }});
        let config = file("pebble.json", &config.to_string());
        let start = |command: &mut Command, log: &str| {
            let log = std::fs::File::create(folder.path().join(log)).unwrap();
            command.stdout(log).stderr(Stdio::null()).stdin(Stdio::null()).kill_on_drop(true).spawn().unwrap()
        };
        let dns_server = start(
            Command::new("pebble-challtestsrv")
                .args(["-dns01", &format!("127.0.0.1:{dns}"), "-management", &format!("127.0.0.1:{dns_management}")])
                .args(["-http01", "", "-https01", "", "-tlsalpn01", "", "-defaultIPv6", ""]),
            "dns.log",
        );
        let server = start(
            Command::new("pebble")
                .args(["-config".as_ref(), config.as_os_str()])
                .args(["-dnsserver", &format!("127.0.0.1:{dns}")])
                .env("PEBBLE_VA_NOSLEEP", "1"),
            "log",
        );
        let pebble = Self {
            address: format!("127.0.0.1:{listen}"),
            directory: format!("https://127.0.0.1:{listen}/dir"),
            management: format!("https://127.0.0.1:{management}"),
            http_port: http,
            tls_port: tls,
            processes: [server, dns_server],
            folder,
        };
        eventually("pebble responds", async || pebble.fetch(&pebble.directory).await).await;
        pebble
    }

    /// Returns the URL for `INBOXD_ACME_DIRECTORY`.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// Returns the file for `INBOXD_ACME_CA`.
    #[must_use]
    pub fn authority_file(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// Returns the address of the ACME server.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the file of the private key of its TLS certificate.
    pub(crate) fn key_file(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// Returns the port at which it validates `http-01`.
    #[must_use]
    pub fn http_port(&self) -> u16 {
        self.http_port
    }

    /// Returns the port at which it validates `tls-alpn-01`.
    #[must_use]
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// Returns the root certificate of the issued certificates, in PEM.
    pub async fn root(&self) -> String {
        self.fetch(&format!("{}/roots/0", self.management)).await.unwrap()
    }

    /// Returns the output of the ACME server.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Ends the ACME server.
    pub async fn stop(&mut self) {
        self.processes[0].kill().await.unwrap();
    }

    async fn fetch(&self, url: &str) -> Option<String> {
        let output = Command::new("curl").args(["-sSf", "--cacert"]).arg(self.authority_file()).arg(url).output().await;
        let output = output.unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }
}

/// Returns ports that are free now. They are bound together, so that no two are equal.
fn free_ports<const N: usize>() -> [u16; N] {
    let bound: [TcpListener; N] = std::array::from_fn(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    bound.map(|listener| listener.local_addr().unwrap().port())
}
