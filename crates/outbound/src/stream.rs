//! A connection that knows whether it has served before, and says when a request has gone out.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hyper::http::Extensions;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, Connection};
use hyper_util::rt::TokioIo;
use inboxd_core::ports::OnItsWay;
use tokio::net::TcpStream;

/// What is known of a connection from outside. The client puts it beside every request and every answer.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<State>);

#[derive(Default)]
struct State {
    is_proven: AtomicBool,
    when_flushed: Mutex<Option<OnItsWay>>,
}

impl Line {
    /// The line of a connection that was captured, once there is one.
    pub(crate) fn of(connection: &CaptureConnection) -> Option<Self> {
        let mut extras = Extensions::new();
        connection.connection_metadata().as_ref()?.get_extras(&mut extras);
        extras.remove()
    }

    /// It has brought an answer. What was written has gone out then, as much as was asked for.
    pub(crate) fn prove(&self) {
        self.0.is_proven.store(true, Ordering::Relaxed);
        self.flushed();
    }

    /// Whether it has brought an answer before.
    pub(crate) fn is_proven(&self) -> bool {
        self.0.is_proven.load(Ordering::Relaxed)
    }

    /// Calls this when all that was written so far has gone out.
    pub(crate) fn when_flushed(&self, call: OnItsWay) {
        *self.0.when_flushed.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    fn flushed(&self) {
        let call = self.0.when_flushed.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(call) = call {
            call();
        }
    }
}

/// A connection.
pub(crate) struct Stream {
    io: TokioIo<TcpStream>,
    line: Line,
}

impl Stream {
    pub(crate) fn new(stream: TcpStream) -> Self {
        // Head and body of a request may be two writes, and the second must not wait for the answer to the first. Where
        // that cannot be had, all is only slower.
        let _ = stream.set_nodelay(true);
        Self { io: TokioIo::new(stream), line: Line::default() }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().extra(self.line.clone())
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
        let flushed = Pin::new(&mut self.io).poll_flush(cx);
        if let Poll::Ready(Ok(())) = flushed {
            self.line.flushed();
        }
        flushed
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
