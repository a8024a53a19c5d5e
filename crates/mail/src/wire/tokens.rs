//! What the Content fields may hold, for those who read them and those who write them.

/// The most octets of `type/subtype` (RFC 6838 section 4.2).
const MAX_MEDIA_TYPE: usize = 127;
/// The most octets of a Content-ID, so that its field stays one line.
const MAX_CONTENT_ID: usize = 500;

/// A token of RFC 2045 section 5.1.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(&b))
}

/// Whether an attachment can be sent as this `type/subtype`. A multipart cannot: it is no content, but holds others.
pub(crate) fn is_media_type(text: &str) -> bool {
    let Some((kind, subtype)) = text.split_once('/') else {
        return false;
    };
    is_token(kind) && is_token(subtype) && text.len() <= MAX_MEDIA_TYPE && !kind.eq_ignore_ascii_case("multipart")
}

/// Whether a text, without its brackets, can be a Content-ID: the form of a message id (RFC 2045 section 7), though
/// many senders leave the `@` out.
pub(crate) fn is_content_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_graphic() && b != b'<' && b != b'>';
    !text.is_empty() && text.len() <= MAX_CONTENT_ID && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_two_tokens() {
        for good in ["text/plain", "application/vnd.x+json", "IMAGE/png", "x/y"] {
            assert!(is_media_type(good), "{good}");
        }
        let long = format!("text/{}", "x".repeat(123));
        for bad in
            ["", "text", "text/", "/plain", "a/b/c", "a b/c", "a/b=c", "é/x", "multipart/mixed", "Multipart/x", &long]
        {
            assert!(!is_media_type(bad), "{bad}");
        }
    }

    #[test]
    fn content_ids_are_one_word() {
        assert!(is_content_id("image001.png@01DB.5F") && is_content_id("logo") && is_content_id(&"x".repeat(500)));
        for bad in ["", "a b", "a<b", "a>b", "é", "a\u{7f}", &"x".repeat(501)] {
            assert!(!is_content_id(bad), "{bad}");
        }
    }
}
