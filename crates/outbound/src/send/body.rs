//! Request body that signals its transmission.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use inboxd_core::ports::OnItsWay;

/// Bytes of one frame. The connection takes the next frame when it has written most of those before.
const FRAME_BYTES: usize = 64 * 1024;

/// Request body that signals when the connection has taken its last frame.
pub(crate) struct SignallingBody {
    content: Bytes,
    /// Callback for the moment when the connection has taken the last frame.
    on_sent: Option<OnItsWay>,
}

impl SignallingBody {
    pub(super) fn new(content: Bytes, on_sent: OnItsWay) -> Self {
        Self { content, on_sent: Some(on_sent) }
    }

    /// Returns the body of a repeated request. Its transmission was signalled before.
    pub(super) fn resend(content: Bytes) -> Self {
        Self { content, on_sent: None }
    }
}

impl Body for SignallingBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.content.len().min(FRAME_BYTES);
        let frame = self.content.split_to(length);
        if self.content.is_empty()
            && let Some(on_sent) = self.on_sent.take()
        {
            on_sent();
        }
        Poll::Ready((!frame.is_empty()).then(|| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.content.len()).unwrap_or(u64::MAX))
    }
}
