//! A text with its links, from HTML or plain text.

use std::ops::Range;

use memchr::memmem;

use super::lexicon::is_unspaced;
use super::passage::{LineWrapping, TextPassage, normalize_char, normalize_text};
use super::urls::is_web;
use crate::html::{VisiblePiece, visit_pieces};

/// Maximum number of links read from a message.
const MAX_LINKS: usize = 500;

/// Maximum number of characters before a link in its line that count as its label.
const MAX_LABEL_CHARS: usize = 50;

/// Text without URLs, and the positions of the links in it.
pub(super) struct LinkedText {
    pub(super) passage: TextPassage,
    pub(super) links: Vec<PlacedLink>,
}

/// A web link and its words.
pub(super) struct PlacedLink {
    pub(super) url: String,
    /// Range of the link words; in plain text the label before the link, if it is no longer than a button label.
    pub(super) words: Range<usize>,
}

#[derive(Default)]
struct LinkedTextBuilder {
    text: String,
    links: Vec<PlacedLink>,
    open: Option<OpenLink>,
}

/// A link before its end tag.
struct OpenLink {
    url: String,
    start: usize,
    /// True if the link contains a word or a picture.
    is_seen: bool,
}

/// Collects the visible words and links of HTML, up to `limit` bytes of words; returns `None` without a link.
pub(super) fn from_html(html: &str, limit: usize) -> Option<LinkedText> {
    let mut builder = LinkedTextBuilder::default();
    visit_pieces(html, |piece| {
        if builder.is_full(limit) {
            return;
        }
        match piece {
            VisiblePiece::Words(words) => builder.words(crate::sanitize::truncate(words, limit)),
            VisiblePiece::Break => builder.line(),
            VisiblePiece::Open(url) => {
                builder.close();
                builder.open(url);
            }
            VisiblePiece::Close => builder.close(),
        }
    });
    builder.close();
    builder.done(LineWrapping::Unwrapped)
}

/// Collects the words and links of plain text, up to `limit` bytes; returns `None` without a link.
pub(super) fn from_text(text: &str, limit: usize) -> Option<LinkedText> {
    let text = crate::sanitize::truncate(text, limit);
    let mut builder = LinkedTextBuilder::default();
    let mut from = 0;
    for at in memmem::find_iter(text.as_bytes(), "://") {
        let Some(start) = scheme_start(text, at).filter(|start| *start >= from) else {
            continue;
        };
        if builder.links.len() == MAX_LINKS {
            break;
        }
        let url = url_at(text.get(start..).unwrap_or_default());
        let url = bracketed(text.get(..start).unwrap_or_default(), url);
        builder.lines(text.get(from..start).unwrap_or_default());
        builder.label(url.to_owned());
        from = start + url.len();
    }
    // Most texts have no link and need no further read.
    if !builder.links.is_empty() {
        builder.lines(text.get(from..).unwrap_or_default());
    }
    builder.done(LineWrapping::Wrapped)
}

fn scheme_start(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?;
    ["https", "http"].iter().find_map(|scheme| {
        let start = at.checked_sub(scheme.len())?;
        before.get(start..)?.eq_ignore_ascii_case(scheme).then_some(start)
    })
}

/// Returns the URL at the start of a text, without the punctuation of the surrounding sentence.
fn url_at(text: &str) -> &str {
    let ends = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}')
            || (!c.is_ascii() && (is_unspaced(c) || !c.is_alphanumeric()))
    };
    let url = text.get(..text.find(ends).unwrap_or(text.len())).unwrap_or_default();
    // A closing bracket belongs to the sentence, unless the URL contains an opening one.
    let has_bracket = url.contains('(');
    url.trim_end_matches(|c: char| match c {
        ')' => !has_bracket,
        c => matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | ']'),
    })
}

/// Cuts the URL at the bracket that closes the one right before it: `[words](url)more words`.
fn bracketed<'a>(before: &str, url: &'a str) -> &'a str {
    let closing = match before.chars().next_back() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return url,
    };
    let opening = if closing == ')' { '(' } else { '[' };
    match url.split_once(closing) {
        Some((inner, _)) if !inner.contains(opening) => inner,
        _ => url,
    }
}

