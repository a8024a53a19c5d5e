//! HTML as lines, each with its place in the source; what is marked as quoted stands behind `> `, as in plain text.

use std::collections::VecDeque;
use std::ops::Range;

use super::attributes::Given;
use super::elements::Tag;
use super::marks::{Mark, mark};
use super::references::references;
use super::render::is_spacer;
use super::style::Look;
use super::tokens::{Kind, Token, tokens};
use super::walk::{Visitor, walk};
use crate::reply;

/// What stands for an image: a mail that says nothing but a picture says something.
const IMAGE: &str = "\u{fffc}";
/// How many lines above an unmarked block quotation are asked whose it is.
const LINES_ABOVE: usize = 4;
/// How many lines are told apart, which bounds the memory. What is behind them is one with the last.
const MOST_LINES: usize = 200_000;
/// How many tokens and octets behind a quotation's start are looked at for the words with which a forward begins.
const LOOK_AHEAD: (usize, usize) = (40, 200);

/// A line, and where it stands.
#[derive(Debug)]
pub(super) struct Line {
    /// Its words; empty for a blank line and for a line of a marked signature.
    pub(super) text: String,
    /// Its octets in the source: its first words, the tags before them, and all until the next line.
    pub(super) source: Range<usize>,
    /// Whether it belongs to a marked signature.
    pub(super) is_signature: bool,
}

/// Reads HTML into the lines that are seen.
pub(super) fn lines(html: &str) -> Vec<Line> {
    let mut reader = Reader { html, ..Reader::default() };
    walk(html, &mut reader);
    reader.end_line(html.len());
    reader.lines
}

#[derive(Default)]
struct Reader<'a> {
    html: &'a str,
    lines: Vec<Line>,
    /// The numbers of the last lines that say something, and whether these tell whose words come next, once asked.
    spoken: VecDeque<usize>,
    introduces: Option<bool>,
    /// The words of the line at hand.
    text: String,
    /// Whether a space is due before the next word.
    space: bool,
    /// Where the line at hand starts.
    first: usize,
    /// Whether the line at hand is to be seen without words: as an empty line.
    is_gap: bool,
    /// The token at hand.
    at: Range<usize>,
    /// Where a line ends that the token at hand ends: an end tag belongs to the line before it.
    behind: usize,
    /// The marked elements that are open: their marks, and where they start.
    marked: Vec<(Mark, usize)>,
    /// How many of them are quotations, and signatures.
    quotes: usize,
    signatures: usize,
    /// Whether everything from here on is quoted.
    is_rest: bool,
}

impl Visitor for Reader<'_> {
    fn token(&mut self, token: &Token<'_>) {
        self.at = token.start..token.end;
        self.behind = if matches!(token.kind, Kind::Close(_)) { token.end } else { token.start };
    }

    fn open(&mut self, tag: Tag, given: &Given<'_>, look: &Look) {
        if tag.gap() > 0 || tag == Tag::Break {
            self.is_gap |= tag == Tag::Break;
            self.end_line(if tag == Tag::Break { self.at.end } else { self.at.start });
        }
        match tag {
            Tag::Cell | Tag::HeadCell => self.space = true,
            Tag::Image if look.shows_pictures() && !is_spacer(given) => self.words(IMAGE),
            _ => {}
        }
        let mark = match mark(tag, given) {
            Some(Mark::Quote) if passes_on(self.html.get(self.at.end..).unwrap_or_default()) => None,
            Some(Mark::MaybeQuote) => (self.quotes > 0 || self.has_attribution_above()).then_some(Mark::Quote),
            other => other,
        };
        let Some(mark) = mark else {
            return;
        };
        self.end_line(self.at.start);
        self.is_rest |= mark == Mark::Rest;
        if !tag.is_void() {
            self.marked.push((mark, self.at.start));
            self.quotes += usize::from(mark == Mark::Quote);
            self.signatures += usize::from(mark == Mark::Signature);
        }
    }

    fn close(&mut self, tag: Tag, _: &Look) {
        if matches!(tag, Tag::Cell | Tag::HeadCell) {
            self.space = true;
        }
        if tag.gap() > 0 {
            self.end_line(self.behind);
        }
    }

    fn ended(&mut self, start: usize) {
        let Ok(at) = self.marked.binary_search_by_key(&start, |(_, start)| *start) else {
            return;
        };
        self.end_line(self.behind);
        let (mark, _) = self.marked.remove(at);
        self.quotes -= usize::from(mark == Mark::Quote);
        self.signatures -= usize::from(mark == Mark::Signature);
    }

    fn text(&mut self, text: &str, look: &Look) {
        if look.shows_words() {
            // A no-break space makes an empty line of a paragraph that holds nothing else.
            self.is_gap |= !text.as_bytes().trim_ascii().is_empty();
            self.words(&references(text));
        }
    }
}

impl Reader<'_> {
    fn words(&mut self, text: &str) {
        if self.is_full() {
            return;
        }
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            if self.space && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(word);
            self.space = true;
        }
        self.space = text.ends_with(char::is_whitespace);
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= MOST_LINES
    }

    /// Ends the line at hand before the octet `end`. Tags alone make no line: they belong to the next one.
    fn end_line(&mut self, end: usize) {
        self.space = false;
        if self.is_full() {
            if let Some(last) = self.lines.last_mut() {
                last.source.end = end;
            }
            return;
        }
        let words = std::mem::take(&mut self.text);
        if !std::mem::take(&mut self.is_gap) && words.is_empty() {
            return;
        }
        let is_quoted = self.quotes > 0 || self.is_rest;
        let is_signature = !is_quoted && !words.is_empty() && self.signatures > 0;
        let text = match () {
            () if words.is_empty() || is_signature => String::new(),
            () if is_quoted => format!("> {words}"),
            () => words,
        };
        if !spoken(&text).is_empty() {
            if self.spoken.len() == LINES_ABOVE {
                self.spoken.pop_front();
            }
            self.spoken.push_back(self.lines.len());
            self.introduces = None;
        }
        self.lines.push(Line { text, source: self.first..end, is_signature });
        self.first = end;
    }

    /// Whether the last lines say whose words come next.
    fn has_attribution_above(&mut self) -> bool {
        *self.introduces.get_or_insert_with(|| {
            let above: Vec<&str> =
                self.spoken.iter().filter_map(|line| self.lines.get(*line)).map(|line| spoken(&line.text)).collect();
            reply::is_attribution_of_quote(&above)
        })
    }
}

/// A line without the marks of quotation.
fn spoken(text: &str) -> &str {
    text.trim_start_matches("> ")
}

/// Whether a quotation begins with the words of a forward: then it is what the mail says.
fn passes_on(behind: &str) -> bool {
    let (most_tokens, most_octets) = LOOK_AHEAD;
    for token in tokens(behind).take(most_tokens) {
        match token.kind {
            Kind::Text(text) => {
                let text = references(crate::clean::truncate(text, most_octets));
                if !text.trim().is_empty() {
                    return reply::is_forward(text.trim());
                }
            }
            Kind::Open(name, attributes) => {
                let (tag, given) = (Tag::of(name), Given::read(attributes));
                if tag == Tag::Image || mark(tag, &given) == Some(Mark::Signature) {
                    return false;
                }
            }
            Kind::Close(_) | Kind::Unseen => {}
        }
    }
    false
}
