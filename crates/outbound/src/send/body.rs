//! The body of a request, which says when it is on its way.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use inboxd_core::ports::OnItsWay;

/// Octets that are sent in one piece.
pub(crate) struct Told {
    content: Bytes,
    /// Called when the connection takes the octets; until then the request can be taken back.
    on_its_way: Option<OnItsWay>,
}

impl Told {
    pub(super) fn new(content: Bytes, on_its_way: OnItsWay) -> Self {
        Self { content, on_its_way: Some(on_its_way) }
    }

    /// The same once more: that it is on its way was said before.
    pub(super) fn again(content: Bytes) -> Self {
        Self { content, on_its_way: None }
    }
}

impl Body for Told {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(on_its_way) = self.on_its_way.take() {
            on_its_way();
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
