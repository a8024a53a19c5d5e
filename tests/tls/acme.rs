//! Certificates by ACME (RFC 8555), issued by Pebble.

use std::time::Duration;

use inboxd_testkit::{HttpClient, Pebble, ServerOptions, TestServer, TlsClient, eventually, eventually_within};

use super::tls_options;
use crate::support::{options, with_state_of};

const NAME: &str = "mail.inboxd.test";
pub(super) const DAYS_90: u64 = 90 * 86_400;

fn acme_options(pebble: &Pebble, options: ServerOptions) -> ServerOptions {
    options
        .set("INBOXD_ACME", "on")
        .set("INBOXD_ACME_EMAIL", "operator@example.org")
        .set("INBOXD_ACME_DIRECTORY", pebble.directory())
        .set("INBOXD_ACME_CA", pebble.authority_file().to_str().unwrap())
        .set("INBOXD_ACME_NAMES", "mail.inboxd.test,api.inboxd.test")
}

pub(super) fn http_challenge(pebble: &Pebble) -> ServerOptions {
    acme_options(pebble, tls_options()).set("INBOXD_HTTP_REDIRECT_ADDR", format!("127.0.0.1:{}", pebble.http_port()))
}

/// Time for a certificate: on a busy machine a first order can fail, and the second follows after two minutes.
const ISSUE_TIMEOUT: Duration = Duration::from_mins(4);

/// Waits until the server has a certificate of the authority for both names.
pub(super) async fn trusted(server: &TestServer, root: &str) {
    eventually_within(ISSUE_TIMEOUT, "the certificate is served", async || {
        for name in [NAME, "api.inboxd.test"] {
            TlsClient::new(server.https_address(), name, root).connect().await?;
        }
        std::io::Result::Ok(())
    })
    .await;
}

pub(super) async fn text(server: &TestServer, sql: &str) -> Vec<String> {
    server.database().session().await.texts(sql).await
}

/// Returns the certificate that a server presents.
pub(super) async fn leaf(server: &TestServer, root: &str) -> Option<Vec<u8>> {
    let stream = TlsClient::new(server.https_address(), NAME, root).connect().await.ok()?;
    Some(stream.get_ref().1.peer_certificates()?.first()?.to_vec())
}

#[tokio::test]
async fn certificate_is_issued_by_http_01_for_api_and_smtp() {
    let pebble = Pebble::start(DAYS_90).await;
    let server = http_challenge(&pebble).start().await;
    let root = pebble.root().await;
    trusted(&server, &root).await;
    server.log().entry("the issue", |entry| entry.to_string().contains("certificate issued")).await;
    let agent = server.verified("anna@example.org", "scout").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("root.pem");
    std::fs::write(&file, &root).unwrap();
    let (host, port) = server.smtp_address().rsplit_once(':').unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/smtp/starttls.py");
    let mut command = tokio::process::Command::new("python3");
    command.args([script, host, port, &agent.inbox_id, "sealed"]).arg(&file).env("STARTTLS_NAME", NAME);
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    // Secrets are sealed.
    let keys = "SELECT encode(private_key, 'escape') AS text FROM acme_certificates
        UNION ALL SELECT encode(credentials, 'escape') FROM acme_accounts";
    for sealed in text(&server, keys).await {
        assert!(!sealed.contains("PRIVATE KEY") && !sealed.contains("key_pkcs8"), "{sealed}");
    }
    let output = server.command(&["doctor"]).await;
    let doctor = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(doctor.contains("the ACME certificate is for api.inboxd.test, mail.inboxd.test and valid"), "{doctor}");
}

#[tokio::test]
async fn certificate_is_issued_by_tls_alpn_01() {
    let pebble = Pebble::start(DAYS_90).await;
    let listeners = format!("127.0.0.1:0,127.0.0.1:{}?tls=on", pebble.tls_port());
    let server = acme_options(&pebble, tls_options()).set("INBOXD_HTTP_ADDR", listeners).start().await;
    // Port 80 is closed, so no other challenge can be validated.
    trusted(&server, &pebble.root().await).await;
}

