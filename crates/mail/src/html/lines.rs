//! HTML as lines, each with its place in the source; what is marked as quoted stands behind `> `, as in plain text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::attributes::{attribute, references};
use super::marks::{Mark, mark};
use super::tokens::{Kind, Token};
use crate::reply;

/// Elements that have no end tag.
pub(super) const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Elements within a line.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "basefont", "bdi", "bdo", "big", "button", "cite", "code", "del", "dfn", "em", "font",
    "i", "img", "input", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "td", "th", "time", "tt", "u", "var", "wbr",
];
/// What stands for an image: a mail that says nothing but a picture says something.
const IMAGE: char = '\u{fffc}';
/// How many lines above an unmarked block quotation are asked whose it is.
const LINES_ABOVE: usize = 4;
/// How many tokens and octets behind a quotation's start are looked at for the words with which a forward begins.
const LOOK_AHEAD: (usize, usize) = (40, 200);

/// A line, and the tokens it was read from.
#[derive(Debug)]
pub(super) struct Line {
    /// Its words; empty for a blank line and for a line of a marked signature.
    pub(super) text: String,
    /// The numbers of its tokens: its first words, the start tags right before them, and all until the next line.
    pub(super) tokens: Range<usize>,
    /// Whether it belongs to a marked signature.
    pub(super) is_signature: bool,
}

/// Reads tokens into lines.
pub(super) fn lines(all: &[Token<'_>]) -> Vec<Line> {
    let mut reader = Reader::default();
    for (at, token) in all.iter().enumerate() {
        match token.kind {
            Kind::Text(text) => {
                // A no-break space makes an empty line of a paragraph that holds nothing else.
                reader.is_gap |= !text.as_bytes().trim_ascii().is_empty();
                reader.words(&references(text));
            }
            Kind::Open(name, attributes) => reader.open(all, at, name, attributes),
            Kind::Close(name) => reader.close(at, name),
            Kind::Unseen => {}
        }
    }
    reader.end_line(all.len());
    reader.lines
}

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<Line>,
    /// The words of the line at hand.
    text: String,
    /// Whether a space is due before the next word.
    space: bool,
    /// The first token of the line at hand.
    first: usize,
    /// Whether the line at hand is to be seen without words: as an empty line.
    is_gap: bool,
    open: Vec<Element<'a>>,
    /// How many elements of each name are open: an end tag that closes nothing costs nothing.
    count: HashMap<Cow<'a, str>, usize>,
    /// How many of the open elements are quotations, and signatures.
    quotes: usize,
    signatures: usize,
    /// Whether everything from here on is quoted.
    is_rest: bool,
}

struct Element<'a> {
    name: Cow<'a, str>,
    is_quote: bool,
    is_signature: bool,
}

impl<'a> Reader<'a> {
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

    fn open(&mut self, all: &[Token<'a>], at: usize, name: &'a str, attributes: &str) {
        let name = lower(name);
        if !INLINE.contains(&name.as_ref()) {
            self.is_gap |= name == "br";
            self.end_line(if name == "br" { at + 1 } else { at });
        }
        match name.as_ref() {
            "td" | "th" => self.space = true,
            "img" if !is_pixel(attributes) => self.words(IMAGE.encode_utf8(&mut [0; 4])),
            _ => {}
        }
        if VOID.contains(&name.as_ref()) {
            return;
        }
        let mark = mark(&name, attributes);
        let is_quote = match mark {
            Some(Mark::Quote) => !passes_on(all, at),
            Some(Mark::MaybeQuote) => self.quotes > 0 || self.has_attribution_above(),
            _ => false,
        };
        let is_signature = mark == Some(Mark::Signature);
        if is_quote || is_signature || mark == Some(Mark::Rest) {
            self.end_line(at);
        }
        self.is_rest |= mark == Some(Mark::Rest);
        if attributes.ends_with('/') {
            return;
        }
        self.quotes += usize::from(is_quote);
        self.signatures += usize::from(is_signature);
        *self.count.entry(name.clone()).or_default() += 1;
        self.open.push(Element { name, is_quote, is_signature });
    }

    fn close(&mut self, at: usize, name: &'a str) {
        let name = lower(name);
        if name == "td" || name == "th" {
            self.space = true;
        }
        if !INLINE.contains(&name.as_ref()) {
            self.end_line(at + 1);
        }
        if self.count.get(&name).copied().unwrap_or(0) == 0 {
            return;
        }
        while let Some(last) = self.open.pop() {
            if last.is_quote || last.is_signature {
                self.end_line(at + 1);
            }
            self.quotes -= usize::from(last.is_quote);
            self.signatures -= usize::from(last.is_signature);
            if let Some(count) = self.count.get_mut(&last.name) {
                *count -= 1;
            }
            if last.name == name {
                return;
            }
        }
    }

    /// Ends the line at hand before token `end`. Tags alone make no line: they belong to the next one.
    fn end_line(&mut self, end: usize) {
        self.space = false;
        if !std::mem::take(&mut self.is_gap) && self.text.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.text);
        let is_blank = words.is_empty();
        let is_signature = self.signatures > 0 && self.quotes == 0 && !self.is_rest;
        let text = match () {
            () if is_blank || is_signature => String::new(),
            () if self.quotes > 0 || self.is_rest => format!("> {words}"),
            () => words,
        };
        let is_signature = is_signature && !is_blank;
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
    let texts = all.iter().skip(at + 1).take(most_tokens).filter_map(|token| match token.kind {
        Kind::Text(text) => Some(references(crate::clean::truncate(text, most_octets))),
        _ => None,
    });
    let first = texts.map(|text| text.trim().to_owned()).find(|text| !text.is_empty());
    first.is_some_and(|line| reply::is_forward(&line))
}

/// A picture that counts who opens the mail, or only takes up room.
fn is_pixel(attributes: &str) -> bool {
    let is_tiny = |name: &str| attribute(attributes, name).is_some_and(|size| matches!(size.trim(), "0" | "1" | "1px"));
    is_tiny("width") || is_tiny("height")
}

pub(super) fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}
