//! Certificates that change while the server runs.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::duplex;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::inbound::{Certificate, CertificateError};

/// A certificate and its key in PEM, and the certificate.
fn made(name: &str) -> (String, String, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem(), made.cert.der().clone())
}

/// The certificate that a client is shown which trusts this one alone.
async fn shown(certificate: &Certificate, trusted: &CertificateDer<'static>) -> Result<(), String> {
    let acceptor = TlsAcceptor::from(certificate.server_config().unwrap());
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let client = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let connector = TlsConnector::from(Arc::new(client.with_root_certificates(roots).with_no_client_auth()));
    let (near, far) = duplex(8192);
    let name = ServerName::try_from("mx.here.example").unwrap();
    let (client, _) = tokio::join!(connector.connect(name, near), acceptor.accept(far));
    client.map(drop).map_err(|error| error.to_string())
}

#[tokio::test]
async fn files_that_change_are_read_again_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let (old, old_key, old_der) = made("mx.here.example");
    std::fs::write(&certificate_file, &old).unwrap();
    std::fs::write(&key_file, &old_key).unwrap();
    let certificate = Certificate::from_files(&certificate_file, &key_file).unwrap();
    assert!(!certificate.refresh().unwrap(), "nothing has changed");
    shown(&certificate, &old_der).await.unwrap();

    // Half of the exchange is there: the old one stays in use, and the operator is told.
    let (new, new_key, new_der) = made("mx.here.example");
    std::fs::write(&certificate_file, format!("{new}\n")).unwrap();
    assert!(matches!(certificate.refresh(), Err(CertificateError::Unfit(_))));
    shown(&certificate, &old_der).await.unwrap();
    std::fs::write(&key_file, format!("{new_key}\n")).unwrap();
    assert!(certificate.refresh().unwrap());
    shown(&certificate, &new_der).await.unwrap();
    assert!(shown(&certificate, &old_der).await.is_err());

    std::fs::remove_file(&key_file).unwrap();
    assert!(matches!(certificate.refresh(), Err(CertificateError::File { .. })));
    shown(&certificate, &new_der).await.unwrap();
}

#[tokio::test]
async fn one_of_its_own_making_encrypts() {
    let certificate = Certificate::self_signed("mx.here.example").unwrap();
    assert!(!certificate.refresh().unwrap());
    let (.., stranger) = made("mx.here.example");
    assert!(shown(&certificate, &stranger).await.unwrap_err().contains("certificate"), "nobody has to trust it");
}

#[test]
fn what_is_no_certificate_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key, _) = made("mx.here.example");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (good, good_key) = (file("cert.pem", &certificate), file("key.pem", &key));
    let (empty, missing) = (file("empty.pem", ""), folder.path().join("missing.pem"));
    for (certificate, key, named) in
        [(&empty, &good_key, "empty.pem"), (&good, &empty, "empty.pem"), (&missing, &good_key, "missing.pem")]
    {
        let error = Certificate::from_files(certificate, key).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}
