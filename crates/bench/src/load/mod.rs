//! Loads on a server.
//!
//! ```text
//! mails.rs      signed messages, generated before the measurement
//! smtp.rs       minimal SMTP client
//! sessions.rs   concurrent SMTP sessions
//! http.rs       persistent API connection; socket.rs: receiving WebSocket
//! ```

pub(crate) mod http;
pub(crate) mod mails;
pub(crate) mod sessions;
pub(crate) mod smtp;
pub(crate) mod socket;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use socket2::{Domain, Type};

/// Connects from an address of this machine.
pub(crate) fn connect_from(from: Ipv4Addr, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = socket2::Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((from, 0)).into())?;
    socket.connect(&to.into())?;
    Ok(TcpStream::from(socket))
}
