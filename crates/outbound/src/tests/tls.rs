use std::sync::Arc;
use std::time::Duration;

use inboxd_core::ports::{Notification, WebhookSender};
use rcgen::CertifiedKey;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::server::{Act, fetcher, ok, refusal, serve};
use crate::{AddressGuard, ClientTimeouts, GuardedFetcher, GuardedSender};

/// Starts a server with a self-signed certificate for `localhost`. Returns its port and certificate.
async fn secure_server() -> (u16, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let certificate = cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(|_: &str| vec![Act::Write(ok("text/plain", "sealed").into_bytes())]);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(serve(stream, Arc::default(), Arc::clone(&answer)));
            }
        }
    });
    (port, certificate)
}

#[tokio::test]
async fn untrusted_certificate_is_refused() {
    let (port, _) = secure_server().await;
    let refused = fetcher(&["127.0.0.1"]).get(&format!("https://localhost:{port}/"), 100).await.unwrap_err();
    let refused = refused.to_string();
    assert!(refused.starts_with("no secure connection to the host: invalid peer certificate"), "{refused}");
}

#[tokio::test]
async fn trusted_certificate_is_valid_for_its_name_only() {
    let (port, certificate) = secure_server().await;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let guard = AddressGuard::allowing(vec!["127.0.0.1".parse().unwrap()]);
    let timeouts = ClientTimeouts { connect: Duration::from_secs(2), total: Duration::from_secs(4) };
    let fetcher = GuardedFetcher::with_tls(guard.clone(), timeouts, tls.clone());

    let read = fetcher.get(&format!("https://localhost:{port}/"), 100).await.unwrap();
    assert_eq!(read.content, b"sealed");
    let refused = fetcher.get(&format!("https://127.0.0.1:{port}/"), 100).await.unwrap_err().to_string();
    assert!(refused.starts_with("no secure connection to the host"), "{refused}");

    let sender = GuardedSender::with_tls(guard, timeouts, tls);
    let notification = |host| Notification { url: format!("https://{host}:{port}/"), headers: vec![], body: vec![] };
    let answer = sender.send(notification("localhost"), Box::new(|| ())).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "sealed"));
    let refused = sender.send(notification("127.0.0.1"), Box::new(|| ())).await.unwrap_err().to_string();
    assert!(refused.starts_with("no secure connection to the host: invalid peer certificate"), "{refused}");
}

#[tokio::test]
async fn server_without_tls_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"220 mail.example.org ESMTP\r\n").await.unwrap();
        }
    });
    let refused = refusal(&format!("https://127.0.0.1:{port}/"), 100).await;
    assert!(refused.starts_with("no secure connection to the host"), "{refused}");
}
