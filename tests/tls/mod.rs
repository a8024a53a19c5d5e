//! TLS of the listeners: HTTPS, redirects, certificates from files and by ACME.

mod acme;
mod handshakes;
mod http2;
mod https;
mod mta_sts;
mod renewal;

use std::path::PathBuf;

use inboxd_testkit::{ServerOptions, TestServer, TlsClient};
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::options;

/// Name of the certificates.
const NAME: &str = "mail.inboxd.test";

/// Certificate and key in files.
struct CertificateFolder(TempDir);

impl CertificateFolder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write(NAME);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a new self-signed certificate and returns it in PEM.
    fn write(&self, name: &str) -> String {
        let made = rcgen::generate_simple_self_signed([name.to_owned(), format!("mta-sts.{name}")]).unwrap();
        std::fs::write(self.path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        std::fs::write(self.path("cert.pem"), made.cert.pem()).unwrap();
        made.cert.pem()
    }

    fn pem(&self) -> String {
        std::fs::read_to_string(self.path("cert.pem")).unwrap()
    }

    fn options(&self) -> ServerOptions {
        tls_options()
            .set("INBOXD_TLS_CERT", self.path("cert.pem").to_str().unwrap())
            .set("INBOXD_TLS_KEY", self.path("key.pem").to_str().unwrap())
    }
}

/// Options of a server with a plain listener, for the test support, and a TLS listener.
fn tls_options() -> ServerOptions {
    options()
        .set("INBOXD_HTTP_ADDR", "127.0.0.1:0,127.0.0.1:0?tls=on")
        .set("INBOXD_DOMAIN", NAME)
        .set("INBOXD_BASE_URL", format!("https://{NAME}"))
}

fn client(server: &TestServer, authority: &str) -> TlsClient {
    TlsClient::new(server.https_address(), NAME, authority)
}

/// Runs curl for a path of a host, at the HTTPS listener. Returns the head of the response and its body.
async fn curl(server: &TestServer, authority: &CertificateFolder, host: &str, arguments: &[&str]) -> String {
    let port = server.https_address().rsplit_once(':').unwrap().1;
    let output = Command::new("curl")
        .args(["-sS", "-i", "--max-time", "20", "--resolve", &format!("{host}:{port}:127.0.0.1"), "--cacert"])
        .arg(authority.path("cert.pem"))
        .args(arguments.iter().map(|argument| argument.replace("{base}", &format!("https://{host}:{port}"))))
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
