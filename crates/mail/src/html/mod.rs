//! HTML of mails: what it says, and which part of it is new.
//!
//! Both work on a flat list of tokens instead of a tree: building one as browsers do takes time that grows faster than
//! the depth, and mail comes from strangers.

mod attributes;
mod elements;
mod hidden_text;
mod lines;
mod links;
mod marks;
mod new_content;
mod references;
mod render;
mod style;
mod tables;
mod target;
mod text_writer;
mod tokens;
mod visible_pieces;
mod walk;

pub use links::{HtmlLink, html_links};
pub use new_content::extract_html;
pub(crate) use new_content::new_html;
pub(crate) use visible_pieces::{VisiblePiece, visit_pieces};

/// The text of an HTML mail as a person sees it: one line a block, paragraphs set apart, list items marked, the cells of
/// a table of data set apart by ` | `, quotations marked with `> `, and the target of a link behind its words where they
/// do not say it. Words that nobody sees are left out; [`hides_text`] tells which these are.
#[must_use]
pub fn text_from_html(html: &str) -> String {
    render::render(html, render::LinkTargets::Shown, usize::MAX)
}

/// The same without link targets, read until `limit` octets of it are written.
pub(crate) fn words_from_html(html: &str, limit: usize) -> String {
    render::render(html, render::LinkTargets::Hidden, limit)
}

/// Whether HTML holds words that nobody sees who reads it. It is how instructions are smuggled to agents.
///
/// Such are words not displayed, of no size, beyond the edge, or in the colour of what is behind them, by inline styles,
/// by the simple rules of style sheets (those for every screen), and by attributes; the description of an image too small
/// to be seen; and characters that [`hides_characters`](crate::hides_characters) finds. Words that are seen elsewhere in
/// the mail, one behind the other as they are hidden, do not count, for many a mail says itself twice, for wide screens
/// and for narrow ones. Comments do not count either, since every program leaves some. The time is linear in the length.
#[must_use]
pub fn hides_text(html: &str) -> bool {
    hidden_text::has_hidden_words(html)
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
