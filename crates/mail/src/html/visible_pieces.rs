//! Visible words and links of HTML as a stream of pieces.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::{attribute_references, references};
use super::render::is_spacer;
use super::style::ComputedStyle;
use super::walk::{HtmlVisitor, walk};

/// A visible piece of HTML.
pub(crate) enum VisiblePiece<'a> {
    /// Words with their white space; empty for a picture without a description.
    Words(&'a str),
    /// Boundary of a block, line or cell.
    Break,
    /// Start of a link with its target; it ends a previous unclosed link.
    Open(String),
    /// End of a link, or of none.
    Close,
}

/// Calls `emit` with the visible pieces of HTML, in order.
pub(crate) fn visit_pieces(html: &str, emit: impl FnMut(VisiblePiece<'_>)) {
    walk(html, &mut PieceVisitor { emit });
}

struct PieceVisitor<F> {
    emit: F,
}

impl<F: FnMut(VisiblePiece<'_>)> HtmlVisitor for PieceVisitor<F> {
    fn open(&mut self, tag: HtmlTag, attributes: &ElementAttributes<'_>, style: &ComputedStyle) {
        match tag {
            HtmlTag::Anchor => {
                let target = attributes.href.map(|href| attribute_references(href).trim().to_owned());
                (self.emit)(target.map_or(VisiblePiece::Close, VisiblePiece::Open));
            }
            HtmlTag::Image if style.shows_pictures() && !is_spacer(attributes) => {
                (self.emit)(VisiblePiece::Words(&attribute_references(attributes.alt.unwrap_or_default())));
            }
            tag => self.emit_break(tag),
        }
    }

    fn close(&mut self, tag: HtmlTag, _: &ComputedStyle) {
        match tag {
            HtmlTag::Anchor => (self.emit)(VisiblePiece::Close),
            tag => self.emit_break(tag),
        }
    }

    fn text(&mut self, text: &str, style: &ComputedStyle) {
        if style.shows_words() {
            (self.emit)(VisiblePiece::Words(&references(text)));
        }
    }
}

impl<F: FnMut(VisiblePiece<'_>)> PieceVisitor<F> {
    fn emit_break(&mut self, tag: HtmlTag) {
        if tag.gap() > 0 || matches!(tag, HtmlTag::Break | HtmlTag::Cell | HtmlTag::HeadCell) {
            (self.emit)(VisiblePiece::Break);
        }
    }
}
