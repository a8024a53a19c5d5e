//! HTML as lines, each with its place in the source; what is marked as quoted stands behind `> `, as in plain text.

use std::ops::Range;

use super::attributes::Given;
use super::elements::Tag;
use super::marks::{Mark, mark};
use super::references::references;
use super::render::is_spacer;
use super::style::Look;
use super::tokens::{Kind, Token};
use super::walk::{Visitor, walk};
use crate::reply;

/// What stands for an image: a mail that says nothing but a picture says something.
const IMAGE: &str = "\u{fffc}";
/// How many lines above an unmarked block quotation are asked whose it is.
const LINES_ABOVE: usize = 4;
/// How many tokens and octets behind a quotation's start are looked at for the words with which a forward begins.
const LOOK_AHEAD: (usize, usize) = (40, 200);

/// A line, and the tokens it was read from.
#[derive(Debug)]
pub(super) struct Line {
    /// Its words; empty for a blank line and for a line of a marked signature.
    pub(super) text: String,
    /// The numbers of its tokens: its first words, the tags before them, and all until the next line.
    pub(super) tokens: Range<usize>,
    /// Whether it belongs to a marked signature.
    pub(super) is_signature: bool,
}

/// Reads HTML, of which `all` are the tokens, into the lines that are seen.
pub(super) fn lines(html: &str, all: &[Token<'_>]) -> Vec<Line> {
    let mut reader = Reader { all, ..Reader::default() };
    walk(html, &mut reader);
    reader.end_line(all.len());
    reader.lines
}

#[derive(Default)]
struct Reader<'t, 'a> {
    all: &'t [Token<'a>],
    lines: Vec<Line>,
    /// The words of the line at hand.
    text: String,
    /// Whether a space is due before the next word.
    space: bool,
    /// The first token of the line at hand.
    first: usize,
    /// Whether the line at hand is to be seen without words: as an empty line.
    is_gap: bool,
    /// The token at hand.
    number: usize,
    /// Where a line ends that the token at hand ends: an end tag belongs to the line before it.
    behind: usize,
    /// The mark of the element that the token at hand starts.
    started: Option<Mark>,
    /// The marked elements that are open: their marks, and how many elements are around each.
    marked: Vec<(Mark, usize)>,
    /// How many of them are quotations, and signatures.
    quotes: usize,
    signatures: usize,
    /// Whether everything from here on is quoted.
    is_rest: bool,
}

impl Visitor for Reader<'_, '_> {
    fn token(&mut self, number: usize, token: &Token<'_>, depth: usize) {
        self.number = number;
        self.behind = number + usize::from(matches!(token.kind, Kind::Close(_)));
        if let Some(mark) = self.started.take()
            && let Some(around) = depth.checked_sub(1)
        {
            self.marked.push((mark, around));
            self.quotes += usize::from(mark == Mark::Quote);
            self.signatures += usize::from(mark == Mark::Signature);
        }
        while let Some((mark, _)) = self.marked.pop_if(|(_, around)| *around >= depth) {
            self.end_line(number);
            self.quotes -= usize::from(mark == Mark::Quote);
            self.signatures -= usize::from(mark == Mark::Signature);
        }
    }

    fn open(&mut self, tag: Tag, given: &Given<'_>, look: &Look) {
        if tag.gap() > 0 || tag == Tag::Break {
            self.is_gap |= tag == Tag::Break;
            self.end_line(if tag == Tag::Break { self.number + 1 } else { self.number });
        }
        match tag {
            Tag::Cell | Tag::HeadCell => self.space = true,
            Tag::Image if look.shows_pictures() && !is_spacer(given) => self.words(IMAGE),
            _ => {}
        }
        let mark = match mark(tag, given) {
            Some(Mark::Quote) if passes_on(self.all, self.number) => None,
            Some(Mark::MaybeQuote) => (self.quotes > 0 || self.has_attribution_above()).then_some(Mark::Quote),
            other => other,
        };
        if mark.is_some() {
            self.end_line(self.number);
        }
        self.is_rest |= mark == Some(Mark::Rest);
        self.started = mark.filter(|_| !tag.is_void());
    }

    fn close(&mut self, tag: Tag, _: &Look) {
        // An element that ends within the token that starts it has no content.
        self.started = None;
        if matches!(tag, Tag::Cell | Tag::HeadCell) {
            self.space = true;
        }
        if tag.gap() > 0 {
            self.end_line(self.behind);
        }
    }

    fn text(&mut self, text: &str, look: &Look) {
        if look.shows_words() {
            // A no-break space makes an empty line of a paragraph that holds nothing else.
            self.is_gap |= !text.as_bytes().trim_ascii().is_empty();
            self.words(&references(text));
        }
    }
}

impl Reader<'_, '_> {
    fn words(&mut self, text: &str) {
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

    /// Ends the line at hand before token `end`. Tags alone make no line: they belong to the next one.
    fn end_line(&mut self, end: usize) {
        self.space = false;
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
        self.lines.push(Line { text, tokens: self.first..end, is_signature });
        self.first = end;
    }

    /// Whether the last lines say whose words come next.
    fn has_attribution_above(&self) -> bool {
        let spoken =
            self.lines.iter().rev().map(|line| line.text.trim_start_matches("> ")).filter(|line| !line.is_empty());
        let mut above: Vec<&str> = spoken.take(LINES_ABOVE).collect();
        above.reverse();
        reply::is_attribution_of_quote(&above)
    }
}

/// Whether a quotation begins with the words of a forward: then it is what the mail says.
fn passes_on(all: &[Token<'_>], at: usize) -> bool {
    let (most_tokens, most_octets) = LOOK_AHEAD;
    for token in all.iter().skip(at + 1).take(most_tokens) {
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
