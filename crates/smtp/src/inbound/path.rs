//! `<path>` and the parameters after it, of MAIL and RCPT (RFC 5321 section 4.1.2).

/// What follows `MAIL FROM:` or `RCPT TO:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path<'a> {
    /// What stands in the angle brackets, without a source route. It is not checked to be an address.
    pub(super) address: &'a str,
    /// Each parameter, with what follows its `=`.
    pub(super) parameters: Vec<(&'a str, Option<&'a str>)>,
}

/// Reads the argument of MAIL or RCPT; the error is the cause, in words.
pub(super) fn parse<'a>(argument: &'a str, keyword: &str) -> Result<Path<'a>, &'static str> {
    let (said, rest) = argument.split_at_checked(keyword.len()).ok_or("no address")?;
    if !said.eq_ignore_ascii_case(keyword) {
        return Err("no address");
    }
    // A space after the colon is not in the grammar, but many send it.
    let rest = rest.trim_start_matches(' ').strip_prefix('<').ok_or("address without angle brackets")?;
    let end = closing_bracket(rest)?;
    let (path, rest) = (&rest[..end], &rest[end + 1..]);
    if !rest.is_empty() && !rest.starts_with(' ') {
        return Err("no space after the address");
    }
    let parameters = rest.split(' ').filter(|word| !word.is_empty()).map(|word| match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    });
    Ok(Path { address: without_route(path)?, parameters: parameters.collect() })
}

/// Where the `>` stands that is not within a quoted local part.
fn closing_bracket(text: &str) -> Result<usize, &'static str> {
    let mut quoted = false;
    let mut escaped = false;
    for (place, octet) in text.bytes().enumerate() {
        match octet {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'>' if !quoted => return Ok(place),
            b'<' | b' ' if !quoted => return Err("address with a space or bracket outside quotes"),
            _ => {}
        }
    }
    Err("address without a closing bracket")
}

/// Source routes (`@relay:user@domain`) must be taken and ignored (RFC 5321 appendix C).
fn without_route(path: &str) -> Result<&str, &'static str> {
    if !path.starts_with('@') {
        return Ok(path);
    }
    path.split_once(':').map(|(_, address)| address).ok_or("source route without an address")
}
