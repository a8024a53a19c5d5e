//! Quoted and unquoted parameter values.

use super::MAX_PARAMETERS;

/// Maximum length in bytes of a parameter name recognized without a semicolon before it.
const MAX_PARAMETER_NAME_BYTES: usize = 40;

/// Reads to the closing quote.
///
/// A backslash escapes quotes and backslashes only, so Windows paths survive. A quote without a valid continuation
/// belongs to the value. Without a closing quote, a semicolon ends the value.
pub(super) fn read_quoted<'a>(text: &'a str, quotes_close: &mut bool) -> (String, &'a str) {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while *quotes_close && let Some((at, c)) = chars.next() {
        match c {
            '"' => match behind_quote(text.get(at + 1..).unwrap_or_default()) {
                Some(rest) => return (value, rest),
                None => value.push(c),
            },
            '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push(c),
            },
            c => value.push(c),
        }
    }
    *quotes_close = false;
    let (open, rest) = text.split_once(';').unwrap_or((text, ""));
    (open.trim_end().to_owned(), rest)
}

/// Returns the text after a closing quote and its semicolon; `None` if the quote closes nothing.
fn behind_quote(text: &str) -> Option<&str> {
    let rest = text.trim_start();
    if let Some(rest) = rest.strip_prefix(';') {
        return Some(rest);
    }
    if rest.starts_with('(') {
        let rest = without_comment(rest);
        return Some(rest.strip_prefix(';').unwrap_or(rest));
    }
    (rest.is_empty() || (rest.len() < text.len() && starts_parameter(rest))).then_some(rest)
}

/// Reads to the semicolon, or to the next parameter if the semicolon is missing. Unquoted file names may contain
/// spaces; a comment at the end is removed.
pub(super) fn read_token(text: &str) -> (String, &str) {
    let (token, rest) = text.split_once(';').unwrap_or((text, ""));
    let next = token.match_indices(' ').map(|(at, _)| at + 1);
    let next = next.take(MAX_PARAMETERS).find(|at| token.get(*at..).is_some_and(starts_parameter));
    let (token, rest) = match next {
        Some(at) => text.split_at_checked(at).unwrap_or((token, rest)),
        None => (token, rest),
    };
    let token = token.trim();
    let token = match token.find(" (") {
        Some(at) if token.ends_with(')') => token.get(..at).unwrap_or(token),
        _ => token,
    };
    (token.trim_end().to_owned(), rest)
}

/// Returns true if a text begins with `name=`.
fn starts_parameter(text: &str) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'*' | b'_');
    let length = text.bytes().take(MAX_PARAMETER_NAME_BYTES).take_while(is_name).count();
    length > 0 && text.as_bytes().get(length) == Some(&b'=')
}

/// Skips a comment at the start of a text.
pub(super) fn without_comment(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix('(') {
        Some(comment) => comment.split_once(')').map_or("", |(_, rest)| rest).trim_start(),
        None => text,
    }
}
