//! Ranges and entity tags of binary responses (RFC 9110, sections 8.8.3, 13.1 and 14).

use std::ops::Range;

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{IF_RANGE, RANGE};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::error::ApiError;
use crate::middleware::matches_tag;

/// Bytes of the digest in a tag.
const TAG_BYTES: usize = 16;

/// Part of a content that a response has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestedPart {
    /// All of it.
    Whole,
    /// These bytes.
    Bytes(Range<u64>),
    /// Nothing: the client has the content.
    NotModified,
}

/// Returns the strong entity tag of a content that never changes, by values that identify it.
pub(super) fn entity_tag(values: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for value in values {
        digest.update(u64::try_from(value.len()).unwrap_or(u64::MAX).to_be_bytes());
        digest.update(value);
    }
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest.finalize()[..TAG_BYTES]))
}

/// Returns the part of a content of `size` bytes that a request asks for. Several ranges, other units, malformed ranges and
/// those of HEAD get the whole content (RFC 9110, section 14.2).
///
/// # Errors
/// 416 for a range behind the end.
pub(super) fn requested_part(request: &HttpRequest, tag: &str, size: u64) -> Result<RequestedPart, ApiError> {
    let headers = request.headers();
    if matches_tag(headers, tag) {
        return Ok(RequestedPart::NotModified);
    }
    // A weak tag or a date never matches: there is no time of a last change.
    let is_current = headers.get(IF_RANGE).is_none_or(|value| value.as_bytes() == tag.as_bytes());
    let mut ranges = headers.get_all(RANGE);
    // Ranges are defined for GET alone.
    let may_have_range = *request.method() == Method::GET && is_current;
    let (Some(range), None, true) = (ranges.next(), ranges.next(), may_have_range) else {
        return Ok(RequestedPart::Whole);
    };
    match range.to_str().ok().and_then(ByteRange::parse) {
        Some(range) => match range.within(size) {
            Some(bytes) => Ok(RequestedPart::Bytes(bytes)),
            None => Err(ApiError::range_not_satisfiable(size)),
        },
        None => Ok(RequestedPart::Whole),
    }
}

/// A single range of bytes (RFC 9110, section 14.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteRange {
    /// From a position to another one, inclusive.
    Between(u64, u64),
    /// The last bytes.
    Last(u64),
}

impl ByteRange {
    fn parse(value: &str) -> Option<Self> {
        let (unit, range) = value.split_once('=')?;
        let (first, last) = range.trim().split_once('-').filter(|_| unit.trim().eq_ignore_ascii_case("bytes"))?;
        match (first, last) {
            ("", "") => None,
            ("", last) => number(last).map(Self::Last),
            (first, "") => number(first).map(|first| Self::Between(first, u64::MAX)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::Between(first, last))
            }
        }
    }

    /// Returns the bytes within a content; `None` if it has none of them.
    fn within(self, size: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::Between(first, last) => first..last.saturating_add(1).min(size),
            Self::Last(bytes) => size.saturating_sub(bytes)..size,
        };
        (!range.is_empty()).then_some(range)
    }
}

/// Returns a number of digits; one that is too large is the largest.
fn number(digits: &str) -> Option<u64> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn range_selects_bytes_within_size() {
        for (value, expected) in [
            ("bytes=0-4", Some(0..5)),
            ("Bytes= 0-0", Some(0..1)),
            ("bytes=5-", Some(5..10)),
            ("bytes=5-99999999999999999999999", Some(5..10)),
            ("bytes=9-9", Some(9..10)),
            ("bytes=-3", Some(7..10)),
            ("bytes=-99", Some(0..10)),
            ("bytes=10-", None),
            ("bytes=99999999999999999999999-", None),
            ("bytes=-0", None),
        ] {
            assert_eq!(ByteRange::parse(value).map(|range| range.within(10)), Some(expected), "{value}");
        }
        for value in ["bytes=", "bytes=-", "bytes=4-2", "bytes=a-", "bytes=0-1,3-4", "bytes=+1-2", "items=0-1", "0-1"] {
            assert_eq!(ByteRange::parse(value), None, "{value}");
        }
        assert_eq!(ByteRange::Last(1).within(0), None);
    }

    #[test]
    fn range_applies_to_the_tagged_content_alone() {
        let part = |fields: &[(&'static str, &'static str)]| {
            let request = fields.iter().fold(TestRequest::get(), |request, field| request.append_header(*field));
            requested_part(&request.to_http_request(), "\"a\"", 10).map_err(|error| error.code.status().as_u16())
        };
        let bytes = || Ok(RequestedPart::Bytes(0..5));
        assert_eq!(part(&[]), Ok(RequestedPart::Whole));
        assert_eq!(part(&[("Range", "bytes=0-4")]), bytes());
        assert_eq!(part(&[("Range", "bytes=0-4"), ("If-Range", "\"a\"")]), bytes());
        for other in ["\"b\"", "W/\"a\"", "Sun, 29 Nov 2026 12:00:00 GMT"] {
            let fields = [("Range", "bytes=0-4"), ("If-Range", other)];
            assert_eq!(part(&fields), Ok(RequestedPart::Whole), "{other}");
        }
        assert_eq!(part(&[("Range", "bytes=0-4"), ("Range", "bytes=5-6")]), Ok(RequestedPart::Whole));
        assert_eq!(part(&[("Range", "bytes=10-")]), Err(416));
        assert_eq!(part(&[("If-None-Match", "\"a\"")]), Ok(RequestedPart::NotModified));
        for range in ["bytes=0-4", "bytes=10-"] {
            let head = TestRequest::default().method(Method::HEAD).append_header(("Range", range)).to_http_request();
            assert_eq!(requested_part(&head, "\"a\"", 10).ok(), Some(RequestedPart::Whole), "{range}");
        }
    }

    #[test]
    fn tags_of_other_values_differ() {
        assert_ne!(entity_tag(&[b"ab", b"c"]), entity_tag(&[b"a", b"bc"]));
        assert_eq!(entity_tag(&[b"a"]).len(), 24);
    }
}
