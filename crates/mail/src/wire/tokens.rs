//! Syntax of Content fields, shared by parser and composer.

/// Maximum length of `type/subtype` in bytes (RFC 6838, section 4.2).
const MAX_MEDIA_TYPE: usize = 127;
/// Maximum length of a Content-ID in bytes; its field remains one line.
const MAX_CONTENT_ID: usize = 500;

/// Returns true for a token of RFC 2045, section 5.1.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(&b))
}

/// Returns true if an attachment may have this `type/subtype`. A multipart type is invalid, because it contains other
/// parts.
pub(crate) fn is_media_type(text: &str) -> bool {
    let Some((kind, subtype)) = text.split_once('/') else {
        return false;
    };
    is_token(kind) && is_token(subtype) && text.len() <= MAX_MEDIA_TYPE && !kind.eq_ignore_ascii_case("multipart")
}

/// Returns true for a Content-ID without brackets. It has the form of a message id (RFC 2045, section 7), but many
/// senders omit the `@`.
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
