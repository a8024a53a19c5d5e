//! One traversal of HTML for its hidden words, its links and the places of its text.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::{attribute_references, references};
use super::render::{RenderMode, is_spacer, render};
use super::style::ComputedStyle;
use super::tokens::HtmlToken;
use super::walk::{HtmlVisitor, walk};
use crate::sanitize::{hides_characters, truncate};

/// Maximum number of hidden words compared with visible ones. More words are no second version of the visible text.
const MAX_HIDDEN_WORDS: usize = 20_000;
/// Maximum length in characters of a hidden line before the content, which newsletters show as their preview.
const MAX_PREHEADER_CHARS: usize = 300;
/// Maximum length in bytes of the words of a link.
const MAX_LINK_WORDS_BYTES: usize = 300;
/// Maximum number of links.
const MAX_LINKS: usize = 500;

/// Content of HTML as far as the intentions of its author are concerned.
#[derive(Debug, Default)]
pub(crate) struct HtmlInspection {
    /// True if HTML contains hidden words that are not also visible.
    pub(crate) hides_words: bool,
    /// True if such words are more than a short line before the content.
    pub(crate) hides_content: bool,
    /// True if characters without a glyph spell words.
    pub(crate) hides_characters: bool,
    /// Targets and visible words of links.
    pub(crate) links: Vec<(String, String)>,
    /// Visible words with their places.
    pub(crate) visible: PlacedText,
    /// Hidden words with their places.
    pub(crate) hidden: PlacedText,
}

/// Words taken from HTML, with their places in it.
#[derive(Debug, Default)]
pub(crate) struct PlacedText {
    pub(crate) text: String,
    /// Start in `text` and source range of each piece.
    pieces: Vec<(usize, Range<usize>)>,
}

impl PlacedText {
    fn add(&mut self, text: &str, source: &Range<usize>, limit: usize) {
        if self.text.len() < limit {
            self.pieces.push((self.text.len(), source.clone()));
            self.text.push_str(truncate(text, limit.saturating_sub(self.text.len())));
        }
    }

    fn end_line(&mut self) {
        if !self.text.ends_with('\n') && !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Returns the source range of the pieces that contain a range of the text.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.pieces.partition_point(|(start, _)| *start <= range.start).saturating_sub(1);
        let behind = self.pieces.partition_point(|(start, _)| *start < range.end).max(first + 1);
        let pieces = self.pieces.get(first..behind).unwrap_or_default();
        let start = pieces.first().map_or(0, |(_, source)| source.start);
        start..pieces.last().map_or(start, |(_, source)| source.end)
    }
}

/// Returns true if `html` contains hidden words that are not also visible.
pub(crate) fn has_hidden_words(html: &str) -> bool {
    let found = inspect(html, InspectionLimits::default());
    found.hides_words || found.hides_characters
}

/// Maximum number of bytes of words that an inspection returns.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InspectionLimits {
    pub(crate) visible: usize,
    pub(crate) hidden: usize,
}

/// Reads the content of HTML.
pub(crate) fn inspect(html: &str, limits: InspectionLimits) -> HtmlInspection {
    let mut visitor = InspectionVisitor { limits, ..InspectionVisitor::default() };
    walk(html, &mut visitor);
    visitor.close_link();
    let InspectionVisitor { mut pairs, preheader_chars, mut found, .. } = visitor;
    if pairs.len() >= MAX_HIDDEN_WORDS {
        (found.hides_words, found.hides_content) = (true, true);
    } else if !pairs.is_empty() {
        remove_seen(html, &mut pairs);
        found.hides_words = !pairs.is_empty();
        let is_long = preheader_chars > MAX_PREHEADER_CHARS;
        found.hides_content = pairs.values().any(|is_preheader| is_long || !is_preheader);
    }
    found
}

/// Words by their predecessor, each with true if all its places come before the content.
type WordPairs = HashMap<(Option<u64>, u64), bool>;

/// Removes the words that are also visible in the same order.
fn remove_seen(html: &str, pairs: &mut WordPairs) {
    let seen = render(html, RenderMode::Words, usize::MAX);
    let mut last = None;
    for word in words(&seen) {
        let word = number(word);
        pairs.remove(&(None, word));
        pairs.remove(&(last, word));
        last = Some(word);
    }
}

#[derive(Default)]
struct InspectionVisitor {
    limits: InspectionLimits,
    pairs: WordPairs,
    last: Option<u64>,
    has_content: bool,
    preheader_chars: usize,
    source: Range<usize>,
    link: Option<(String, String)>,
    found: HtmlInspection,
}

impl InspectionVisitor {
    fn add_hidden(&mut self, text: &str) {
        let is_preheader = !self.has_content;
        for word in words(text) {
            let number = number(word);
            // A single letter carries no message and often serves as padding.
            if self.pairs.len() < MAX_HIDDEN_WORDS && word.chars().nth(1).is_some() {
                let holds = self.pairs.entry((self.last, number)).or_insert(true);
                *holds &= is_preheader;
            }
            self.last = Some(number);
            self.preheader_chars += if is_preheader { word.chars().count() + 1 } else { 0 };
        }
        self.found.hidden.add(text, &self.source, self.limits.hidden);
    }

    fn add_visible(&mut self, text: &str) {
        self.last = None;
        self.has_content = self.has_content || text.contains(char::is_alphanumeric);
        self.found.visible.add(text, &self.source, self.limits.visible);
        if let Some((_, words)) = self.link.as_mut() {
            words.push_str(truncate(text, MAX_LINK_WORDS_BYTES.saturating_sub(words.len())));
        }
    }

    fn close_link(&mut self) {
        // Other words show no host.
        self.found.links.extend(self.link.take().filter(|(_, words)| words.contains('.')));
    }
}

impl HtmlVisitor for InspectionVisitor {
    fn token(&mut self, token: &HtmlToken<'_>) {
        self.source = token.start..token.end;
    }

    fn open(&mut self, tag: HtmlTag, attributes: &ElementAttributes<'_>, style: &ComputedStyle) {
        if tag.gap() > 0 || tag.is_void() {
            self.last = None;
            self.found.visible.end_line();
            self.found.hidden.end_line();
        }
        match tag {
            HtmlTag::Image if !style.shows_pictures() || is_spacer(attributes) => {
                self.add_hidden(&attribute_references(attributes.alt.unwrap_or_default()));
                self.last = None;
            }
            HtmlTag::Image => {
                let alt = attribute_references(attributes.alt.unwrap_or_default());
                self.found.visible.add(&alt, &self.source, self.limits.visible);
            }
            HtmlTag::Anchor => {
                self.close_link();
                let target = attributes.href.filter(|_| self.found.links.len() < MAX_LINKS);
                self.link = target.map(|href| (attribute_references(href).trim().to_owned(), String::new()));
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: HtmlTag, _: &ComputedStyle) {
        if tag.gap() > 0 || tag.is_barrier() {
            self.last = None;
            self.found.visible.end_line();
            self.found.hidden.end_line();
        }
        if tag == HtmlTag::Anchor {
            self.close_link();
        }
    }

    fn text(&mut self, text: &str, style: &ComputedStyle) {
        let text = references(text);
        self.found.hides_characters |= hides_characters(&text);
        if style.shows_words() {
            self.add_visible(&text);
        } else {
            self.add_hidden(&text);
        }
    }
}

/// Iterates over the words of a text without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

fn number(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.to_lowercase().hash(&mut hasher);
    hasher.finish()
}
