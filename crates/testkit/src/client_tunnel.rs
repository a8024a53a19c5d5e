//! Tunnel of a client: a local port whose connections reach a server from a chosen client address, under TLS if wanted.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::http::HttpClient;

/// A self-signed certificate of a host, for a server and its clients.
#[derive(Debug)]
pub struct HostCertificate {
    host: String,
    certificate: CertificateDer<'static>,
    pem: String,
    key_pem: String,
}

impl HostCertificate {
    /// Creates a certificate.
    #[must_use]
    pub fn new(host: &str) -> Self {
        let made = rcgen::generate_simple_self_signed([host.to_owned()]).unwrap();
        Self {
            host: host.to_owned(),
            certificate: made.cert.der().clone(),
            pem: made.cert.pem(),
            key_pem: made.signing_key.serialize_pem(),
        }
    }

    /// Returns the certificate as PEM.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Returns its private key as PEM.
    #[must_use]
    pub fn key_pem(&self) -> &str {
        &self.key_pem
    }

    /// Returns a TLS client that trusts this certificate only.
    fn connector(&self) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let client = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let client = client.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        TlsConnector::from(Arc::new(client.with_no_client_auth()))
    }
}

/// A tunnel that stops when this value is dropped.
#[derive(Debug)]
pub struct ClientTunnel {
    address: SocketAddr,
    listening: JoinHandle<()>,
}

impl ClientTunnel {
    /// Starts a tunnel from a loopback address to a server without TLS.
    pub async fn plain(client: Ipv4Addr, server: SocketAddr) -> Self {
        Self::start(client, server, None).await
    }

    /// Starts a tunnel from a loopback address to a server with this certificate.
    pub async fn tls(client: Ipv4Addr, server: SocketAddr, certificate: &HostCertificate) -> Self {
        let name = ServerName::try_from(certificate.host.clone()).unwrap();
        Self::start(client, server, Some((certificate.connector(), name))).await
    }

    async fn start(client: Ipv4Addr, server: SocketAddr, tls: Option<(TlsConnector, ServerName<'static>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listening = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let tls = tls.clone();
                tokio::spawn(async move {
                    let socket = TcpSocket::new_v4().unwrap();
                    socket.bind((client, 0).into()).unwrap();
                    let far = socket.connect(server).await.unwrap();
                    match tls {
                        None => forward(near, far).await,
                        Some((connector, name)) => forward(near, connector.connect(name, far).await.unwrap()).await,
                    }
                });
            }
        });
        Self { address, listening }
    }

    /// Returns an HTTP client of the server, without an API key.
    #[must_use]
    pub fn http(&self) -> HttpClient {
        HttpClient::new(self.address.to_string())
    }
}

impl Drop for ClientTunnel {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Forwards bytes until both sides are closed. The client sees a broken connection as a closed one.
async fn forward(mut near: TcpStream, mut far: impl AsyncRead + AsyncWrite + Unpin) {
    let _ = copy_bidirectional(&mut near, &mut far).await;
}
