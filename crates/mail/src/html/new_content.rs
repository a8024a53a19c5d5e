//! Extraction of the new content of an HTML message.

use std::ops::Range;

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::lines::{HtmlLine, IMAGE, LineRole, lines};
use super::style::ComputedStyle;
use super::tokens::{HtmlToken, TokenKind, is_style};
use super::walk::{HtmlVisitor, walk};
use crate::reply::{self, MailFacts, NewLines, TextSurroundings};

/// Returns the HTML without quotations and signature.
///
/// The HTML is split into lines, with `> ` before those that mail programs mark as quoted. The lines are classified as
/// in plain text (see [`extract_text`](crate::extract_text)): replies between quotations remain with the quotations
/// they answer, forwards remain, and a message of quotations alone remains whole. The result consists of tags and texts
/// of the input in order, including hidden ones. The time is linear in the length.
#[must_use]
pub fn extract_html(html: &str) -> String {
    new_html(html, MailFacts::REPLY).html
}

/// Parts of an HTML message that its author wrote or added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewHtml {
    pub(crate) html: String,
    pub(crate) surroundings: TextSurroundings,
}

/// Returns the new content like [`extract_html`], for a message with known headers, and what surrounds it.
pub(crate) fn new_html(html: &str, facts: MailFacts<'_>) -> NewHtml {
    let lines = lines(html, facts);
    let texts: Vec<&str> =
        lines.iter().map(|line| if line.role == LineRole::Signature { "" } else { line.text.as_str() }).collect();
    let NewLines { new, below: others } = reply::new_lines(&texts, facts);
    let is_seen = |line: &HtmlLine| !line.text.is_empty();
    // Empty lines around the new content remain.
    let above = lines.get(..new.start).and_then(|lines| lines.iter().rfind(|line| is_seen(line)));
    let below = lines.get(new.end..).and_then(|lines| lines.iter().find(|line| is_seen(line)));
    let start = above.map_or(0, |line| line.source.end);
    let end = below.map_or(html.len(), |line| line.source.start);
    if new.is_empty() || (start == 0 && end == html.len()) {
        return NewHtml { html: html.to_owned(), surroundings: TextSurroundings::default() };
    }
    let surroundings = surroundings(&lines, &new, others);
    let mut cut =
        HtmlCutter { html, retained: start..end, at: 0..0, open: Vec::new(), styles: Vec::new(), below: Vec::new() };
    walk(html, &mut cut);
    NewHtml { html: cut.result(), surroundings }
}

/// Reads the lines around the new ones, with the marked signatures.
fn surroundings(lines: &[HtmlLine], new: &Range<usize>, mut below: Vec<Range<usize>>) -> TextSurroundings {
    let mut start = 0;
    for run in lines.chunk_by(|one, next| one.role == next.role) {
        let range = start..start + run.len();
        start = range.end;
        let is_outside = range.end <= new.start || new.end <= range.start;
        if is_outside && run.first().is_some_and(|line| line.role == LineRole::Signature) {
            below.push(range);
        }
    }
    // A block of text may continue below a marked signature.
    below.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(below.len());
    for range in below {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    let texts: Vec<&str> = lines.iter().map(|line| line.text.trim_matches(IMAGE)).collect();
    TextSurroundings::of(&texts, &joined)
}

/// State for cutting the HTML: the retained range, the tags of its ancestors, and style sheets.
struct HtmlCutter<'a> {
    html: &'a str,
    retained: Range<usize>,
    /// Range of the current token.
    at: Range<usize>,
    /// Start tags of the elements open before the retained range.
    open: Vec<Range<usize>>,
    /// Style sheets before the retained range.
    styles: Vec<Range<usize>>,
    /// Tokens retained after the range.
    below: Vec<Range<usize>>,
}

impl HtmlVisitor for HtmlCutter<'_> {
    fn token(&mut self, token: &HtmlToken<'_>) {
        self.at = token.start..token.end;
        let is_retained = match token.kind {
            TokenKind::Unseen => is_style(self.source(&self.at)),
            // These end tags close nothing, but messages look broken without them.
            TokenKind::Close(name) => self.is_below() && HtmlTag::of(name) == HtmlTag::Page,
            _ => false,
        };
        if is_retained && self.is_below() {
            self.below.push(self.at.clone());
        } else if is_retained && self.is_above() {
            self.styles.push(self.at.clone());
        }
    }

    fn open(&mut self, tag: HtmlTag, _: &ElementAttributes<'_>, _: &ComputedStyle) {
        if self.is_above() && !tag.is_void() {
            self.open.push(self.at.clone());
        }
    }

    fn close(&mut self, _: HtmlTag, _: &ComputedStyle) {}

    fn ended(&mut self, start: usize) {
        if self.is_above() {
            if let Ok(at) = self.open.binary_search_by_key(&start, |tag| tag.start) {
                self.open.remove(at);
            }
        } else if self.is_below() && start < self.retained.end && self.source(&self.at).starts_with("</") {
            // An end tag may close several elements at once.
            if self.below.last() != Some(&self.at) {
                self.below.push(self.at.clone());
            }
        }
    }

    fn text(&mut self, _: &str, _: &ComputedStyle) {}
}

impl HtmlCutter<'_> {
    fn is_above(&self) -> bool {
        self.at.start < self.retained.start
    }

    fn is_below(&self) -> bool {
        self.at.start >= self.retained.end
    }

    fn source(&self, range: &Range<usize>) -> &str {
        self.html.get(range.clone()).unwrap_or_default()
    }

    fn result(mut self) -> String {
        self.open.append(&mut self.styles);
        self.open.sort_unstable_by_key(|range| range.start);
        let visit_pieces = self.open.iter().chain([&self.retained]).chain(&self.below);
        let mut out = String::with_capacity(self.html.len());
        out.extend(visit_pieces.map(|range| self.source(range)));
        out
    }
}
