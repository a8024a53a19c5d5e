//! HTTPS client of the ACME server.

use std::io::Error as IoError;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

use crate::certificate::provider;

/// Time for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Reason for which the client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The file of authorities is not usable.
    #[error("no readable certificate authority in PEM format: {0}")]
    Authorities(String),
    /// The TLS library cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// HTTPS client that trusts the public authorities, or those of a file.
#[derive(Clone)]
pub struct HttpsClient(Client<HttpsConnector<HttpConnector>, BodyWrapper<Bytes>>);

impl HttpsClient {
    /// Creates a client.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn new(authorities: Option<&Path>) -> Result<Self, ClientError> {
        let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        if let Some(file) = authorities {
            roots = RootCertStore::empty();
            let refused = |error: String| ClientError::Authorities(error);
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| refused(error.to_string()))? {
                let certificate = certificate.map_err(|error| refused(error.to_string()))?;
                roots.add(certificate).map_err(|error| refused(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(refused("the file has none".to_owned()));
            }
        }
        let tls = ClientConfig::builder_with_provider(Arc::new(provider())).with_safe_default_protocol_versions()?;
        let tls = tls.with_root_certificates(roots).with_no_client_auth();
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_only().enable_http1().build();
        Ok(Self(Client::builder(TokioExecutor::new()).build(connector)))
    }
}

impl HttpClient for HttpsClient {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let response = self.0.request(request);
        Box::pin(async move {
            match timeout(REQUEST_TIMEOUT, response).await {
                Ok(Ok(response)) => Ok(BytesResponse::from(response)),
                Ok(Err(error)) => Err(Error::Other(full_cause(&error).into())),
                Err(_) => Err(Error::Other(Box::new(IoError::from(std::io::ErrorKind::TimedOut)))),
            }
        })
    }
}

/// Returns an error with its causes: the outer one says only that the client failed.
fn full_cause(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
