//! Encrypted connections to a real server.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::Signals;
use inboxd_postgres::embedded::{self, EmbeddedOptions};
use inboxd_postgres::{connect_within, migrate, require_schema};
use inboxd_testkit::eventually;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Rules for clients: over TLS alone, one role by its certificate.
const RULES: &str = "hostssl all bycert 127.0.0.1/32 cert\nhostssl all all 127.0.0.1/32 scram-sha-256\n";

/// A certificate authority with the PEM files that it made.
struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap().pem();
        let folder = tempfile::Builder::new().prefix("inboxd-tls-").tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        std::fs::write(folder.path().join("root.pem"), certificate).unwrap();
        Self { folder, issuer: Issuer::new(params, key) }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root.pem")
    }

    /// Writes a certificate and its key, and returns their paths.
    fn issue(&self, names: &[&str], common_name: &str) -> (PathBuf, PathBuf) {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, common_name);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        self.write(common_name, &certificate.pem(), &key.serialize_pem())
    }

    /// Writes a certificate that signed itself and its key, and returns their paths.
    fn self_signed(&self, name: &str) -> (PathBuf, PathBuf) {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        self.write("self", &made.cert.pem(), &made.signing_key.serialize_pem())
    }

    fn write(&self, name: &str, certificate: &str, key: &str) -> (PathBuf, PathBuf) {
        let file = |end: &str, text: &str| {
            let path = self.folder.path().join(format!("{name}.{end}"));
            std::fs::write(&path, text).unwrap();
            path
        };
        (file("crt", certificate), file("key", key))
    }
}

/// A server that accepts connections over TLS alone.
struct TlsServer {
    folder: TempDir,
    process: Child,
    port: u16,
}

impl TlsServer {
    async fn start(authority: &Authority, (certificate, key): (PathBuf, PathBuf)) -> Self {
        let folder = tempfile::Builder::new().prefix("inboxd-tls-").tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let options = EmbeddedOptions { data_dir: folder.path().to_owned(), durable: false };
        let running = embedded::start(&options).await.unwrap();
        let mut connection = AsyncPgConnection::establish(&running.url()).await.unwrap();
        let roles = "CREATE ROLE remote SUPERUSER LOGIN PASSWORD 'secret'; CREATE ROLE bycert SUPERUSER LOGIN";
        connection.batch_execute(roles).await.unwrap();
        drop(connection);
        let cluster = folder.path().join("postgres/cluster");
        let process_file = std::fs::read_to_string(cluster.join("postmaster.pid")).unwrap();
        let program = std::fs::read_link(format!("/proc/{}/exe", process_file.lines().next().unwrap())).unwrap();
        running.stop().await.unwrap();
        let owner = std::fs::metadata(&cluster).unwrap();
        std::fs::write(cluster.join("pg_hba.conf"), RULES).unwrap();
        let install = |from: &Path, name: &str| {
            let to = cluster.join(name);
            std::fs::copy(from, &to).unwrap();
            std::fs::set_permissions(&to, Permissions::from_mode(0o600)).unwrap();
            chown(&to, Some(owner.uid()), Some(owner.gid())).unwrap();
        };
        install(&certificate, "server.crt");
        install(&key, "server.key");
        install(&authority.root(), "root.crt");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.arg("-D").arg(&cluster).current_dir(&cluster).uid(owner.uid()).gid(owner.gid());
        for setting in [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={port}"),
            "unix_socket_directories=".to_owned(),
            "fsync=off".to_owned(),
            "ssl=on".to_owned(),
            "ssl_ca_file=root.crt".to_owned(),
        ] {
            command.arg("-c").arg(setting);
        }
        let process = command.stderr(std::process::Stdio::null()).spawn().unwrap();
        let server = Self { folder, process, port };
        let is_ready = async || {
            let url = server.url("remote:secret", "127.0.0.1", "sslmode=require");
            migrate(&url).await.ok()
        };
        eventually("the server accepts connections", is_ready).await;
        server
    }

    fn url(&self, user: &str, host: &str, parameters: &str) -> String {
        format!("postgres://{user}@{host}:{}/inboxd?{parameters}", self.port)
    }

    /// Returns the refusal of a connection; `None` for success.
    async fn refusal(&self, user: &str, host: &str, parameters: &str) -> Option<String> {
        let migrated = migrate(&self.url(user, host, parameters)).await;
        migrated.err().map(|error| error.to_string())
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(self.folder.path());
    }
}

