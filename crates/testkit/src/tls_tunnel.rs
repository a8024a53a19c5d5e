//! Plain TCP address that leads to a TLS listener, for clients without TLS.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tokio::io::{AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::http::HttpClient;

/// TLS client that trusts one certificate or authority and speaks HTTP/1.1.
#[derive(Clone)]
pub struct TlsClient {
    config: ClientConfig,
    name: ServerName<'static>,
    address: String,
}

/// A tunnel that ends when this value is dropped.
#[derive(Debug)]
pub struct TlsTunnel {
    address: String,
    forwarding: JoinHandle<()>,
}

impl TlsClient {
    /// Creates a client of an address that requires a certificate for this name by an authority in PEM.
    #[must_use]
    pub fn new(address: &str, name: &str, authority: &str) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self { config, name: ServerName::try_from(name.to_owned()).unwrap(), address: address.to_owned() }
    }

    /// Offers this ALPN protocol in place of HTTP/1.1.
    #[must_use]
    pub fn with_protocol(mut self, protocol: &[u8]) -> Self {
        self.config.alpn_protocols = vec![protocol.to_vec()];
        self
    }

    /// Performs a handshake.
    ///
    /// # Errors
    /// The reason for which there is no connection, or no trusted certificate.
    pub async fn connect(&self) -> std::io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(&self.address).await?;
        TlsConnector::from(Arc::new(self.config.clone())).connect(self.name.clone(), stream).await
    }

    /// Begins a handshake and leaves it unfinished after the `ClientHello`.
    pub async fn begin(&self) -> TcpStream {
        let mut connection = ClientConnection::new(Arc::new(self.config.clone()), self.name.clone()).unwrap();
        let mut hello = Vec::new();
        connection.write_tls(&mut hello).unwrap();
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(&hello).await.unwrap();
        stream
    }

    /// Opens a tunnel to the address.
    pub async fn tunnel(&self) -> TlsTunnel {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let client = self.clone();
        let forwarding = tokio::spawn(async move {
            while let Ok((mut plain, _)) = listener.accept().await {
                let client = client.clone();
                tokio::spawn(async move {
                    let mut secure = client.connect().await?;
                    copy_bidirectional(&mut plain, &mut secure).await
                });
            }
        });
        TlsTunnel { address, forwarding }
    }
}

impl TlsTunnel {
    /// Returns a client of the API behind the tunnel, without an API key.
    #[must_use]
    pub fn http(&self) -> HttpClient {
        HttpClient::new(self.address.clone())
    }
}

impl Drop for TlsTunnel {
    fn drop(&mut self) {
        self.forwarding.abort();
    }
}
