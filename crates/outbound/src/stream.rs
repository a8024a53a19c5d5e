//! A connection that knows whether it has served before.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Whether a connection has brought an answer before. The client puts it beside every answer of the connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proven(Arc<AtomicBool>);

impl Proven {
    /// It has brought an answer.
    pub(crate) fn prove(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has.
    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Stream {
    io: TokioIo<TcpStream>,
    proven: Proven,
}

impl Stream {
    pub(crate) fn new(stream: TcpStream) -> Self {
        // Head and body of a request may be two writes, and the second must not wait for the answer to the first. Where
        // that cannot be had, all is only slower.
        let _ = stream.set_nodelay(true);
        Self { io: TokioIo::new(stream), proven: Proven::default() }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().extra(self.proven.clone())
    }
}

impl Read for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, octets: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, octets)
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
