//! Receiving WebSocket (RFC 6455) of minimal cost, because many thousands are opened.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::connect_from;
use crate::outcome::Outcome;

/// Limit for the subscription.
const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(10);

/// A subscribed WebSocket.
pub(crate) struct Socket {
    stream: BufReader<TcpStream>,
}

impl Socket {
    /// Connects from an address of this machine and subscribes to all events of the key.
    pub(crate) fn subscribe(from: Ipv4Addr, to: SocketAddr, key: &str) -> Outcome<Self> {
        let stream = connect_from(from, to)?;
        // A server at its connection limit leaves this one waiting.
        stream.set_read_timeout(Some(SUBSCRIBE_TIMEOUT))?;
        stream.set_nodelay(true)?;
        // Few bytes arrive at a time.
        let mut socket = Self { stream: BufReader::with_capacity(512, stream) };
        write!(
            socket.stream.get_mut(),
            "GET /v0 HTTP/1.1\r\nHost: {to}\r\nAuthorization: Bearer {key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )?;
        let mut line = String::new();
        socket.stream.read_line(&mut line)?;
        if !line.contains(" 101 ") {
            return Err(format!("no WebSocket but {line:?}").into());
        }
        while !line.trim_end().is_empty() {
            line.clear();
            socket.stream.read_line(&mut line)?;
        }
        socket.frame(0x81, br#"{"type":"subscribe"}"#)?;
        let message = socket.next()?;
        if message["type"] != "subscribed" {
            return Err(format!("not subscribed but {message}").into());
        }
        socket.stream.get_ref().set_read_timeout(None)?;
        Ok(socket)
    }

    /// Returns the next JSON message and replies to pings meanwhile.
    pub(crate) fn next(&mut self) -> Outcome<Value> {
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head)?;
            let [first, second] = head;
            let length = match second & 0x7F {
                126 => {
                    let mut long = [0; 2];
                    self.stream.read_exact(&mut long)?;
                    usize::from(u16::from_be_bytes(long))
                }
                127 => {
                    let mut long = [0; 8];
                    self.stream.read_exact(&mut long)?;
                    usize::try_from(u64::from_be_bytes(long))?
                }
                short => usize::from(short),
            };
            let mut payload = vec![0; length];
            self.stream.read_exact(&mut payload)?;
            match first & 0x0F {
                0x1 => return Ok(serde_json::from_slice(&payload)?),
                0x9 => self.frame(0x8A, &payload)?,
                0x8 => return Err(format!("closed: {}", String::from_utf8_lossy(&payload)).into()),
                _ => {}
            }
        }
    }

    /// Sends a frame of fewer than 126 bytes. A mask of zeros leaves them unchanged.
    fn frame(&mut self, first: u8, payload: &[u8]) -> Outcome<()> {
        let length = u8::try_from(payload.len())?;
        let frame = [&[first, 0x80 | length, 0, 0, 0, 0], payload].concat();
        Ok(self.stream.get_mut().write_all(&frame)?)
    }
}
