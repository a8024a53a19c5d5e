//! Detection of hidden words in HTML.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::{attribute_references, references};
use super::render::{LinkTargets, is_spacer, render};
use super::style::ComputedStyle;
use super::walk::{HtmlVisitor, walk};
use crate::sanitize::hides_characters;

/// Maximum number of hidden words compared with visible ones. More words are no second version of the visible text.
const MAX_HIDDEN_WORDS: usize = 20_000;

/// Returns true if `html` contains hidden words that are not also visible.
pub(crate) fn has_hidden_words(html: &str) -> bool {
    let mut hidden = HiddenWords::default();
    walk(html, &mut hidden);
    if hidden.has_characters || hidden.pairs.len() >= MAX_HIDDEN_WORDS {
        return true;
    }
    if hidden.pairs.is_empty() {
        return false;
    }
    let seen = render(html, LinkTargets::Hidden, usize::MAX);
    let mut last = None;
    for word in words(&seen) {
        let word = number(word);
        hidden.pairs.remove(&(None, word));
        hidden.pairs.remove(&(last, word));
        last = Some(word);
    }
    !hidden.pairs.is_empty()
}

#[derive(Default)]
struct HiddenWords {
    /// Hidden words, each with its predecessor.
    pairs: HashSet<(Option<u64>, u64)>,
    last: Option<u64>,
    has_characters: bool,
}

impl HiddenWords {
    fn add(&mut self, text: &str) {
        for word in words(text) {
            let number = number(word);
            // A single letter carries no message and often serves as padding.
            if self.pairs.len() < MAX_HIDDEN_WORDS && word.chars().nth(1).is_some() {
                self.pairs.insert((self.last, number));
            }
            self.last = Some(number);
        }
    }
}

impl HtmlVisitor for HiddenWords {
    fn open(&mut self, tag: HtmlTag, attributes: &ElementAttributes<'_>, style: &ComputedStyle) {
        if tag.gap() > 0 || tag.is_void() {
            self.last = None;
        }
        if tag == HtmlTag::Image && (!style.shows_pictures() || is_spacer(attributes)) {
            self.add(&attribute_references(attributes.alt.unwrap_or_default()));
            self.last = None;
        }
    }

    fn close(&mut self, tag: HtmlTag, _: &ComputedStyle) {
        if tag.gap() > 0 || tag.is_barrier() {
            self.last = None;
        }
    }

    fn text(&mut self, text: &str, style: &ComputedStyle) {
        let text = references(text);
        self.has_characters |= hides_characters(&text);
        if style.shows_words() {
            self.last = None;
        } else {
            self.add(&text);
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