#[tokio::test]
async fn certificate_is_renewed_and_survives_restart() {
    let pebble = Pebble::start(DAYS_90).await;
    let mut server = http_challenge(&pebble).start().await;
    let root = pebble.root().await;
    trusted(&server, &root).await;
    let first = leaf(&server, &root).await.unwrap();
    let planned = "SELECT (renew_at BETWEEN now() + interval '53 days' AND now() + interval '62 days')::text AS text
        FROM acme_certificates";
    assert_eq!(text(&server, planned).await, ["true"], "after about two thirds of the time for which it is valid");
    let present = text(&server, "SELECT md5(chain) AS text FROM acme_certificates").await.concat();
    // A check of the renewal window that began before may store its own time.
    let due = format!("UPDATE acme_certificates SET renew_at = now() WHERE md5(chain) = '{present}'");
    let renewed = eventually("the certificate is renewed", async || {
        server.database().execute(&due).await;
        leaf(&server, &root).await.filter(|leaf| *leaf != first)
    });
    let renewed = renewed.await;
    server.database().execute("UPDATE acme_certificates SET renew_at = now() + interval '1 day'").await;
    server.terminate().await;
    let issued = text(&server, "SELECT chain AS text FROM acme_certificates").await;
    server.restart().await;
    assert_eq!(text(&server, "SELECT chain AS text FROM acme_certificates").await, issued);
    server.log().entry("the certificate", |entry| entry.to_string().contains("certificate in use")).await;
    assert!(!renewed.is_empty());
}

#[tokio::test]
async fn certificate_of_lost_secret_key_is_ordered_anew_at_start() {
    let pebble = Pebble::start(DAYS_90).await;
    let mut server = http_challenge(&pebble).start().await;
    let root = pebble.root().await;
    trusted(&server, &root).await;
    server.terminate().await;
    // The secret key of the server opens none of these bytes.
    let reseal = "UPDATE acme_certificates SET private_key = 'other'; UPDATE acme_accounts SET credentials = 'other'";
    server.database().execute(reseal).await;
    server.restart().await;
    for cause in ["stored certificate not usable", "stored ACME account not usable"] {
        server.log().entry(cause, |entry| entry["message"] == cause).await;
    }
    trusted(&server, &root).await;
}

#[tokio::test]
async fn two_processes_share_one_order() {
    let pebble = Pebble::start(DAYS_90).await;
    let first = http_challenge(&pebble).start().await;
    let second = with_state_of(&first, acme_options(&pebble, tls_options()))
        .set("INBOXD_HTTP_REDIRECT_ADDR", "127.0.0.1:0")
        .start()
        .await;
    let root = pebble.root().await;
    trusted(&first, &root).await;
    trusted(&second, &root).await;
    assert_eq!(leaf(&first, &root).await, leaf(&second, &root).await);
    // The process that did not order takes up the next certificate, and one process orders.
    let before = leaf(&first, &root).await;
    first.database().execute("UPDATE acme_certificates SET renew_at = now()").await;
    for server in [&first, &second] {
        eventually("the next certificate is served", async || {
            leaf(server, &root).await.filter(|leaf| Some(leaf) != before.as_ref())
        })
        .await;
    }
    assert_eq!(leaf(&first, &root).await, leaf(&second, &root).await);
    assert_eq!(pebble.log().matches("Issued certificate serial").count(), 2, "{}", pebble.log());
}

#[tokio::test]
async fn server_starts_without_acme_server_and_orders_later() {
    let mut pebble = Pebble::start(DAYS_90).await;
    pebble.stop().await;
    let server = http_challenge(&pebble).start().await;
    assert_eq!(server.http().get("/health").await.status, 200);
    let is_failure = |entry: &serde_json::Value| entry.to_string().contains("certificate order failed");
    server.log().entry("the failure", is_failure).await;
    let failures = "SELECT failures::text AS text FROM acme_certificates WHERE retry_at > now() AND failure <> ''";
    eventually("the failure is stored", async || (text(&server, failures).await == ["1"]).then_some(())).await;
    let doctor = String::from_utf8(server.command(&["doctor"]).await.stdout).unwrap();
    assert!(doctor.contains("is issued yet; the last order failed"), "{doctor}");
    // The self-signed certificate serves meanwhile.
    let redirect = HttpClient::new(server.redirect_address().to_owned());
    assert_eq!(redirect.get("/").await.status, 308);
}

#[tokio::test]
async fn acme_without_public_name_stops_start_with_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = options().start().await;
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_inboxd"))
        .arg("serve")
        .env("INBOXD_DATA_DIR", folder.path())
        .env("INBOXD_DATABASE_URL", server.database().url())
        .env("INBOXD_SECRET_KEY", std::fs::read_to_string(server.data_dir().join("secret-key")).unwrap().trim())
        .env("INBOXD_HTTP_ADDR", "127.0.0.1:0?tls=on")
        .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_ACME", "on")
        .output()
        .await
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("INBOXD_ACME=on needs a public name"), "{error}");
}