#[tokio::test]
async fn server_is_verified_as_url_says() {
    let authority = Authority::new("ours");
    let server = TlsServer::start(&authority, authority.issue(&["localhost"], "server")).await;
    let root = format!("sslrootcert={}", authority.root().display());
    let stranger = Authority::new("stranger");
    let other = format!("sslrootcert={}", stranger.root().display());
    for (host, parameters, refused) in [
        ("localhost", format!("sslmode=verify-full&{root}"), None),
        ("127.0.0.1", format!("sslmode=verify-full&{root}"), Some("sslmode=verify-ca")),
        ("127.0.0.1", format!("sslmode=verify-ca&{root}"), None),
        ("127.0.0.1", format!("sslmode=require&{root}"), None),
        ("127.0.0.1", "sslmode=require".to_owned(), None),
        ("localhost", "sslmode=prefer".to_owned(), None),
        ("localhost", format!("sslmode=verify-full&{other}"), Some("sslrootcert")),
        ("localhost", format!("sslmode=require&{other}"), Some("sslrootcert")),
        ("localhost", "sslmode=verify-full".to_owned(), Some("sslrootcert")),
        ("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem".to_owned(), Some("/nowhere.pem")),
        ("localhost", "sslmode=disable".to_owned(), Some("no encryption")),
        ("localhost", String::new(), Some("no encryption")),
    ] {
        let refusal = server.refusal("remote:secret", host, &parameters).await;
        match refused {
            None => assert_eq!(refusal, None, "{host} {parameters}"),
            Some(word) => {
                assert!(refusal.as_deref().is_some_and(|text| text.contains(word)), "{parameters}: {refusal:?}");
            }
        }
    }
}

#[tokio::test]
async fn store_signals_and_client_certificates_work_over_tls() {
    let authority = Authority::new("ours");
    let server = TlsServer::start(&authority, authority.self_signed("localhost")).await;
    let certificate = authority.folder.path().join("self.crt");
    let verified = format!("sslmode=verify-full&sslrootcert={}", certificate.display());
    let url = server.url("remote:secret", "localhost", &verified);
    migrate(&url).await.unwrap();
    require_schema(&url).await.unwrap();
    let (listening, sending) = (connect(&url).await, connect(&url).await);
    let heard = std::sync::Arc::new(AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&heard);
    let listener = tokio::spawn(async move {
        let on_signal = |_| _ = count.fetch_add(1, Ordering::Relaxed);
        listening.listen(&on_signal).await
    });
    let is_heard = async |count| (heard.load(Ordering::Relaxed) >= count).then_some(());
    eventually("the listener listens", async || is_heard(1).await).await;
    sending.send_signals(&[inboxd_core::ports::Signal::Feed(inboxd_core::testing::fixtures::id(1))]).await.unwrap();
    eventually("the signal arrives", async || is_heard(2).await).await;
    listener.abort();

    let (own, key) = authority.issue(&[], "bycert");
    let proof = format!("sslcert={}&sslkey={}", own.display(), key.display());
    assert_eq!(server.refusal("bycert", "localhost", &format!("{verified}&{proof}")).await, None);
    let without = server.refusal("bycert", "localhost", &verified).await.unwrap();
    assert!(without.contains("client certificate"), "{without}");
}

async fn connect(url: &str) -> inboxd_postgres::PgStore {
    connect_within(url, 2, Duration::from_secs(10)).await.unwrap()
}

#[tokio::test]
async fn nothing_is_sent_to_server_without_tls_where_it_is_required() {
    for (parameters, is_refused) in
        [("sslmode=verify-full", true), ("sslmode=require", true), ("sslmode=prefer", false)]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 8];
            stream.read_exact(&mut request).await.unwrap();
            stream.write_all(b"N").await.unwrap();
            let mut next = [0; 16];
            (request, stream.read(&mut next).await.unwrap_or_default())
        });
        let refusal = migrate(&format!("postgres://u:secret@127.0.0.1:{port}/d?{parameters}")).await.unwrap_err();
        let (request, following) = server.await.unwrap();
        assert_eq!(request, [0, 0, 0, 8, 4, 210, 22, 47]);
        assert_eq!(following == 0, is_refused, "{parameters}");
        assert_eq!(refusal.to_string().contains("does not offer TLS"), is_refused, "{parameters}: {refusal}");
    }
}
