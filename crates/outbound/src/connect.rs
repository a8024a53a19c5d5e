//! Opening connections, through the guard.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tower_service::Service;

use crate::Guard;
use crate::stream::Stream;

/// No connection was made. Deliberately one error without a reason: whether a private address was refused, a name is
/// unknown to the server's own resolver, or a port is closed must look alike to whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no permitted address of the host took the connection")]
pub(crate) struct Unreachable;

/// Of the addresses of one name, this many are tried: a name with a thousand would otherwise be a scan.
const MOST_ADDRESSES: usize = 4;

/// Dials hosts: resolves once, keeps the addresses that the guard permits, and connects to exactly those. A host that
/// is an address already takes the same way.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    guard: Arc<Guard>,
    /// For resolving and connecting together.
    patience: Duration,
}

impl Connector {
    pub(crate) fn new(guard: Guard, patience: Duration) -> Self {
        Self { guard: Arc::new(guard), patience }
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Unreachable;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Unreachable>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Unreachable>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let Self { guard, patience } = self.clone();
        Box::pin(async move {
            let stream = timeout(patience, open(&guard, &uri, patience)).await.map_err(|_| Unreachable)??;
            Ok(Stream::new(stream))
        })
    }
}

async fn open(guard: &Guard, uri: &Uri, patience: Duration) -> Result<TcpStream, Unreachable> {
    let (host, port) = host_and_port(uri)?;
    let found = lookup_host((host, port)).await.map_err(|_| Unreachable)?;
    let permitted = permitted(guard, found);
    // One address that swallows packets must not use up the time of the others.
    let share = patience / u32::try_from(permitted.len().max(1)).map_err(|_| Unreachable)?;
    for address in permitted {
        if let Ok(Ok(stream)) = timeout(share, TcpStream::connect(address)).await {
            return Ok(stream);
        }
    }
    Err(Unreachable)
}

/// The addresses that may be dialled, in the resolver's order.
pub(crate) fn permitted(guard: &Guard, found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    found.filter(|address| guard.permits(address.ip())).take(MOST_ADDRESSES).collect()
}

fn host_and_port(uri: &Uri) -> Result<(&str, u16), Unreachable> {
    let host = uri.host().ok_or(Unreachable)?;
    let host = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
    let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    Ok((host, uri.port_u16().unwrap_or(usual)))
}
