//! Links in HTML: where they lead, and what they say.

use std::borrow::Cow;

use super::attributes::{attribute, references};
use super::tokens::{Kind, tokens};
use crate::clean::truncate;

/// How many links of a mail are given.
const MOST_LINKS: usize = 500;
/// How many octets of the words of a link are kept.
const MOST_WORDS: usize = 300;

/// A link in HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads: the value of `href`, without white space around it.
    pub target: String,
    /// Its words, and those that stand for its pictures, on one line, the first 300 octets.
    pub words: String,
}

/// What HTML says, piece by piece.
pub(crate) enum Piece<'a> {
    /// Words, white space as it stands.
    Words(Cow<'a, str>),
    /// What follows stands apart: in another block, line or cell.
    Break,
    /// A link starts, and where it leads. One that was not ended ends here.
    Open(String),
    Close,
}

/// Elements that stand within a line of text.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "big", "code", "em", "font", "i", "img", "label", "mark", "s", "small", "span", "strong", "sub",
    "sup", "tt", "u", "wbr",
];

/// The words of HTML and its links.
pub(crate) fn pieces(html: &str) -> impl Iterator<Item = Piece<'_>> {
    tokens(html).filter_map(|token| match token.kind {
        Kind::Text(text) => Some(Piece::Words(references(text))),
        Kind::Open(name, attributes) if name.eq_ignore_ascii_case("a") => {
            let target = attribute(attributes, "href");
            Some(target.map_or(Piece::Close, |target| Piece::Open(target.trim().to_owned())))
        }
        Kind::Close(name) if name.eq_ignore_ascii_case("a") => Some(Piece::Close),
        Kind::Open(name, attributes) if name.eq_ignore_ascii_case("img") => {
            attribute(attributes, "alt").map(|alt| Piece::Words(alt.into()))
        }
        Kind::Open(name, _) | Kind::Close(name) => {
            let is_inline = INLINE.iter().any(|inline| name.eq_ignore_ascii_case(inline));
            (!is_inline).then_some(Piece::Break)
        }
        Kind::Unseen => None,
    })
}

/// The links of HTML in their order, the first 500.
#[must_use]
pub fn links_of_html(html: &str) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut is_open = false;
    for piece in pieces(html) {
        match piece {
            Piece::Open(_) if links.len() == MOST_LINKS => break,
            Piece::Open(target) => {
                links.push(Link { target, words: String::new() });
                is_open = true;
            }
            Piece::Close => is_open = false,
            Piece::Words(text) if is_open => {
                if let Some(link) = links.last_mut() {
                    add_words(&mut link.words, truncate(&text, 4 * MOST_WORDS));
                }
            }
            Piece::Words(_) | Piece::Break => {}
        }
    }
    links
}

fn add_words(words: &mut String, text: &str) {
    for word in text.split_whitespace() {
        if words.len() + word.len() >= MOST_WORDS {
            return;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_their_targets_and_words() {
        let html = r#"<p>Go <a href=" https://a.example/?x=1&amp;y=2 ">to <b>the&nbsp;shop</b></a> or <A HREF='mailto:b@c'>write</A>
            <a name=top>no link</a> <a href=x><img src=y></a> after
            <a href=z><img alt="to the &quot;park&quot;"></a>"#;
        let link = |target: &str, words: &str| Link { target: target.to_owned(), words: words.to_owned() };
        assert_eq!(
            links_of_html(html),
            [
                link("https://a.example/?x=1&y=2", "to the shop"),
                link("mailto:b@c", "write"),
                link("x", ""),
                link("z", "to the \"park\"")
            ]
        );
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let html = format!("<a href=x>{}</a>", "word ".repeat(10_000)).repeat(3);
        assert!(links_of_html(&html).iter().all(|link| link.words.len() <= MOST_WORDS));
        assert_eq!(links_of_html(&"<a href=x>".repeat(2_000)).len(), MOST_LINKS);
    }
}
