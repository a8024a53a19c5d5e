//! Replacement of certificates at run time.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::duplex;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::{CertificateError, ServerCertificate};

/// Returns certificate and key in PEM, and the certificate.
fn made(name: &str) -> (String, String, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem(), made.cert.der().clone())
}

/// Performs a handshake with a client that trusts this certificate only.
async fn shown(certificate: &ServerCertificate, trusted: &CertificateDer<'static>) -> Result<(), String> {
    let acceptor = TlsAcceptor::from(certificate.server_config(&[]).unwrap());
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
async fn changed_certificate_files_are_reloaded() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    let (old, old_key, old_der) = made("mx.here.example");
    std::fs::write(&certificate_file, &old).unwrap();
    std::fs::write(&key_file, &old_key).unwrap();
    let certificate = ServerCertificate::from_files(&certificate_file, &key_file).unwrap();
    assert!(!certificate.refresh().unwrap(), "the files are unchanged");
    shown(&certificate, &old_der).await.unwrap();

    // Only one file is replaced: the old certificate stays in use, and the error is reported.
    let (new, new_key, new_der) = made("mx.here.example");
    std::fs::write(&certificate_file, format!("{new}\n")).unwrap();
    assert!(matches!(certificate.refresh(), Err(CertificateError::Mismatch(_))));
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
async fn self_signed_certificate_encrypts() {
    let certificate = ServerCertificate::self_signed(&["mx.here.example".to_owned()]).unwrap();
    assert!(!certificate.refresh().unwrap());
    let (.., stranger) = made("mx.here.example");
    assert!(shown(&certificate, &stranger).await.unwrap_err().contains("certificate"), "the certificate is untrusted");
}

#[test]
fn unusable_certificate_file_is_named() {
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
        let error = ServerCertificate::from_files(certificate, key).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn info_has_names_and_validity() {
    let certificate = ServerCertificate::self_signed(&["mx.here.example".to_owned(), "*.here.example".to_owned()]);
    let info = certificate.unwrap().info().unwrap();
    assert_eq!(info.names, ["*.here.example", "mx.here.example"]);
    assert!(info.is_self_signed && info.valid_from < info.valid_until);
    for (name, is_covered) in [
        ("MX.here.example", true),
        ("api.here.example", true),
        ("a.api.here.example", false),
        ("here.example", false),
        ("mx.there.example", false),
    ] {
        assert_eq!(info.covers(name), is_covered, "{name}");
    }
}

#[test]
fn replacement_needs_a_key_that_matches() {
    let certificate = ServerCertificate::self_signed(&["old.example".to_owned()]).unwrap();
    let ((chain, key, _), (_, other_key, _)) = (made("new.example"), made("new.example"));
    for (chain, key) in [(&*chain, &*other_key), (&*chain, "none"), ("none", &*key)] {
        assert!(certificate.replace(chain, key).is_err());
        assert_eq!(certificate.info().unwrap().names, ["old.example"]);
    }
    certificate.replace(&chain, &key).unwrap();
    assert_eq!(certificate.info().unwrap().names, ["new.example"]);
}