impl LinkedTextBuilder {
    fn words(&mut self, words: &str) {
        if let Some(open) = &mut self.open {
            open.is_seen |= words.is_empty() || words.contains(char::is_alphanumeric);
        }
        let mut rest = words;
        while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii_graphic()) {
            let (plain, odd) = rest.split_at(at);
            self.text.push_str(plain);
            let mut odd = odd.chars();
            match odd.next().and_then(normalize_char) {
                // Line breaks of HTML are spaces.
                Some(' ' | '\n') if self.text.ends_with([' ', '\n']) => {}
                Some(' ' | '\n') => self.text.push(' '),
                c => self.text.extend(c),
            }
            rest = odd.as_str();
        }
        self.text.push_str(rest);
    }

    fn lines(&mut self, text: &str) {
        self.text.push_str(&normalize_text(text));
    }

    fn line(&mut self) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn is_full(&self, limit: usize) -> bool {
        self.text.len() >= limit || self.links.len() == MAX_LINKS
    }

    /// Opens a web link; other links count as words.
    fn open(&mut self, url: String) {
        self.open = Some(OpenLink { url, start: self.text.len(), is_seen: false }).filter(|open| is_web(&open.url));
    }

    /// Adds a link after its label: `Confirm: https://…`.
    fn label(&mut self, url: String) {
        let end = self.text.len();
        let line = self.text.rfind('\n').map_or(0, |at| at + 1);
        let says_more = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
        let words = self.text.get(line..).unwrap_or_default();
        let is_label = words.chars().nth(MAX_LABEL_CHARS).is_none() && !words.contains(says_more);
        if is_web(&url) {
            self.links.push(PlacedLink { url, words: if is_label { line } else { end }..end });
        }
    }

    fn close(&mut self) {
        if let Some(OpenLink { url, start, is_seen: true }) = self.open.take() {
            self.links.push(PlacedLink { url, words: start..self.text.len() });
        }
    }

    fn done(self, lines: LineWrapping) -> Option<LinkedText> {
        (!self.links.is_empty()).then(|| LinkedText { passage: TextPassage::of(self.text, lines), links: self.links })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<String> {
        from_text(text, 1000).into_iter().flat_map(|linked| linked.links).map(|link| link.url).collect()
    }

    #[test]
    fn plain_text_urls_end_before_punctuation() {
        for (text, url) in [
            ("Go to https://a.example/x?y=1.", "https://a.example/x?y=1"),
            ("<https://a.example/x>", "https://a.example/x"),
            ("Confirm (https://a.example/x), now", "https://a.example/x"),
            ("see https://a.example/x_(y)", "https://a.example/x_(y)"),
            ("[Confirm](https://a.example/x)", "https://a.example/x"),
            ("HTTPS://A.example/x!", "HTTPS://A.example/x"),
            ("[ここ](https://a.example/x)からメール", "https://a.example/x"),
            ("https://a.example/x?t=1をクリック", "https://a.example/x?t=1"),
            ("\"https://a.example/x\"", "https://a.example/x"),
            ("https://a.example/?u=https://b.example/", "https://a.example/?u=https://b.example/"),
        ] {
            assert_eq!(urls(text), [url], "{text}");
        }
        assert!(urls("ftp://a.example gopher://x ://").is_empty());
    }

    #[test]
    fn html_links_have_word_ranges() {
        let html = "<p>Hi,\n  <b>you</b></p>\
                    <a href='https://a.example/x'> Con<b>firm</b> </a><p>Bye</p>\
                    <a href=mailto:x>y</a>";
        let Some(linked) = from_html(html, 1000) else { panic!("it has a link") };
        let words: Vec<&str> = linked.links.iter().map(|link| linked.passage.slice(link.words.clone())).collect();
        assert_eq!(words, ["Confirm "]);
        assert_eq!(linked.passage.text, "\nHi, you\nConfirm \nBye\ny");
    }

    #[test]
    fn other_schemes_are_not_links() {
        let others = "<a href=mailto:x>y</a><a href='#top'>z</a>".repeat(MAX_LINKS);
        let of_web = "<a href=https://a.example/x>y</a>".repeat(2 * MAX_LINKS);
        assert_eq!(from_html(&format!("{others}{of_web}"), 100_000).map(|linked| linked.links.len()), Some(MAX_LINKS));
    }

    #[test]
    fn hidden_links_are_omitted() {
        let seen = |attributes: &str, inner: &str| {
            let html = format!("<p>Confirm:</p><div {attributes}><a href='https://a.example/x'>{inner}</a></div>");
            from_html(&html, 1000).is_some()
        };
        assert!(seen("", "here") && seen("", "<img src=b.png>") && seen("style='font-size:0'", "<img src=b.png>"));
        for attributes in ["hidden", "style='display:none'", "style='font-size:0'", "style='opacity:0'"] {
            assert!(!seen(attributes, "here"), "{attributes}");
        }
        assert!(!seen("", "") && !seen("", " "));
    }
}
