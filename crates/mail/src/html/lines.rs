//! HTML as lines, each with its place in the source; what is marked as quoted stands behind `> `, as in plain text.

use std::collections::VecDeque;
use std::ops::Range;

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::marks::{ElementMark, mark, starts_forward};
use super::references::references;
use super::render::is_spacer;
use super::style::ComputedStyle;
use super::tokens::{HtmlToken, TokenKind};
use super::walk::{HtmlVisitor, walk};
use crate::reply;

/// What stands for an image: a mail that says nothing but a picture says something.
const IMAGE: &str = "\u{fffc}";
/// What `>` is in the words of a link, where it points onwards.
const ARROW: char = '›';
/// How many lines a marked signature has at most; what is longer is text whose mark has no end.
const MAX_MARKED_SIGNATURE_LINES: usize = 20;
/// How many lines above an unmarked block quotation are asked whose it is.
const MAX_LINES_ABOVE: usize = 4;
/// How many lines are told apart, which bounds the memory. What is behind them is one with the last.
const MAX_HTML_LINES: usize = 200_000;

/// A line, and where it stands.
#[derive(Debug)]
pub(super) struct HtmlLine {
    /// Its words; empty for a blank line.
    pub(super) text: String,
    /// Its octets in the source: its first words, the tags before them, and all until the next line.
    pub(super) source: Range<usize>,
    pub(super) role: LineRole,
}

/// What a line is but for its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineRole {
    Ordinary,
    /// It belongs to a marked signature.
    Signature,
    /// It holds nothing but pictures from elsewhere that say nothing, as those that tell when a mail is read.
    BarePicture,
}

/// Reads HTML into the lines that are seen.
pub(super) fn lines(html: &str) -> Vec<HtmlLine> {
    let mut reader = LineReader { html, ..LineReader::default() };
    walk(html, &mut reader);
    reader.end_line(html.len());
    let endless = reader.marked.iter().find(|(mark, _)| *mark == ElementMark::Signature).map(|(_, start)| *start);
    let mut lines = reader.lines;
    restore_signatures(&mut lines, endless);
    drop_bare_pictures(&mut lines);
    lines
}

/// Makes text again of what no signature is: what is too long for one, and what one without an end takes with it.
fn restore_signatures(lines: &mut [HtmlLine], endless: Option<usize>) {
    for run in lines.chunk_by_mut(|one, next| one.role == next.role) {
        let is_long = run.len() > MAX_MARKED_SIGNATURE_LINES;
        let is_restored = |line: &&mut HtmlLine| is_long || endless.is_some_and(|start| line.source.end > start);
        for line in run.iter_mut().filter(|line| line.role == LineRole::Signature).filter(is_restored) {
            line.role = LineRole::Ordinary;
        }
    }
}

/// Takes the pictures at the end of a mail for no words of the writer's.
fn drop_bare_pictures(lines: &mut [HtmlLine]) {
    for line in lines.iter_mut().rev().take_while(|line| line.text.is_empty() || line.role == LineRole::BarePicture) {
        line.text.clear();
    }
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
struct LineReader<'a> {
    html: &'a str,
    lines: Vec<HtmlLine>,
    /// The numbers of the last lines that say something, and whether these tell whose words come next, once asked.
    without_marks: VecDeque<usize>,
    introduces: Option<bool>,
    /// The words of the line at hand.
    text: String,
    /// Whether the line at hand holds more than pictures that say nothing.
    has_words: bool,
    /// Whether what comes next are the words of a link or a button.
    is_linked: bool,
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
    marked: Vec<(ElementMark, usize)>,
    /// How many of them are quotations, and signatures.
    quotes: usize,
    signatures: usize,
    /// Whether everything from here on is quoted.
    is_rest: bool,
}

