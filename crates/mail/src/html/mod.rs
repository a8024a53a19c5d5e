//! Text, links and new content of HTML messages.
//!
//! The functions use a flat list of tokens. The time to build a tree as browsers do grows faster than the depth, and
//! strangers choose the input.

mod attributes;
mod elements;
mod inspection;
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
mod unseen;
mod urls;
mod visible_pieces;
mod walk;
mod well_nested;

pub(crate) use inspection::{HtmlInspection, InspectionLimits, PlacedText, inspect};
pub use links::{HtmlLink, html_links};
pub use new_content::extract_html;
pub(crate) use new_content::{NewHtml, new_html};
pub use references::references as html_references;
pub use unseen::{UnseenContent, unseen_content};
pub use urls::visit_html_urls;
pub(crate) use visible_pieces::{VisiblePiece, visit_pieces};
pub use well_nested::well_nested_html;

/// Converts an HTML message to text as a person sees it.
///
/// Each block is a line, paragraphs are separate, list items have markers, and ` | ` separates the cells of data
/// tables. Quotations start with `> `. A link target follows its words unless they name it. Hidden words are omitted;
/// [`hides_text`] defines them.
#[must_use]
pub fn text_from_html(html: &str) -> String {
    render::render(html, render::RenderMode::Text, usize::MAX)
}

/// Converts an HTML message to Markdown (GitHub Flavored Markdown) with the words of [`text_from_html`].
///
/// Headings, lists, links, quotations, data tables and preformatted text have their marks. Emphasis has none, and words
/// that look like marks are not escaped.
#[must_use]
pub fn markdown_from_html(html: &str) -> String {
    render::render(html, render::RenderMode::Markdown, usize::MAX)
}

/// Converts HTML to text without link targets, up to `limit` bytes of output.
pub(crate) fn words_from_html(html: &str, limit: usize) -> String {
    render::render(html, render::RenderMode::Words, limit)
}

/// Returns true if HTML contains hidden words, a means to pass instructions to agents unnoticed.
///
/// Words are hidden by `display`, size, position or a colour equal to the background. Inline styles, simple rules of
/// style sheets for all screens, and attributes count. So do the description of an image too small to see, and the
/// characters that [`hides_characters`](crate::hides_characters) finds.
///
/// Hidden words that are also visible in the same order do not count, because many messages contain a wide and a narrow
/// version. Comments do not count, since every program leaves some. The time is linear in the length.
#[must_use]
pub fn hides_text(html: &str) -> bool {
    inspection::has_hidden_words(html)
}

/// Returns the charset that HTML names in its first kilobyte (WHATWG HTML, section 13.2.3.2), for parts that name none.
pub(crate) fn charset(html: &[u8]) -> Option<String> {
    let start = html.get(..1024).unwrap_or(html).to_ascii_lowercase();
    let at = memchr::memmem::find(&start, b"charset=")?;
    let value = start.get(at + 8..)?;
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.');
    let name: Vec<u8> = value.iter().copied().take_while(is_name).collect();
    String::from_utf8(name).ok().filter(|name| !name.is_empty())
}
