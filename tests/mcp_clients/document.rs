//! Client ID Metadata Documents: a client whose id is the URL of its description.

use super::tools::{Python, run};
use crate::support::{mail_to, options, receive};

/// Writes a certificate of `localhost` and its key; the certificate is its own authority.
fn write_certificate(folder: &std::path::Path) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("certificate.pem"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
}

#[tokio::test]
async fn python_sdk_2_completes_flow_with_metadata_document() {
    let folder = tempfile::tempdir().unwrap();
    write_certificate(folder.path());
    let certificate = folder.path().join("certificate.pem");
    let server = options()
        .set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8")
        .set("INBOXD_OUTBOUND_CA_FILE", certificate.display().to_string())
        .start()
        .await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "Hello")).await;
    let mut command = Python::sdk_2().script("flow.py");
    command.args(["auto", "document"]).env("INBOXD_CERTIFICATES", folder.path());
    run(&server, &agent, command).await;
}
