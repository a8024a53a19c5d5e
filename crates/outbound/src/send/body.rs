//! The body of a request, which says when it is on its way.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper_util::client::legacy::connect::CaptureConnection;
use inboxd_core::ports::OnItsWay;

use crate::stream::Line;

/// Octets that are sent in one piece.
pub(crate) struct Told {
    content: Bytes,
    /// Called when the octets have gone out on the connection.
    on_its_way: Option<OnItsWay>,
    /// The connection, which is chosen before the body is asked for.
    connection: Arc<OnceLock<CaptureConnection>>,
}

impl Told {
    pub(super) fn new(content: Bytes, on_its_way: OnItsWay) -> Self {
        Self { content, on_its_way: Some(on_its_way), connection: Arc::default() }
    }

    /// The same once more: that it is on its way was said before.
    pub(super) fn again(content: Bytes) -> Self {
        Self { content, on_its_way: None, connection: Arc::default() }
    }

    /// Where the connection is to be put.
    pub(super) fn connection(&self) -> Arc<OnceLock<CaptureConnection>> {
        Arc::clone(&self.connection)
    }
}

impl Body for Told {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let line = self.connection.get().and_then(Line::of);
        if let (Some(on_its_way), Some(line)) = (self.on_its_way.take(), line) {
            line.when_flushed(on_its_way);
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
