//! What an agent waits for in a mail: codes to type in, and links that confirm.

mod codes;
mod links;

pub use codes::{ExtractedCode, extract_codes};
pub use links::{ExtractedLink, LinkKind, UnknownLinkKind, extract_links};
