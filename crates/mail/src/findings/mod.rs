//! What an agent waits for in a mail: codes to type in, and links that confirm.
//!
//! Both are found by evidence added up: what has the shape of a code or of such a link, which words stand around it in
//! any of some twenty languages, and what the mail is about otherwise. The words are tables ([`words`]);
//! nothing else here knows a language.

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

pub use codes::{ExtractedCode, extract_codes};
pub use links::{ExtractedLink, LinkKind, extract_links};

/// How many findings of a kind a mail has at most.
const MAX_FINDINGS: usize = 10;
/// How many octets of a text are read: mails that hand over a code or a link say so soon.
pub(crate) const MAX_TEXT_BYTES: usize = 128 * 1024;
