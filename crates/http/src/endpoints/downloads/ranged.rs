//! Responses with a content or a part of it. An object is read and sent in pieces.

use std::ops::Range;

use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_RANGES, CONTENT_RANGE, ETAG};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use futures_util::stream::try_unfold;
use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::model::{Content, StoredBlob};

use super::binary::content_head;
use super::ranges::{RequestedPart, requested_part};
use crate::error::ApiError;

/// Bytes in memory of a streamed response at a time: a multiple of the pieces in which stores seal contents.
pub(crate) const PIECE_BYTES: u64 = 256 * 1024;

/// Returns the response with the part of a content that a request asks for. The first piece of an object is read before the
/// response begins, so that a store which is away, and an object which is lost, are refusals.
pub(super) async fn ranged(
    request: &HttpRequest,
    app: &App,
    tag: &str,
    (content_type, filename): (&str, &str),
    content: Content,
) -> Result<HttpResponse, ApiError> {
    let size = content.size();
    let (status, range) = match requested_part(request, tag, size)? {
        RequestedPart::NotModified => return Ok(HttpResponse::NotModified().insert_header((ETAG, tag)).finish()),
        RequestedPart::Whole => (StatusCode::OK, 0..size),
        RequestedPart::Bytes(range) => (StatusCode::PARTIAL_CONTENT, range),
    };
    let mut response = content_head(status, content_type, filename);
    response.insert_header((ACCEPT_RANGES, "bytes")).insert_header((ETAG, tag));
    if status == StatusCode::PARTIAL_CONTENT {
        let last = range.end.saturating_sub(1);
        response.insert_header((CONTENT_RANGE, format!("bytes {}-{last}/{size}", range.start)));
    }
    let blob = match content {
        Content::Bytes(mut bytes) => {
            if status == StatusCode::PARTIAL_CONTENT {
                // A slice would keep the whole content in memory, of which only the slice is charged.
                let position = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
                bytes.truncate(position(range.end));
                bytes.drain(..position(range.start));
                bytes.shrink_to_fit();
            }
            return Ok(response.body(bytes));
        }
        Content::Object(blob) => blob,
    };
    let length = range.end.saturating_sub(range.start);
    let first = read_piece(app, &blob, &range).await?;
    let pieces = try_unfold((app.clone(), blob, range, Some(first)), |(app, blob, range, first)| async move {
        if range.is_empty() {
            return Ok::<_, Error>(None);
        }
        let piece = match first {
            Some(first) => first,
            None => read_piece(&app, &blob, &range).await?,
        };
        let rest = piece_of(&range).end..range.end;
        Ok(Some((piece, (app, blob, rest, None))))
    });
    Ok(response.body(SizedStream::new(length, pieces)))
}

/// Returns the beginning of a content.
pub(crate) async fn read_start(app: &App, content: Content, bytes: usize) -> Result<Vec<u8>, ApiError> {
    match content {
        Content::Bytes(mut content) => {
            content.truncate(bytes);
            Ok(content)
        }
        Content::Object(blob) => {
            let end = u64::try_from(bytes).unwrap_or(u64::MAX).min(blob.bytes);
            Ok(read(app, &blob, 0..end).await?)
        }
    }
}

/// Reads the first piece of a range.
async fn read_piece(app: &App, blob: &StoredBlob, range: &Range<u64>) -> Result<Bytes, Error> {
    read(app, blob, piece_of(range)).await.map(Bytes::from)
}

/// Reads a part of an object.
async fn read(app: &App, blob: &StoredBlob, part: Range<u64>) -> Result<Vec<u8>, Error> {
    if part.is_empty() {
        return Ok(Vec::new());
    }
    let content = app.blobs.read_range(blob, part).await.inspect_err(|error| {
        let StoredBlob { organization_id, name, store, .. } = blob;
        tracing::error!(%organization_id, object = name, store = store.as_str(), %error, "stored object not read");
    })?;
    Ok(content)
}

/// Returns the first piece of a range. It ends at a multiple of [`PIECE_BYTES`], where a sealed chunk ends too, so that no
/// two pieces read the same chunk.
fn piece_of(range: &Range<u64>) -> Range<u64> {
    let end = (range.start / PIECE_BYTES + 1).saturating_mul(PIECE_BYTES);
    range.start..range.end.min(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_unaligned_range_end_at_multiples_of_their_size() {
        let mut range = PIECE_BYTES + 5..3 * PIECE_BYTES + 7;
        let mut pieces = Vec::new();
        while !range.is_empty() {
            let piece = piece_of(&range);
            range.start = piece.end;
            pieces.push(piece);
        }
        let (second, third) = (2 * PIECE_BYTES, 3 * PIECE_BYTES);
        assert_eq!(pieces, [PIECE_BYTES + 5..second, second..third, third..third + 7]);
        assert_eq!(piece_of(&(u64::MAX - 1..u64::MAX)), u64::MAX - 1..u64::MAX);
    }
}
