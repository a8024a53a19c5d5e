//! Media type of a fetched response.

/// Limit of a type or subtype name (RFC 6838, section 4.2).
const MAX_NAME_BYTES: usize = 127;

/// Returns the media type of a `Content-Type` field in lower case, with `charset` and no other parameter.
///
/// Returns `None` when the field has no type that can be written into a message.
pub(crate) fn media_type(field: &[u8]) -> Option<String> {
    let field = str::from_utf8(field).ok()?;
    let mut parts = field.split(';').map(str::trim);
    let (kind, subtype) = parts.next()?.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    let essence = format!("{kind}/{subtype}").to_ascii_lowercase();
    // Without its boundary parameter a multipart type cannot be read.
    if kind.eq_ignore_ascii_case("multipart") {
        return None;
    }
    match parts.find_map(charset) {
        Some(charset) => Some(format!("{essence}; charset={charset}")),
        None => Some(essence),
    }
}

fn charset(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    let value = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value);
    (name.eq_ignore_ascii_case("charset") && is_token(value)).then(|| value.to_ascii_lowercase())
}

/// Returns whether a text is a token (RFC 9110, section 5.6.2) of bounded length.
fn is_token(text: &str) -> bool {
    let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && text.bytes().all(is_token_byte)
}
