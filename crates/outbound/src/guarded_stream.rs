//! TCP stream with reuse state.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper::http::Extensions;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Connection state that the client attaches to each request and response.
#[derive(Clone, Default)]
pub(crate) struct ConnectionState(Arc<AtomicBool>);

impl ConnectionState {
    /// Returns the state of a captured connection, or `None` before one is assigned.
    pub(crate) fn of(connection: &CaptureConnection) -> Option<Self> {
        let mut extras = Extensions::new();
        connection.connection_metadata().as_ref()?.get_extras(&mut extras);
        extras.remove()
    }

    /// Marks the connection as proven by a response.
    pub(crate) fn mark_proven(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the connection has delivered a response before.
    pub(crate) fn is_proven(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// TCP stream with its connection state.
pub(crate) struct GuardedStream {
    io: TokioIo<TcpStream>,
    state: ConnectionState,
}

impl GuardedStream {
    pub(crate) fn new(stream: TcpStream) -> Self {
        // Head and body of a request may be two writes. With Nagle's algorithm the second would wait for an
        // acknowledgement of the first. A failure to disable it costs latency only.
        let _ = stream.set_nodelay(true);
        Self { io: TokioIo::new(stream), state: ConnectionState::default() }
    }
}

impl Connection for GuardedStream {
    fn connected(&self) -> Connected {
        Connected::new().extra(self.state.clone())
    }
}

impl Read for GuardedStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for GuardedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, parts)
    }
}
