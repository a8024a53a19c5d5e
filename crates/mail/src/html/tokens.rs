//! HTML cut into tags and text (WHATWG HTML section 13.2.5, as far as mail needs it), in linear time.

/// Elements whose content is never shown: it is passed over unread.
const UNSEEN: &[&str] = &["style", "script", "title", "template", "noscript", "textarea", "object", "svg"];

/// What stands in the HTML, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    /// Character references not yet replaced.
    Text(&'a str),
    /// A start tag: its name as written and everything behind it.
    Open(&'a str, &'a str),
    /// An end tag.
    Close(&'a str),
    /// Comments, declarations, and what is never shown.
    Unseen,
}

/// The tokens of `html`, in order and without gaps.
pub(crate) fn tokens(html: &str) -> Tokens<'_> {
    Tokens { html, at: 0, quotes_end: true, tags_end: true, comments_end: true, unended: Vec::new() }
}

pub(crate) struct Tokens<'a> {
    html: &'a str,
    at: usize,
    /// Whether a quoted attribute, a tag, a comment may still end in what is left; once one did not, no other is
    /// looked for, so that no octet is searched twice for the same thing.
    quotes_end: bool,
    tags_end: bool,
    comments_end: bool,
    /// The unseen elements known to have no further end tag.
    unended: Vec<&'static str>,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let rest = self.html.get(start..).filter(|rest| !rest.is_empty())?;
        let (kind, len) = self.markup(rest).unwrap_or_else(|| {
            let from = usize::from(rest.starts_with('<'));
            let end = memchr::memchr(b'<', rest.as_bytes().get(from..).unwrap_or_default());
            let len = end.map_or(rest.len(), |end| end + from);
            (Kind::Text(rest.get(..len).unwrap_or(rest)), len)
        });
        self.at = start + len;
        Some(Token { start, end: self.at, kind })
    }
}

impl<'a> Tokens<'a> {
    /// The markup that `rest` starts with, and its length.
    fn markup(&mut self, rest: &'a str) -> Option<(Kind<'a>, usize)> {
        let inner = rest.strip_prefix('<')?;
        match inner.as_bytes().first()? {
            b'!' | b'?' => Some((Kind::Unseen, self.comment(rest)?)),
            b'/' => {
                let end = self.plain_end(rest)?;
                let name = name_of(rest.get(2..end)?);
                Some((Kind::Close(name), end + 1))
            }
            first if first.is_ascii_alphabetic() => {
                let end = self.tag_end(rest)?;
                let tag = rest.get(1..end)?;
                let name = name_of(tag);
                let attributes = tag.get(name.len()..).unwrap_or_default();
                match self.unseen_end(name, attributes, rest.get(end + 1..)?) {
                    Some(more) => Some((Kind::Unseen, end + 1 + more)),
                    None => Some((Kind::Open(name, attributes), end + 1)),
                }
            }
            _ => None,
        }
    }

    fn comment(&mut self, rest: &str) -> Option<usize> {
        if rest.starts_with("<!--") && self.comments_end {
            if let Some(end) = memchr::memmem::find(rest.as_bytes().get(2..)?, b"-->") {
                return Some(end + 5);
            }
            self.comments_end = false;
        }
        self.plain_end(rest).map(|end| end + 1)
    }

    fn plain_end(&mut self, rest: &str) -> Option<usize> {
        if !self.tags_end {
            return None;
        }
        let end = memchr::memchr(b'>', rest.as_bytes());
        self.tags_end = end.is_some();
        end
    }

    /// Where the tag ends, not counting `>` within quoted values.
    fn tag_end(&mut self, rest: &str) -> Option<usize> {
        if !self.quotes_end {
            return self.plain_end(rest);
        }
        let bytes = rest.as_bytes();
        let mut at = 1;
        loop {
            at += memchr::memchr3(b'>', b'"', b'\'', bytes.get(at..)?).or_else(|| {
                self.quotes_end = false;
                None
            })?;
            let sign = *bytes.get(at)?;
            if sign == b'>' {
                return Some(at);
            }
            let before = bytes.get(..at)?.trim_ascii_end();
            at += 1;
            // A quote anywhere but behind `=` opens nothing.
            if before.last() == Some(&b'=') {
                let Some(close) = memchr::memchr(sign, bytes.get(at..)?) else {
                    self.quotes_end = false;
                    return self.plain_end(rest);
                };
                at += close + 1;
            }
        }
    }

    /// The length of an unseen element's content and end tag; zero if it has none.
    fn unseen_end(&mut self, name: &str, attributes: &str, content: &str) -> Option<usize> {
        let element = *UNSEEN.iter().find(|unseen| name.eq_ignore_ascii_case(unseen))?;
        if attributes.ends_with('/') || self.unended.contains(&element) {
            return Some(0);
        }
        let bytes = content.as_bytes();
        for at in memchr::memmem::find_iter(bytes, b"</") {
            let behind = bytes.get(at + 2..).unwrap_or_default();
            let matches = behind.get(..element.len()).is_some_and(|n| n.eq_ignore_ascii_case(element.as_bytes()));
            if matches {
                let end = memchr::memchr(b'>', behind).map_or(bytes.len(), |end| at + 2 + end + 1);
                return Some(end);
            }
        }
        self.unended.push(element);
        Some(0)
    }
}

/// The name at the start of a tag.
fn name_of(tag: &str) -> &str {
    let end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
    tag.get(..end.unwrap_or(tag.len())).unwrap_or_default()
}
