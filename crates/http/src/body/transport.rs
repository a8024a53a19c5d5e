//! From the connection to the octets of a body: bounded in size and time.

use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout, timeout_at};

use crate::error::ApiError;

/// How long a client may stay silent in the middle of a body.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a whole body may take.
const WHOLE: Duration = Duration::from_mins(10);
/// How long the rest of a refused body is read, so that the client gets to read why.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads a body of at most `limit` octets, asking for room as it grows.
pub(super) async fn read(
    request: &HttpRequest,
    payload: &mut Payload,
    limit: usize,
    mut room: impl FnMut(usize) -> Result<(), ApiError>,
) -> Result<Bytes, ApiError> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        discard(payload, limit).await;
        return Err(ApiError::body_too_large(limit));
    }
    let end = Instant::now() + WHOLE;
    let mut body = BytesMut::new();
    loop {
        let chunk = timeout_at(end.min(Instant::now() + SILENCE), payload.next()).await;
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
        check_type(request)?;
    }
    Ok(body.freeze())
}

/// Reads on for a while: a client that is still writing would see its connection break, not the answer.
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
    // Whether it ended or not, the answer is the same.
    let _ = timeout(PATIENCE, rest).await;
}

/// Refuses what is compressed: a small body could become a very large one.
fn check_encoding(request: &HttpRequest) -> Result<(), ApiError> {
    let encodings = request.headers().get_all(CONTENT_ENCODING);
    let named = encodings.flat_map(|value| value.as_bytes().split(|octet| *octet == b',')).map(<[u8]>::trim_ascii);
    let mut others = named.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"));
    match others.next() {
        Some(other) => Err(ApiError::unsupported_encoding(&String::from_utf8_lossy(other))),
        None => Ok(()),
    }
}

/// Refuses what says that it is no JSON. A body without a type is read as JSON, and so is what `fetch` sends by default.
fn check_type(request: &HttpRequest) -> Result<(), ApiError> {
    let Some(given) = request.headers().get(CONTENT_TYPE) else { return Ok(()) };
    let given = String::from_utf8_lossy(given.as_bytes()).to_ascii_lowercase();
    let essence = given.split(';').next().unwrap_or_default().trim();
    let is_json = essence.ends_with("/json") || essence.ends_with("+json");
    if is_json || matches!(essence, "" | "text/plain" | "application/octet-stream") {
        return Ok(());
    }
    Err(ApiError::unsupported_media_type(essence))
}
