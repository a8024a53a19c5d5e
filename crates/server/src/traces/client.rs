//! HTTP client of the exporter.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use inboxd_outbound::Authorities;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::failure::{ErrorContext, Failure};

/// Time for a request.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum bytes of a response, which names rejected spans.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Client with the certificate authorities of all outgoing requests.
#[derive(Debug)]
pub(super) struct ExportClient {
    http: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// The exporter has a thread of its own, outside of the runtime.
    runtime: Handle,
}

impl ExportClient {
    /// Creates a client of the current runtime.
    pub(super) fn new(authorities: &Authorities) -> Result<Self, Failure> {
        let tls = authorities.tls_config().context("TLS cannot be set up")?;
        let tls = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        Ok(Self { http: Client::builder(TokioExecutor::new()).build(tls), runtime: Handle::current() })
    }
}

#[async_trait]
impl HttpClient for ExportClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let response = self.http.request(request.map(Full::new));
        let exchange = async move {
            let (head, body) = response.await?.into_parts();
            let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await?.to_bytes();
            Ok::<_, HttpError>(Response::from_parts(head, body))
        };
        self.runtime.spawn(async move { timeout(EXPORT_TIMEOUT, exchange).await? }).await?
    }
}
