//! Conversion of HTML to lines with source ranges; quoted lines start with `> ` as in plain text.

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
use crate::reply::{self, MailFacts, ReplyHint};

/// Placeholder for an image, so that a message with only a picture has content.
pub(super) const IMAGE: char = '\u{fffc}';
/// Replacement for `>` in link words, where it is an arrow and no quote mark.
const ARROW: char = '›';
/// Maximum number of lines of a marked signature; longer ones are text with an unclosed mark.
const MAX_MARKED_SIGNATURE_LINES: usize = 20;
/// Number of lines above an unmarked block quotation that are searched for an attribution.
const MAX_LINES_ABOVE: usize = 4;
/// Maximum number of separate lines, which bounds memory. Later content joins the last line.
const MAX_HTML_LINES: usize = 200_000;

/// A line with its source range.
#[derive(Debug)]
pub(super) struct HtmlLine {
    /// Words of the line; empty for a blank line.
    pub(super) text: String,
    /// Source range in bytes: the tags before the first word, the words, and everything up to the next line.
    pub(super) source: Range<usize>,
    pub(super) role: LineRole,
}

/// Role of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineRole {
    Ordinary,
    /// Part of a marked signature.
    Signature,
    /// Remote pictures without a description, for instance tracking pixels.
    BarePicture,
}

/// Converts HTML to its visible lines.
pub(super) fn lines(html: &str, facts: MailFacts<'_>) -> Vec<HtmlLine> {
    let mut reader = LineReader { html, ..LineReader::default() };
    walk(html, &mut reader);
    reader.end_line(html.len());
    let endless = reader.marked.iter().find(|(mark, _)| *mark == ElementMark::Signature).map(|(_, start)| *start);
    let mut lines = reader.lines;
    restore_signatures(&mut lines, endless);
    drop_bare_pictures(&mut lines);
    if let Some(range) = reader.block_quotation.filter(|_| facts.hint == ReplyHint::Reply) {
        quote_last_mail(&mut lines, &range, facts.author);
    }
    lines
}

/// Marks an unmarked block quotation as quoted if it is the last content and holds a whole message to the author.
fn quote_last_mail(lines: &mut [HtmlLine], range: &Range<usize>, author: &str) {
    let first = lines.partition_point(|line| line.source.end <= range.start);
    let (above, quoted) = lines.split_at_mut(first);
    let is_text = |line: &HtmlLine| !line.text.is_empty() && line.role == LineRole::Ordinary;
    let is_last = !quoted.iter().any(|line| is_text(line) && line.source.end > range.end);
    let texts: Vec<&str> = quoted.iter().map(|line| line.text.as_str()).collect();
    if is_last && above.iter().any(is_text) && reply::is_mail_to(&texts, author) {
        for line in quoted.iter_mut().filter(|line| is_text(line)) {
            line.text.insert_str(0, "> ");
        }
    }
}

/// Restores signature lines to text in runs that are too long, and in those of an unclosed mark.
fn restore_signatures(lines: &mut [HtmlLine], endless: Option<usize>) {
    for run in lines.chunk_by_mut(|one, next| one.role == next.role) {
        let is_long = run.len() > MAX_MARKED_SIGNATURE_LINES;
        let is_restored = |line: &&mut HtmlLine| is_long || endless.is_some_and(|start| line.source.end > start);
        for line in run.iter_mut().filter(|line| line.role == LineRole::Signature).filter(is_restored) {
            line.role = LineRole::Ordinary;
        }
    }
}

