//! Listener of the metrics: `GET /metrics`, without a key.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use inboxd_worker::Shutdown;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::text::{OPEN_METRICS_TYPE, TEXT_TYPE, accepts_open_metrics, to_text_format};
use crate::config::MetricsAddress;
use crate::failure::Failure;

/// Path of the metrics.
const PATH: &str = "/metrics";
/// Connections at a time; further ones wait.
const MAX_CONNECTIONS: usize = 16;
/// Time for a client to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Time of a connection, which has one request.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Delay after a failed accept, as for a lack of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Bound socket of the metrics.
pub(crate) struct MetricsListener(std::net::TcpListener);

impl MetricsListener {
    /// Binds the address. The default address may be in use by another process: then there is no listener, and the log says
    /// so.
    ///
    /// # Errors
    /// When a configured address cannot be bound.
    pub(crate) fn bind(address: MetricsAddress) -> Result<Option<Self>, Failure> {
        let (address, is_default) = match address {
            MetricsAddress::Off => return Ok(None),
            MetricsAddress::Default(address) => (address, true),
            MetricsAddress::Configured(address) => (address, false),
        };
        let listener = std::net::TcpListener::bind(address).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        match listener {
            Ok(listener) => Ok(Some(Self(listener))),
            // The log starts later, and `serve` warns.
            Err(_) if is_default => Ok(None),
            Err(error) => Err(Failure::new(format!(
                "cannot listen on {address}: {error}; set INBOXD_METRICS_ADDR to another address or port, or to off"
            ))),
        }
    }

    /// Serves the metrics until shutdown.
    pub(crate) async fn serve(self, registry: Arc<Registry>, mut shutdown: Shutdown) {
        let listener = match TcpListener::from_std(self.0) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::error!(%error, "metrics not served");
                return shutdown.requested().await;
            }
        };
        if let Ok(address) = listener.local_addr() {
            tracing::info!(url = format!("http://{address}{PATH}"), "metrics served");
        }
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        while !shutdown.is_requested() {
            let (permit, accepted) = tokio::select! {
                () = shutdown.requested() => return,
                accepted = accept(&listener, &permits) => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let registry = Arc::clone(&registry);
                    tokio::spawn(async move {
                        converse(stream, registry).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "metrics accept failed");
                    sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
    }
}

/// Accepts a connection once fewer than the maximum are open. The semaphore is never closed, so there is a permit.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> (Option<OwnedSemaphorePermit>, io::Result<(TcpStream, SocketAddr)>) {
    let permit = Arc::clone(permits).acquire_owned().await.ok();
    (permit, listener.accept().await)
}

/// Answers the request of a connection.
async fn converse(stream: TcpStream, registry: Arc<Registry>) {
    let service = service_fn(move |request| {
        let response = respond(&request, &registry);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Ok(Err(error)) = timeout(CONNECTION_TIMEOUT, connection).await {
        tracing::debug!(%error, "metrics connection failed");
    }
}

fn respond(request: &Request<Incoming>, registry: &Registry) -> Response<Full<Bytes>> {
    if request.uri().path() != PATH {
        return refusal(StatusCode::NOT_FOUND, "the metrics are at /metrics\n");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, "use GET\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let mut text = String::new();
    if let Err(error) = encode(&mut text, registry) {
        tracing::error!(%error, "metrics encoding failed");
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, "the metrics could not be written; see the log\n");
    }
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    let (text, kind) =
        if accepts_open_metrics(accept) { (text, OPEN_METRICS_TYPE) } else { (to_text_format(&text), TEXT_TYPE) };
    with_type(Response::new(Full::from(text)), kind)
}

fn refusal(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = with_type(Response::new(Full::from(text)), "text/plain; charset=utf-8");
    *response.status_mut() = status;
    response
}

fn with_type(mut response: Response<Full<Bytes>>, kind: &'static str) -> Response<Full<Bytes>> {
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
