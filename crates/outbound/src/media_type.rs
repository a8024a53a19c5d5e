//! The media type of an answer.

/// The longest type or subtype (RFC 6838 section 4.2).
const LONGEST_NAME: usize = 127;

/// The media type that a `Content-Type` field names, in lower case, with its `charset` and no other parameter. `None`
/// when there is none in it that could be written into a mail.
pub(crate) fn media_type(field: &[u8]) -> Option<String> {
    let field = str::from_utf8(field).ok()?;
    let mut parts = field.split(';').map(str::trim);
    let (kind, subtype) = parts.next()?.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    let essence = format!("{kind}/{subtype}").to_ascii_lowercase();
    // Its parts hang on a boundary parameter: without one it could not be read as what it says it is.
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

/// RFC 9110 section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_token_octet = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= LONGEST_NAME && text.bytes().all(is_token_octet)
}
