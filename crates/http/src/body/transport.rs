//! Transfer of a request body, bounded in size and time.

use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout, timeout_at};

use crate::error::ApiError;

/// Silence of a client within a body before the request fails.
const READ_IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time without a minimum rate at the start of a body.
const RATE_GRACE: Duration = Duration::from_secs(10);
/// Average rate that a body must reach after the grace period.
const MIN_BYTES_PER_SECOND: u64 = 8 * 1024;
/// Time for a whole body.
const READ_TIMEOUT: Duration = Duration::from_mins(10);
/// Time for which the rest of a refused body is read, so that the client receives the response.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);

/// Media types that a body may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyType {
    /// JSON.
    Json,
    /// Every media type.
    Any,
    /// Form fields (RFC 6749, section 3.2).
    Form,
    /// Form of a page, possibly with files.
    PageForm,
}

/// Reads a body of at most `limit` bytes and extends its memory share as it grows.
pub(super) async fn read(
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    body_type: BodyType,
    mut room: impl FnMut(usize) -> Result<(), ApiError>,
) -> Result<Bytes, ApiError> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        discard(payload, limit).await;
        return Err(ApiError::body_too_large(limit));
    }
    let begun = Instant::now();
    let mut body = BytesMut::new();
    loop {
        let chunk =
            timeout_at(deadline(begun, body.len()).min(Instant::now() + READ_IDLE_TIMEOUT), payload.next()).await;
        match chunk.map_err(|_| ApiError::body_too_slow())? {
            None => break,
            Some(Err(error)) => return Err(ApiError::body_broken(error.to_string())),
            Some(Ok(chunk)) if body.len() + chunk.len() > limit => {
                discard(payload, limit).await;
                return Err(ApiError::body_too_large(limit));
            }
            Some(Ok(chunk)) => {
                if let Err(refusal) = room(body.len() + chunk.len()) {
                    drop(body);
                    discard(payload, limit).await;
                    return Err(refusal);
                }
                body.extend_from_slice(&chunk);
            }
        }
    }
    if !body.is_empty() {
        check_encoding(request)?;
        check_type(request, body_type)?;
    }
    Ok(body.freeze())
}

/// Returns the deadline of the next bytes of a body that began at `begun` and has `bytes` so far.
fn deadline(begun: Instant, bytes: usize) -> Instant {
    let at_rate = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(1000) / MIN_BYTES_PER_SECOND;
    begun + READ_TIMEOUT.min(RATE_GRACE.saturating_add(Duration::from_millis(at_rate)))
}

/// Reads on for a limited time: a client that is still writing would see a broken connection instead of the response.
async fn discard(payload: &mut Payload, limit: usize) {
    let mut room = limit.saturating_mul(2);
    let rest = async {
        while let Some(Ok(chunk)) = payload.next().await {
            room = room.saturating_sub(chunk.len());
            if room == 0 {
                break;
            }
        }
    };
    // The response is the same after a timeout.
    let _ = timeout(DISCARD_TIMEOUT, rest).await;
}

/// Refuses a compressed body: a small one could expand to a very large one.
fn check_encoding(request: &HttpRequest) -> Result<(), ApiError> {
    let encodings = request.headers().get_all(CONTENT_ENCODING);
    let named = encodings.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    let mut others = named.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"));
    match others.next() {
        Some(other) => Err(ApiError::unsupported_encoding(&String::from_utf8_lossy(other))),
        None => Ok(()),
    }
}

/// Refuses another media type. A body without a type, or with the default type of `fetch`, is read as JSON.
fn check_type(request: &HttpRequest, body_type: BodyType) -> Result<(), ApiError> {
    let named = media_type(request);
    let essence = named.as_deref().unwrap_or_default();
    let is_form = essence == "application/x-www-form-urlencoded";
    match body_type {
        BodyType::Json => {
            let is_json = essence.ends_with("/json") || essence.ends_with("+json");
            let is_accepted = is_json || matches!(essence, "" | "text/plain" | "application/octet-stream");
            if is_accepted { Ok(()) } else { Err(ApiError::unsupported_media_type(essence)) }
        }
        BodyType::PageForm if essence == "multipart/form-data" => Ok(()),
        BodyType::Form | BodyType::PageForm => {
            if is_form {
                Ok(())
            } else {
                Err(ApiError::no_form())
            }
        }
        BodyType::Any => Ok(()),
    }
}

/// Returns the media type of a body without its parameters.
fn media_type(request: &HttpRequest) -> Option<String> {
    let given = String::from_utf8_lossy(request.headers().get(CONTENT_TYPE)?.as_bytes()).to_ascii_lowercase();
    Some(given.split(';').next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use actix_web::error::PayloadError;
    use actix_web::test::TestRequest;
    use futures_util::stream;
    use tokio::time::sleep;

    use super::*;

    /// Reads a body that arrives in `chunks` chunks of `chunk` bytes, one each `pause` seconds.
    async fn dripping(chunk: usize, pause: u64, chunks: usize) -> (Result<Bytes, ApiError>, Duration) {
        let begun = Instant::now();
        let drip = stream::iter(0..chunks).then(move |_| async move {
            sleep(Duration::from_secs(pause)).await;
            Ok::<_, PayloadError>(Bytes::from(vec![b' '; chunk]))
        });
        let mut payload: Payload = Payload::Stream { payload: Box::pin(drip) };
        let request = TestRequest::default().to_http_request();
        let body = read(&request, &mut payload, 10_000_000, BodyType::Json, |_| Ok(())).await;
        (body, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn body_below_the_rate_ends_soon_after_the_grace() {
        for (chunk, pause) in [(1, 1), (100, 5), (8_000, 9)] {
            let (body, took) = dripping(chunk, pause, 1000).await;
            assert_eq!(body.unwrap_err().code.as_str(), "request_timeout", "{chunk} {pause}");
            assert!(took < RATE_GRACE * 2, "{chunk} {pause}: {took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn body_above_the_rate_is_read_however_long_it_takes() {
        let (body, took) = dripping(20_000, 2, 100).await;
        assert_eq!(body.unwrap().len(), 2_000_000);
        assert!(took > Duration::from_mins(3), "{took:?}");
    }
}
