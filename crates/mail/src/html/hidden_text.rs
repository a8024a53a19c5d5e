//! Words in HTML that nobody sees.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::{attribute_references, references};
use super::render::{LinkTargets, is_spacer, render};
use super::style::ComputedStyle;
use super::walk::{HtmlVisitor, walk};
use crate::sanitize::hides_characters;

/// How many hidden words are compared with what is seen; more than these are no second version of what is.
const MAX_HIDDEN_WORDS: usize = 20_000;

/// Whether there are words in `html` that nobody sees who reads it, and that do not stand among those seen too.
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
    /// The hidden words, each with the one before it.
    pairs: HashSet<(Option<u64>, u64)>,
    last: Option<u64>,
    has_characters: bool,
}

impl HiddenWords {
    fn add(&mut self, text: &str) {
        for word in words(text) {
            let number = number(word);
            // A single letter says nothing, and such are used as padding.
            if self.pairs.len() < MAX_HIDDEN_WORDS && word.chars().nth(1).is_some() {
                self.pairs.insert((self.last, number));
            }
            self.last = Some(number);
        }
    }
}

impl HtmlVisitor for HiddenWords {
    fn open(&mut self, tag: HtmlTag, given: &ElementAttributes<'_>, style: &ComputedStyle) {
        if tag.gap() > 0 || tag.is_void() {
            self.last = None;
        }
        if tag == HtmlTag::Image && (!style.shows_pictures() || is_spacer(given)) {
            self.add(&attribute_references(given.alt.unwrap_or_default()));
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

/// The words of a text without the punctuation around them.
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
