//! TCP connector that dials addresses permitted by the guard.

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

use crate::AddressGuard;
use crate::guarded_stream::GuardedStream;

/// Failure to connect, without a reason.
///
/// A refused private address, an unknown name and a closed port must look alike to a caller. Otherwise the error would
/// reveal the network of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no permitted address of the host accepted the connection")]
pub(crate) struct UnreachableHost;

/// Number of addresses of one name that are tried. Without a limit, a name with a thousand addresses would be a port
/// scan.
const MAX_ADDRESSES: usize = 4;

/// TCP connector: resolves a host once, filters the addresses by the guard, and dials exactly the remaining ones.
///
/// A host that is already an IP address passes the same check.
#[derive(Debug, Clone)]
pub(crate) struct GuardedConnector {
    guard: Arc<AddressGuard>,
    /// Limit for name resolution and connect together.
    connect_timeout: Duration,
}

impl GuardedConnector {
    pub(crate) fn new(guard: AddressGuard, connect_timeout: Duration) -> Self {
        Self { guard: Arc::new(guard), connect_timeout }
    }
}

impl Service<Uri> for GuardedConnector {
    type Response = GuardedStream;
    type Error = UnreachableHost;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, UnreachableHost>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), UnreachableHost>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let Self { guard, connect_timeout } = self.clone();
        Box::pin(async move {
            let stream =
                timeout(connect_timeout, open(&guard, &uri, connect_timeout)).await.map_err(|_| UnreachableHost)??;
            Ok(GuardedStream::new(stream))
        })
    }
}

async fn open(guard: &AddressGuard, uri: &Uri, connect_timeout: Duration) -> Result<TcpStream, UnreachableHost> {
    let (host, port) = host_and_port(uri)?;
    let found = lookup_host((host, port)).await.map_err(|_| UnreachableHost)?;
    let permitted = permitted_addresses(guard, found);
    // Each address has an equal share of the time, so one that drops packets leaves time for the others.
    let share = connect_timeout / u32::try_from(permitted.len().max(1)).map_err(|_| UnreachableHost)?;
    for address in permitted {
        if let Ok(Ok(stream)) = timeout(share, TcpStream::connect(address)).await {
            return Ok(stream);
        }
    }
    Err(UnreachableHost)
}

/// Returns the permitted addresses in the order of the resolver, at most [`MAX_ADDRESSES`].
pub(crate) fn permitted_addresses(guard: &AddressGuard, found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    found.filter(|address| guard.permits(address.ip())).take(MAX_ADDRESSES).collect()
}

fn host_and_port(uri: &Uri) -> Result<(&str, u16), UnreachableHost> {
    let host = uri.host().ok_or(UnreachableHost)?;
    let host = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
    let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    Ok((host, uri.port_u16().unwrap_or(usual)))
}
