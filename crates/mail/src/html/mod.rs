//! HTML of mails: what it says, and which part of it is new.
//!
//! Both work on a flat list of tokens instead of a tree: building one as browsers do takes time that grows faster than
//! the depth, and mail comes from strangers.

mod attributes;
mod marks;
mod quotes;
mod render;
mod tokens;

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
