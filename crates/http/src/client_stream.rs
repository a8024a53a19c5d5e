//! Bytes of a client connection: plain TCP or TLS.

use std::io::Result;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// ALPN protocol id of HTTP/2 (RFC 9113, section 3.1).
pub(crate) const ALPN_HTTP2: &[u8] = b"h2";

/// Connected stream of a client.
pub(crate) enum ClientStream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl ClientStream {
    /// Returns a stream with `TCP_NODELAY`.
    ///
    /// Otherwise each small write, such as an event, waits for the acknowledgment of the write before. The client may
    /// delay that by 40 ms (RFC 896; RFC 1122, section 4.2.3.2).
    pub(crate) fn plain(stream: TcpStream) -> Self {
        // Fails only on a closed connection, which the next read reports.
        let _ = stream.set_nodelay(true);
        Self::Plain(stream)
    }

    /// Returns whether TLS protects the stream.
    pub(crate) fn is_secure(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// Returns whether both sides agreed on HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        matches!(self, Self::Tls(stream) if stream.get_ref().1.alpn_protocol() == Some(ALPN_HTTP2))
    }

    /// Returns whether the client has closed its side, without consuming any byte.
    pub(crate) fn has_ended(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Plain(stream) => {
                let mut next = [0];
                matches!(stream.poll_peek(cx, &mut ReadBuf::new(&mut next)), Poll::Ready(Ok(0)))
            }
            Self::Tls(stream) => {
                matches!(Pin::new(stream.as_mut()).poll_fill_buf(cx), Poll::Ready(Ok([]) | Err(_)))
            }
        }
    }
}

/// Calls a method of the inner stream.
macro_rules! inner {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self.get_mut() {
            Self::Plain(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            Self::Tls(stream) => {
                let $stream = Pin::new(stream.as_mut());
                $call
            }
        }
    };
}

impl AsyncRead for ClientStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        inner!(self, stream => stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        inner!(self, stream => stream.poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        inner!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        inner!(self, stream => stream.poll_shutdown(cx))
    }
}
