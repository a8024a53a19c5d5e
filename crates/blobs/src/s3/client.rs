//! HTTP client of the endpoint of a bucket.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use rustls::ClientConfig;

/// Time for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time after which an idle connection is closed, before servers do so.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Creates the one client of a bucket. It follows no redirects and uses no proxies.
#[derive(Debug)]
pub(super) struct EndpointConnector(EndpointClient);

impl EndpointConnector {
    /// Creates a client with this TLS configuration, which also reaches `http://` where it is allowed.
    pub(super) fn new(tls: ClientConfig, allows_http: bool) -> Self {
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls);
        let builder = if allows_http { builder.https_or_http() } else { builder.https_only() };
        let http = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build(builder.enable_http1().wrap_connector(tcp));
        Self(EndpointClient(http))
    }
}

impl HttpConnector for EndpointConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[derive(Debug, Clone)]
struct EndpointClient(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

#[async_trait]
impl HttpService for EndpointClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.0.request(request).await.map_err(|error| {
            // Only a request that was not sent may be repeated.
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted };
            HttpError::new(kind, error)
        })?;
        Ok(response
            .map(|body| HttpResponseBody::new(body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)))))
    }
}
