//! PROXY protocol version 2 (`HAProxy`, `doc/proxy-protocol.txt`, section 2.2): client address before the first byte of a
//! connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// Bytes of the fixed part of a header.
pub const PREFIX_BYTES: usize = 16;
/// Maximum bytes after the fixed part: addresses and extensions (TLVs).
pub const MAX_REST_BYTES: usize = 4096;
/// Time for a proxy to send the header.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(5);

/// Header of a connection that a proxy opens for itself (command LOCAL).
pub const LOCAL_HEADER: &str = "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// Reason for which bytes are not a supported header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProxyHeaderError {
    /// The first bytes are not the signature.
    #[error("connection does not begin with a PROXY protocol v2 header; let the proxy send one, as with send-proxy-v2")]
    Signature,
    /// The version is not 2, or the command is neither LOCAL nor PROXY.
    #[error("PROXY protocol header has the unsupported version and command {0:#04x}")]
    Command(u8),
    /// The transport is not a stream.
    #[error("PROXY protocol header has the unsupported address family {0:#04x}")]
    Family(u8),
    /// The part after the prefix is too long.
    #[error("PROXY protocol header has {0} bytes after its prefix, more than {MAX_REST_BYTES}")]
    Length(usize),
    /// The part after the prefix is shorter than its addresses.
    #[error("PROXY protocol header is shorter than its addresses")]
    Addresses,
}

/// Fixed part of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyPrefix {
    family: AddressFamily,
    rest_bytes: usize,
}

/// Source of the client address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressFamily {
    /// The connection itself: the proxy speaks for itself, or its client has no IP address.
    Connection,
    V4,
    V6,
}

impl ProxyPrefix {
    /// Parses the fixed part.
    pub fn parse(bytes: &[u8; PREFIX_BYTES]) -> Result<Self, ProxyHeaderError> {
        let [signature @ .., command, family, high, low] = bytes;
        if signature != SIGNATURE {
            return Err(ProxyHeaderError::Signature);
        }
        let rest_bytes = usize::from(u16::from_be_bytes([*high, *low]));
        if rest_bytes > MAX_REST_BYTES {
            return Err(ProxyHeaderError::Length(rest_bytes));
        }
        let family = match (command, family) {
            (0x20, _) | (0x21, 0x00 | 0x31) => AddressFamily::Connection,
            (0x21, 0x11) => AddressFamily::V4,
            (0x21, 0x21) => AddressFamily::V6,
            (0x21, family) => return Err(ProxyHeaderError::Family(*family)),
            (command, _) => return Err(ProxyHeaderError::Command(*command)),
        };
        Ok(Self { family, rest_bytes })
    }

    /// Returns the number of bytes between the fixed part and the first byte of the client.
    #[must_use]
    pub fn rest_bytes(&self) -> usize {
        self.rest_bytes
    }

    /// Returns the address of the client from the bytes after the fixed part, without reading the extensions; `None` for
    /// a connection of the proxy itself.
    pub fn client(&self, rest: &[u8]) -> Result<Option<SocketAddr>, ProxyHeaderError> {
        // Source address, destination address, source port, destination port.
        let (ip, [high, low, _, _]): (IpAddr, [u8; 4]) = match self.family {
            AddressFamily::Connection => return Ok(None),
            AddressFamily::V4 => (Ipv4Addr::from(field::<4>(rest, 0)?).into(), field(rest, 8)?),
            AddressFamily::V6 => (Ipv6Addr::from(field::<16>(rest, 0)?).into(), field(rest, 32)?),
        };
        Ok(Some(SocketAddr::new(ip.to_canonical(), u16::from_be_bytes([high, low]))))
    }
}

fn field<const N: usize>(rest: &[u8], at: usize) -> Result<[u8; N], ProxyHeaderError> {
    rest.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(ProxyHeaderError::Addresses)
}
