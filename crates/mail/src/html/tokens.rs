//! HTML tokenizer (WHATWG HTML, section 13.2.5) in linear time.

use super::attributes;

/// Elements with invisible, unparsed content, which is skipped.
const HIDDEN_ELEMENTS: &[&str] = &["style", "script", "title", "textarea", "iframe", "noembed", "noframes"];

/// A token with its source range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlToken<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: TokenKind<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind<'a> {
    /// Text with its character references.
    Text(&'a str),
    /// Start tag: name as written and everything after it.
    Open(&'a str, &'a str),
    /// End tag.
    Close(&'a str),
    /// Comments, declarations and invisible elements.
    Unseen,
}

/// Iterates over the tokens of `html`, in order and without gaps.
pub(crate) fn tokens(html: &str) -> TokenIterator<'_> {
    TokenIterator { html, at: 0 }
}

pub(crate) struct TokenIterator<'a> {
    html: &'a str,
    at: usize,
}

impl<'a> Iterator for TokenIterator<'a> {
    type Item = HtmlToken<'a>;

    fn next(&mut self) -> Option<HtmlToken<'a>> {
        let start = self.at;
        let rest = self.html.get(start..).filter(|rest| !rest.is_empty())?;
        let (kind, len) = if is_markup(rest) {
            // Browsers hide an unterminated tag or comment and everything after it.
            markup(rest).unwrap_or((TokenKind::Unseen, rest.len()))
        } else {
            let len = text_length(rest);
            (TokenKind::Text(rest.get(..len).unwrap_or(rest)), len)
        };
        self.at = start + len;
        Some(HtmlToken { start, end: self.at, kind })
    }
}

/// Returns true if the source of a token is a style sheet.
pub(crate) fn is_style(source: &str) -> bool {
    source.get(.."<style".len()).is_some_and(|start| start.eq_ignore_ascii_case("<style"))
}

fn is_markup(rest: &str) -> bool {
    match rest.as_bytes() {
        [b'<', b'!' | b'?', ..] | [b'<', b'/', _, ..] => true,
        [b'<', first, ..] => first.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Returns the length of the text up to the next `<` that starts markup; the first character is skipped.
fn text_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    memchr::memchr_iter(b'<', bytes).find(|at| *at > 0 && rest.get(*at..).is_some_and(is_markup)).unwrap_or(bytes.len())
}

/// Returns the markup at the start of `rest` and its length.
fn markup(rest: &str) -> Option<(TokenKind<'_>, usize)> {
    match rest.as_bytes().get(1)? {
        b'!' | b'?' => Some((TokenKind::Unseen, comment_length(rest)?)),
        b'/' => {
            let name = name_of(rest.get(2..)?);
            let end = if name.is_empty() { 2 + plain_end(rest.get(2..)?)? } else { tag_end(rest, 2 + name.len())? };
            Some((TokenKind::Close(name), end + 1))
        }
        _ => {
            let name = name_of(rest.get(1..)?);
            let end = tag_end(rest, 1 + name.len())?;
            let attributes = rest.get(1 + name.len()..end)?;
            match HIDDEN_ELEMENTS.iter().find(|hidden| name.eq_ignore_ascii_case(hidden)) {
                Some(hidden) => Some((TokenKind::Unseen, end + 1 + hidden_length(hidden, rest.get(end + 1..)?))),
                None => Some((TokenKind::Open(name, attributes), end + 1)),
            }
        }
    }
}

fn plain_end(rest: &str) -> Option<usize> {
    memchr::memchr(b'>', rest.as_bytes())
}

/// Returns the position of the `>` of a tag whose name ends at `name_end`.
fn tag_end(rest: &str, name_end: usize) -> Option<usize> {
    attributes::length(rest.get(name_end..)?).map(|len| name_end + len)
}

fn comment_length(rest: &str) -> Option<usize> {
    if !rest.starts_with("<!--") {
        return plain_end(rest).map(|end| end + 1);
    }
    // `<!-->` and `<!--->` are complete comments.
    let inner = rest.as_bytes().get(2..)?;
    let ends = |at: &usize| {
        let before = inner.get(..*at).unwrap_or_default();
        before.ends_with(b"--") || (before.ends_with(b"--!") && before.len() > 4)
    };
    memchr::memchr_iter(b'>', inner).find(ends).map(|at| at + 3)
}

/// Returns the length of the content and end tag of an invisible element, or of the rest of the text.
fn hidden_length(element: &str, content: &str) -> usize {
    let bytes = content.as_bytes();
    let is_end = |at: &usize| {
        let behind = bytes.get(at + 2..).unwrap_or_default();
        let (name, next) = behind.split_at_checked(element.len()).unwrap_or_default();
        let ends_name = next.first().is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
        name.eq_ignore_ascii_case(element.as_bytes()) && ends_name
    };
    memchr::memmem::find_iter(bytes, b"</")
        .find(is_end)
        .and_then(|at| tag_end(content, at + 2 + element.len()))
        .map_or(bytes.len(), |end| end + 1)
}

/// Returns the name at the start of a tag.
fn name_of(tag: &str) -> &str {
    if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return "";
    }
    let end = tag.bytes().position(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
    tag.get(..end.unwrap_or(tag.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_as_in_browsers() {
        for (html, expected) in [
            ("a<b>c</b >", vec!["a", "<b>", "c", "</b >"]),
            ("1 < 2 <", vec!["1 < 2 <"]),
            ("a</", vec!["a</"]),
            ("<<<b>", vec!["<<", "<b>"]),
            (
                "<!-->a<!--->b<!-- > -- -->c<!-- --!>d",
                vec!["<!-->", "a", "<!--->", "b", "<!-- > -- -->", "c", "<!-- --!>", "d"],
            ),
            ("a<!-- b > c", vec!["a", "<!-- b > c"]),
            ("<![if !mso]>x<![endif]>", vec!["<![if !mso]>", "x", "<![endif]>"]),
            ("<!--[if mso]><p>x</p><![endif]-->y", vec!["<!--[if mso]><p>x</p><![endif]-->", "y"]),
            ("<style>a</styles></STYLE >b", vec!["<style>a</styles></STYLE >", "b"]),
            ("<title/>a</title>b<style>c", vec!["<title/>a</title>", "b", "<style>c"]),
            ("<p a=\"x>y\">z<p b=\"<i>", vec!["<p a=\"x>y\">", "z", "<p b=\"<i>"]),
            ("</p a='>'>b</ x>c<?xml?>", vec!["</p a='>'>", "b", "</ x>", "c", "<?xml?>"]),
        ] {
            let found: Vec<&str> = tokens(html).filter_map(|token| html.get(token.start..token.end)).collect();
            assert_eq!(found, expected);
        }
    }
}