impl HtmlVisitor for LineReader<'_> {
    fn token(&mut self, token: &HtmlToken<'_>) {
        self.at = token.start..token.end;
        self.behind = if matches!(token.kind, TokenKind::Close(_)) { token.end } else { token.start };
    }

    fn open(&mut self, tag: HtmlTag, given: &ElementAttributes<'_>, style: &ComputedStyle) {
        if tag.gap() > 0 || tag == HtmlTag::Break {
            self.is_gap |= tag == HtmlTag::Break;
            self.end_line(if tag == HtmlTag::Break { self.at.end } else { self.at.start });
        }
        match tag {
            HtmlTag::Cell | HtmlTag::HeadCell => self.space = true,
            HtmlTag::Image if style.shows_pictures() && !is_spacer(given) => {
                self.has_words |= has_content(given);
                self.words(IMAGE);
            }
            HtmlTag::Anchor => self.is_linked = given.href.is_some(),
            HtmlTag::Button => self.is_linked = true,
            _ => {}
        }
        let mark = match mark(tag, given) {
            // Its writer takes it for empty, but browsers put into it what follows.
            Some(ElementMark::Signature) if self.html.get(..self.at.end).is_some_and(|tag| tag.ends_with("/>")) => None,
            Some(ElementMark::Quote) if starts_forward(self.html.get(self.at.end..).unwrap_or_default()) => None,
            Some(ElementMark::MaybeQuote) => {
                (self.quotes > 0 || self.has_attribution_above()).then_some(ElementMark::Quote)
            }
            other => other,
        };
        let Some(mark) = mark else {
            return;
        };
        self.end_line(self.at.start);
        self.is_rest |= mark == ElementMark::Rest;
        if !tag.is_void() {
            self.marked.push((mark, self.at.start));
            self.quotes += usize::from(mark == ElementMark::Quote);
            self.signatures += usize::from(mark == ElementMark::Signature);
        }
    }

    fn close(&mut self, tag: HtmlTag, _: &ComputedStyle) {
        match tag {
            HtmlTag::Cell | HtmlTag::HeadCell => self.space = true,
            HtmlTag::Anchor | HtmlTag::Button => self.is_linked = false,
            _ => {}
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
        self.quotes -= usize::from(mark == ElementMark::Quote);
        self.signatures -= usize::from(mark == ElementMark::Signature);
    }

    fn text(&mut self, text: &str, style: &ComputedStyle) {
        if style.shows_words() {
            // A no-break space makes an empty line of a paragraph that holds nothing else.
            self.is_gap |= !text.as_bytes().trim_ascii().is_empty();
            let text = references(text);
            let start = text.trim_start();
            self.has_words |= !start.is_empty();
            match start.strip_prefix(['>', '＞']).filter(|_| self.is_linked && self.text.is_empty()) {
                Some(behind) => self.words(&format!("{ARROW}{behind}")),
                None => self.words(&text),
            }
        }
    }
}

impl LineReader<'_> {
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
        self.lines.len() >= MAX_HTML_LINES
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
        let has_words = std::mem::take(&mut self.has_words);
        if !std::mem::take(&mut self.is_gap) && words.is_empty() {
            return;
        }
        let is_quoted = self.quotes > 0 || self.is_rest;
        let role = match () {
            () if is_quoted => LineRole::Ordinary,
            () if self.signatures > 0 => LineRole::Signature,
            () if has_words || words.is_empty() => LineRole::Ordinary,
            () => LineRole::BarePicture,
        };
        let text = if is_quoted && !words.is_empty() { format!("> {words}") } else { words };
        if role != LineRole::Signature && !without_marks(&text).is_empty() {
            if self.without_marks.len() == MAX_LINES_ABOVE {
                self.without_marks.pop_front();
            }
            self.without_marks.push_back(self.lines.len());
            self.introduces = None;
        }
        self.lines.push(HtmlLine { text, source: self.first..end, role });
        self.first = end;
    }

    /// Whether the last lines say whose words come next.
    fn has_attribution_above(&mut self) -> bool {
        *self.introduces.get_or_insert_with(|| {
            let above: Vec<&str> = self
                .without_marks
                .iter()
                .filter_map(|line| self.lines.get(*line))
                .map(|line| without_marks(&line.text))
                .collect();
            reply::is_attribution_of_quote(&above)
        })
    }
}

/// Whether a picture is one of the mail's own, or is described.
fn has_content(given: &ElementAttributes<'_>) -> bool {
    let starts = |scheme: &str| {
        given.src.and_then(|src| src.trim_start().get(..scheme.len())).is_some_and(|s| s.eq_ignore_ascii_case(scheme))
    };
    given.alt.is_some_and(|alt| !alt.trim().is_empty()) || starts("cid:") || starts("data:")
}

/// A line without the marks of quotation.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches("> ")
}
