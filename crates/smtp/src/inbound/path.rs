//! Path and parameters of MAIL and RCPT (RFC 5321, section 4.1.2).

/// Argument of MAIL or RCPT after its keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EnvelopePath<'a> {
    /// Text in angle brackets without a source route. It is not validated as an address.
    pub(super) address: &'a str,
    /// Parameters with their values.
    pub(super) parameters: Vec<(&'a str, Option<&'a str>)>,
}

/// Parses the argument of MAIL or RCPT. The error is the cause as text.
pub(super) fn parse<'a>(argument: &'a str, keyword: &str) -> Result<EnvelopePath<'a>, &'static str> {
    let (keyword_part, rest) = argument.split_at_checked(keyword.len()).ok_or("no address")?;
    if !keyword_part.eq_ignore_ascii_case(keyword) {
        return Err("no address");
    }
    // The grammar has no space after the colon, but many clients send one.
    let rest = rest.trim_start_matches(' ').strip_prefix('<').ok_or("address without angle brackets")?;
    let end = find_closing_bracket(rest)?;
    let (path, rest) = (&rest[..end], &rest[end + 1..]);
    if !rest.is_empty() && !rest.starts_with(' ') {
        return Err("no space after the address");
    }
    let parameters = rest.split(' ').filter(|word| !word.is_empty()).map(|word| match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    });
    Ok(EnvelopePath { address: strip_source_route(path)?, parameters: parameters.collect() })
}

/// Returns the position of the first `>` outside a quoted local part.
fn find_closing_bracket(text: &str) -> Result<usize, &'static str> {
    let mut quoted = false;
    let mut escaped = false;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'>' if !quoted => return Ok(position),
            b'<' | b' ' if !quoted => return Err("address with a space or bracket outside quotes"),
            _ => {}
        }
    }
    Err("address without a closing bracket")
}

/// Removes a source route (`@relay:user@domain`), which must be accepted and ignored (RFC 5321, appendix C).
fn strip_source_route(path: &str) -> Result<&str, &'static str> {
    if !path.starts_with('@') {
        return Ok(path);
    }
    path.split_once(':').map(|(_, address)| address).ok_or("source route without an address")
}
