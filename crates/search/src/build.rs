//! Construction of a segment from texts.

use crate::SearchError;
use crate::blocks::{Block, BlockWriter};
use crate::documents::{Document, MAX_DOCUMENTS};
use crate::grams::{GRAM_BITS, Gram, grams};

/// Maximum total length in bytes of the texts in one call of [`build`], except for a single longer text. The call needs
/// up to sixteen times as much memory.
pub const MAX_TEXT_BYTES: usize = 4 << 20;

/// Number of recent grams in the duplicate filter.
const RECENT_GRAMS: usize = 1 << 12;
const DOCUMENT_BITS: u32 = 16;
/// Bits of a gram that one sort round covers; there are three rounds.
const DIGIT_BITS: u32 = 12;

/// Builds a segment from lower-case texts, oldest first.
///
/// # Errors
///
/// [`SearchError::TooManyDocuments`].
pub fn build<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Block>, SearchError> {
    let mut pairs = Vec::new();
    let mut seen = vec![u64::MAX; RECENT_GRAMS];
    for (position, text) in texts.into_iter().enumerate() {
        let position = Document::try_from(position).ok().filter(|position| *position < MAX_DOCUMENTS);
        let document = position.ok_or(SearchError::TooManyDocuments)?;
        collect(text, document, &mut seen, &mut pairs);
    }
    Ok(pack(&sorted(pairs)))
}

/// Adds a pair for each gram of a text: the gram in the upper bits, the message in the lower.
///
/// The filter of recent grams omits most duplicates. Grams that share a slot cause duplicates only, never wrong pairs.
fn collect(text: &str, document: Document, seen: &mut [u64], pairs: &mut Vec<u64>) {
    for gram in grams(text) {
        let pair = (gram.0 << DOCUMENT_BITS) | u64::from(document);
        match seen.get_mut(recent_slot(gram)) {
            Some(known) if *known == pair => {}
            Some(known) => {
                *known = pair;
                pairs.push(pair);
            }
            None => pairs.push(pair),
        }
    }
}

/// Returns the filter slot of a gram: the high bits of a product, which depend on all its bits.
fn recent_slot(gram: Gram) -> usize {
    let product = gram.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::from(low_word(product >> (u64::BITS - RECENT_GRAMS.ilog2())))
}

/// Sorts the pairs by gram with a stable radix sort, which preserves the order of messages. Unlike a hash table, its
/// time does not depend on hostile input.
fn sorted(mut pairs: Vec<u64>) -> Vec<u64> {
    let mut other = vec![0; pairs.len()];
    for round in 0..GRAM_BITS.div_ceil(DIGIT_BITS) {
        sort_by_digit(&pairs, &mut other, DOCUMENT_BITS + round * DIGIT_BITS);
        std::mem::swap(&mut pairs, &mut other);
    }
    pairs
}

fn sort_by_digit(pairs: &[u64], other: &mut [u64], shift: u32) {
    let digit = |pair: u64| usize::from(low_word(pair >> shift) & ((1 << DIGIT_BITS) - 1));
    let mut offsets = vec![0_usize; 1 << DIGIT_BITS];
    for &pair in pairs {
        if let Some(count) = offsets.get_mut(digit(pair)) {
            *count += 1;
        }
    }
    let mut next = 0;
    for position in &mut offsets {
        next += std::mem::replace(position, next);
    }
    for &pair in pairs {
        let Some(position) = offsets.get_mut(digit(pair)) else { continue };
        if let Some(slot) = other.get_mut(*position) {
            *slot = pair;
        }
        *position += 1;
    }
}

fn pack(pairs: &[u64]) -> Vec<Block> {
    let mut writer = BlockWriter::default();
    let mut documents = Vec::new();
    for same in pairs.chunk_by(|one, two| gram_of(*one) == gram_of(*two)) {
        documents.clear();
        documents.extend(same.iter().map(|pair| low_word(*pair)));
        documents.dedup();
        if let Some(first) = same.first() {
            writer.push(gram_of(*first), &documents);
        }
    }
    writer.take_all()
}

fn gram_of(pair: u64) -> Gram {
    Gram(pair >> DOCUMENT_BITS)
}

/// Returns the lower sixteen bits; in a pair, the message.
#[expect(clippy::cast_possible_truncation, reason = "the others are not asked for")]
fn low_word(number: u64) -> Document {
    number as Document
}
