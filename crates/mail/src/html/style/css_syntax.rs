//! Normalization and split of CSS (CSS Syntax Module Level 3).

/// Appends `css` in lower case to `out`, with comments and escapes replaced.
pub(crate) fn plain(css: &str, out: &mut String) {
    let from = out.len();
    let mut rest = css;
    while let Some(at) = memchr::memchr2(b'\\', b'/', rest.as_bytes()) {
        let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        rest = if let Some(comment) = found.strip_prefix("/*") {
            out.push(' ');
            memchr::memmem::find(comment.as_bytes(), b"*/").and_then(|end| comment.get(end + 2..)).unwrap_or_default()
        } else if let Some(escape) = found.strip_prefix('\\') {
            unescape(escape, out)
        } else {
            out.push('/');
            found.get(1..).unwrap_or_default()
        };
    }
    out.push_str(rest);
    if let Some(added) = out.get_mut(from..) {
        added.make_ascii_lowercase();
    }
}

/// Writes the character of an escape and returns the rest. An escaped character with a meaning in CSS loses it and
/// becomes U+FFFD.
fn unescape<'a>(escape: &'a str, out: &mut String) -> &'a str {
    let digits = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    let (sign, rest) = if digits == 0 {
        let sign = escape.chars().next();
        (sign, escape.get(sign.map_or(0, char::len_utf8)..).unwrap_or_default())
    } else {
        let (digits, rest) = escape.split_at_checked(digits).unwrap_or((escape, ""));
        let sign = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        (sign, rest.strip_prefix([' ', '\n', '\t', '\r', '\u{c}']).unwrap_or(rest))
    };
    let means_nothing = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
    out.push(sign.filter(means_nothing).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

/// Iterates over the declarations of normalized CSS: name, value, and the `!important` flag.
pub(crate) fn declarations(block: &str) -> impl Iterator<Item = (&str, &str, bool)> {
    let mut rest = block;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at_checked(declaration_length(rest)).unwrap_or((rest, ""));
            rest = behind.get(1..).unwrap_or_default();
            if let Some((name, value)) = piece.split_once(':') {
                let value = value.trim();
                let ordinary = value.strip_suffix("important").and_then(|value| value.trim_end().strip_suffix('!'));
                return Some((name.trim(), ordinary.map_or(value, str::trim_end), ordinary.is_some()));
            }
        }
        None
    })
}

/// Returns the length of the first declaration, up to a semicolon outside quotes and brackets.
fn declaration_length(block: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut url_end = 0;
    for (at, sign) in block.bytes().enumerate().filter(|(_, sign)| !sign.is_ascii_alphanumeric()) {
        match (quote, sign) {
            _ if at < url_end => {}
            // A line break ends an unterminated string.
            (Some(_), b'\n') => quote = None,
            (Some(open), _) if open == sign => quote = None,
            (None, b'"' | b'\'') => quote = Some(sign),
            (None, b'(') => {
                depth += 1;
                url_end = at + bare_url_length(block, at);
            }
            (None, b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b';') if depth == 0 => return at,
            _ => {}
        }
    }
    block.len()
}

/// Returns the length of the URL in `url(…)` if the bracket at `at` opens one without quotes; brackets inside have no
/// meaning.
fn bare_url_length(block: &str, at: usize) -> usize {
    let (before, inner) = block.split_at_checked(at).unwrap_or_default();
    if !before.ends_with("url") || inner.get(1..).unwrap_or_default().trim_ascii_start().starts_with(['"', '\'']) {
        return 0;
    }
    memchr::memchr(b')', inner.as_bytes()).unwrap_or(inner.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_is_normalized() {
        for (css, expected) in [
            ("DISPLAY:/**/None", "display: none"),
            ("\\64isplay:none", "display:none"),
            ("\\64 isplay:n\\6fne", "display:none"),
            ("\\000064isplay:no\\6e e", "display:none"),
            ("a\\:b\\{c/d/* e", "a\u{fffd}b\u{fffd}c/d "),
            ("\\", "\u{fffd}"),
        ] {
            let mut out = String::new();
            plain(css, &mut out);
            assert_eq!(out, expected, "{css:?}");
        }
    }

    #[test]
    fn css_blocks_split_into_declarations() {
        let css = "a:b ; c : d! important;e;background:url(data:x;y) f;g:'h;i';j:\"k\nl;m:n";
        let found: Vec<_> = declarations(css).collect();
        let expected = [
            ("a", "b", false),
            ("c", "d", true),
            ("background", "url(data:x;y) f", false),
            ("g", "'h;i'", false),
            ("j", "\"k\nl", false),
            ("m", "n", false),
        ];
        assert_eq!(found, expected);
    }
}
