//! Reading of the PROXY protocol header of a connection through a trusted proxy.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;

use inboxd_core::rules::proxy_protocol::{HEADER_TIMEOUT, PREFIX_BYTES, ProxyPrefix};
use inboxd_core::rules::trusted_proxies::TrustedProxies;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Reads the header of a trusted proxy and returns the address of its client, without a byte after the header.
///
/// # Errors
/// The peer is no trusted proxy, or no valid header arrives in [`HEADER_TIMEOUT`].
pub async fn read_client(stream: &mut TcpStream, peer: SocketAddr, trusted: &TrustedProxies) -> Result<SocketAddr> {
    if !trusted.contains(peer.ip()) {
        return Err(Error::new(ErrorKind::PermissionDenied, "peer is not in INBOXD_TRUSTED_PROXIES"));
    }
    let header = async {
        let mut prefix = [0; PREFIX_BYTES];
        stream.read_exact(&mut prefix).await?;
        let prefix = ProxyPrefix::parse(&prefix).map_err(Error::other)?;
        let mut rest = vec![0; prefix.rest_bytes()];
        stream.read_exact(&mut rest).await?;
        Ok(prefix.client(&rest).map_err(Error::other)?.unwrap_or(peer))
    };
    timeout(HEADER_TIMEOUT, header).await?
}
