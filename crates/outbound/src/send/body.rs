//! Request body that signals its transmission.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper_util::client::legacy::connect::CaptureConnection;
use inboxd_core::ports::OnItsWay;

use crate::guarded_stream::ConnectionState;

/// Request body of one frame.
pub(crate) struct SignallingBody {
    content: Bytes,
    /// Callback for the moment when the bytes are flushed to the connection.
    on_sent: Option<OnItsWay>,
    /// Connection of the request. The client assigns it before it polls the body.
    connection: Arc<OnceLock<CaptureConnection>>,
}

impl SignallingBody {
    pub(super) fn new(content: Bytes, on_sent: OnItsWay) -> Self {
        Self { content, on_sent: Some(on_sent), connection: Arc::default() }
    }

    /// Returns the body of a repeated request. Its transmission was signalled before.
    pub(super) fn resend(content: Bytes) -> Self {
        Self { content, on_sent: None, connection: Arc::default() }
    }

    /// Returns the cell that the sender fills with the connection.
    pub(super) fn connection(&self) -> Arc<OnceLock<CaptureConnection>> {
        Arc::clone(&self.connection)
    }
}

impl Body for SignallingBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let state = self.connection.get().and_then(ConnectionState::of);
        if let (Some(on_sent), Some(state)) = (self.on_sent.take(), state) {
            state.on_flush(on_sent);
        }
        let content = std::mem::take(&mut self.content);
        Poll::Ready((!content.is_empty()).then(|| Ok(Frame::data(content))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.content.len()).unwrap_or(u64::MAX))
    }
}
