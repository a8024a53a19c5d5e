//! Extraction of verification codes and confirmation links.
//!
//! Evidence adds up: the shape of a code or link, the words around it in some twenty languages, and the topic of the
//! message. The words are tables ([`words`]); no other module depends on a language.

mod chunks;
mod code_evidence;
mod code_names;
mod codes;
mod lexicon;
mod link_evidence;
mod linked_text;
mod links;
mod passage;
mod shapes;
mod urls;
mod words;

pub(crate) use lexicon::{MeaningSet, WordHit, WordLexicon, WordMeaning, is_spaced_letter, within};
pub(crate) use passage::normalize_char;

pub use codes::{ExtractedCode, extract_codes};
pub use links::{ExtractedLink, LinkKind, extract_links};

/// Maximum number of findings of each kind.
const MAX_FINDINGS: usize = 10;
/// Maximum number of text bytes read; messages with a code or link present it early.
pub(crate) const MAX_TEXT_BYTES: usize = 128 * 1024;