/// Clears the bare pictures at the end of a message, which are not words of the author.
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
    /// Indices of the last lines with words, and the cached result of the attribution check for them.
    without_marks: VecDeque<usize>,
    introduces: Option<bool>,
    /// Words of the current line.
    text: String,
    /// True if the current line has more than undescribed pictures.
    has_words: bool,
    /// True at the start of the words of a link or a button.
    is_linked: bool,
    /// True if a space must precede the next word.
    space: bool,
    /// Start of the current line in the source.
    first: usize,
    /// True if the current line is visible without words, as an empty line.
    is_gap: bool,
    /// Range of the current token.
    at: Range<usize>,
    /// Source position that ends a line at the current token; an end tag belongs to the line before it.
    behind: usize,
    /// Open marked elements with their start positions.
    marked: Vec<(ElementMark, usize)>,
    /// Number of quotations and signatures among them.
    quotes: usize,
    signatures: usize,
    /// Range of the last block quotation that is not marked as a quotation; it ends at the end of the source while open.
    block_quotation: Option<Range<usize>>,
    /// True if the rest of the source is quoted.
    is_rest: bool,
}

impl HtmlVisitor for LineReader<'_> {
    fn token(&mut self, token: &HtmlToken<'_>) {
        self.at = token.start..token.end;
        self.behind = if matches!(token.kind, TokenKind::Close(_)) { token.end } else { token.start };
    }

    fn open(&mut self, tag: HtmlTag, attributes: &ElementAttributes<'_>, style: &ComputedStyle) {
        if tag.gap() > 0 || tag == HtmlTag::Break {
            self.is_gap |= tag == HtmlTag::Break;
            self.end_line(if tag == HtmlTag::Break { self.at.end } else { self.at.start });
        }
        match tag {
            HtmlTag::Cell | HtmlTag::HeadCell => self.space = true,
            HtmlTag::Image if style.shows_pictures() && !is_spacer(attributes) => {
                self.has_words |= has_content(attributes);
                self.words(IMAGE.encode_utf8(&mut [0; 4]));
            }
            HtmlTag::Anchor => self.is_linked = attributes.href.is_some(),
            HtmlTag::Button => self.is_linked = true,
            _ => {}
        }
        let mark = match mark(tag, attributes) {
            // The author wrote an empty element, but browsers put the following content into it.
            Some(ElementMark::Signature) if self.html.get(..self.at.end).is_some_and(|tag| tag.ends_with("/>")) => None,
            Some(ElementMark::Quote) if starts_forward(self.html.get(self.at.end..).unwrap_or_default()) => None,
            Some(ElementMark::MaybeQuote) => {
                let is_quote = self.quotes > 0 || self.is_below_quote() || self.has_attribution_above();
                if !is_quote && self.block_quotation.as_ref().is_none_or(|last| last.end < usize::MAX) {
                    self.block_quotation = Some(self.at.start..usize::MAX);
                }
                is_quote.then_some(ElementMark::Quote)
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
        if let Some(last) = self.block_quotation.as_mut().filter(|last| last.start == start) {
            last.end = self.behind;
        }
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
            // A no-break space makes an empty line of an otherwise empty paragraph.
            self.is_gap |= !text.as_bytes().trim_ascii().is_empty();
            let text = self.without_glued(text);
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
    /// Ends the line before another message that starts inside of a text, and returns the text behind.
    fn without_glued<'t>(&mut self, mut text: &'t str) -> &'t str {
        while let Some((start, rest)) = reply::split_at(text).and_then(|at| text.split_at_checked(at)) {
            self.words(&references(start));
            self.has_words |= !start.trim().is_empty();
            self.end_line(self.at.end - rest.len());
            text = rest;
        }
        text
    }

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

    /// Ends the current line before byte `end`. Tags without words belong to the next line.
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

    /// Returns true if the last line with words is quoted.
    fn is_below_quote(&self) -> bool {
        self.without_marks.back().and_then(|at| self.lines.get(*at)).is_some_and(|line| line.text.starts_with("> "))
    }

    /// Returns true if the last lines are the attribution of the following text.
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

/// Returns true if a picture is embedded in the message or has a description.
fn has_content(attributes: &ElementAttributes<'_>) -> bool {
    let starts = |scheme: &str| {
        attributes
            .src
            .and_then(|src| src.trim_start().get(..scheme.len()))
            .is_some_and(|s| s.eq_ignore_ascii_case(scheme))
    };
    attributes.alt.is_some_and(|alt| !alt.trim().is_empty()) || starts("cid:") || starts("data:")
}

/// Strips the quote marks of a line.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches("> ")
}
