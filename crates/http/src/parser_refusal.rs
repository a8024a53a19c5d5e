//! The envelope for requests that the HTTP parser refuses.
//!
//! Such a request never reaches a handler: the server writes a response without a body, and closes the connection. A
//! connection recognizes that response by its head, which no middleware has seen, and writes the envelope in its place.

use actix_web::http::StatusCode;

use crate::error::{ApiError, ErrorCode, json};

/// The end of every such response.
const HEAD_END: &[u8] = b"\r\n\r\n";
/// How its status line begins.
const STATUS_LINE: &[u8] = b"HTTP/1.1 ";
/// The header that every response of a handler has.
const REQUEST_ID: &[u8] = b"x-request-id:";
/// Such a response has at most so many bytes.
const MAX_HEAD_BYTES: usize = 256;

/// Returns where the response to a refused request begins in what is to be written, and its status.
pub(crate) fn find(written: &[u8]) -> Option<(usize, StatusCode)> {
    let tail = written.len().saturating_sub(MAX_HEAD_BYTES);
    let end = written.strip_suffix(HEAD_END)?;
    let found = end.get(tail..)?.windows(STATUS_LINE.len()).rposition(|window| window == STATUS_LINE)?;
    let start = tail + found;
    let head = end.get(start..)?;
    let status = StatusCode::from_bytes(head.get(STATUS_LINE.len()..STATUS_LINE.len() + 3)?).ok()?;
    let is_refusal = matches!(status.as_u16(), 400 | 408 | 431 | 500);
    let is_of_handler = head.windows(REQUEST_ID.len()).any(|window| window.eq_ignore_ascii_case(REQUEST_ID));
    (is_refusal && !is_of_handler).then_some((start, status))
}

/// Returns the response in the envelope.
pub(crate) fn response(status: StatusCode, base_url: &str, request_id: &str) -> Vec<u8> {
    let error = match status {
        StatusCode::REQUEST_TIMEOUT => {
            ApiError::new(ErrorCode::RequestTimeout, "the head of the request did not arrive in time")
        }
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            ApiError::new(ErrorCode::HeadersTooLarge, "the head of the request is too large")
        }
        StatusCode::BAD_REQUEST => ApiError::new(ErrorCode::MalformedRequest, "the request is not valid HTTP/1.1"),
        _ => ApiError::internal("the server could not read a request"),
    };
    let status = error.code.status();
    let body = json(&error, base_url);
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\
         x-request-id: {request_id}\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n\r\n",
        status.as_str(),
        status.canonical_reason().unwrap_or_default(),
        body.len()
    );
    [head.into_bytes(), body.into_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_without_a_request_id_is_found_at_the_end_only() {
        let refusal = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".as_slice();
        let before = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-request-id: 1\r\n\r\n{}".as_slice();
        assert_eq!(find(refusal), Some((0, StatusCode::BAD_REQUEST)));
        assert_eq!(find(&[before, refusal].concat()), Some((before.len(), StatusCode::BAD_REQUEST)));
        let long = [b"x".repeat(10_000).as_slice(), refusal].concat();
        assert_eq!(find(&long), Some((10_000, StatusCode::BAD_REQUEST)));
        for other in [
            before,
            b"",
            b"\r\n\r\n",
            &[refusal, before].concat(),
            b"HTTP/1.1 204 No Content\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 9\r\nX-Request-Id: 1\r\n\r\n",
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        ] {
            assert_eq!(find(other), None, "{}", String::from_utf8_lossy(other));
        }
    }
}
