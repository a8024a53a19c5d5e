//! Body of a request, sent in parts so that its progress is known.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::output::progress::TransferProgress;

/// Size of a part.
const PART_BYTES: usize = 64 * 1024;

/// Body of a request.
#[derive(Debug)]
pub(super) struct RequestBody {
    rest: Bytes,
    progress: TransferProgress,
}

impl RequestBody {
    /// Creates a body.
    pub(super) fn new(bytes: Bytes) -> Self {
        let progress = TransferProgress::start("sent", Some(bytes.len() as u64));
        Self { rest: bytes, progress }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            self.progress.end();
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(PART_BYTES);
        let part = self.rest.split_to(length);
        self.progress.add(length);
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
