//! The words and links of HTML that are seen.

use super::attributes::Given;
use super::elements::Tag;
use super::references::{attribute_references, references};
use super::render::is_spacer;
use super::style::Look;
use super::walk::{Visitor, walk};

/// What HTML shows, piece by piece.
pub(crate) enum Piece<'a> {
    /// Words, white space as it stands; empty for a picture that has none.
    Words(&'a str),
    /// What follows stands apart: in another block, line or cell.
    Break,
    /// A link starts, and where it leads. One that was not ended ends here.
    Open(String),
    /// A link ends, or none was open.
    Close,
}

/// Hands over the pieces of HTML in their order, without what nobody sees.
pub(crate) fn pieces(html: &str, take: impl FnMut(Piece<'_>)) {
    walk(html, &mut Pieces { take });
}

struct Pieces<F> {
    take: F,
}

impl<F: FnMut(Piece<'_>)> Visitor for Pieces<F> {
    fn open(&mut self, tag: Tag, given: &Given<'_>, look: &Look) {
        match tag {
            Tag::Anchor => {
                let target = given.href.map(|href| attribute_references(href).trim().to_owned());
                (self.take)(target.map_or(Piece::Close, Piece::Open));
            }
            Tag::Image if look.shows_pictures() && !is_spacer(given) => {
                (self.take)(Piece::Words(&attribute_references(given.alt.unwrap_or_default())));
            }
            tag => self.part(tag),
        }
    }

    fn close(&mut self, tag: Tag, _: &Look) {
        match tag {
            Tag::Anchor => (self.take)(Piece::Close),
            tag => self.part(tag),
        }
    }

    fn text(&mut self, text: &str, look: &Look) {
        if look.shows_words() {
            (self.take)(Piece::Words(&references(text)));
        }
    }
}

impl<F: FnMut(Piece<'_>)> Pieces<F> {
    fn part(&mut self, tag: Tag) {
        if tag.gap() > 0 || matches!(tag, Tag::Break | Tag::Cell | Tag::HeadCell) {
            (self.take)(Piece::Break);
        }
    }
}
