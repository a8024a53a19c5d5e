//! Links in HTML: where they lead, and what they say.

use super::attributes::{attribute, references};
use super::tokens::{Kind, tokens};

/// How many links of a mail are given.
const MOST_LINKS: usize = 500;
/// How many octets of the words of a link are kept.
const MOST_WORDS: usize = 300;

/// A link in HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads: the value of `href`, without white space around it.
    pub target: String,
    /// Its words, on one line, the first 300 octets.
    pub words: String,
}

/// The links of HTML in their order, the first 500.
#[must_use]
pub fn links_of_html(html: &str) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut is_open = false;
    for token in tokens(html) {
        match token.kind {
            Kind::Open(name, attributes) if name.eq_ignore_ascii_case("a") => {
                if links.len() == MOST_LINKS {
                    break;
                }
                let target = attribute(attributes, "href");
                is_open = target.is_some();
                links.extend(target.map(|target| Link { target: target.trim().to_owned(), words: String::new() }));
            }
            Kind::Close(name) if name.eq_ignore_ascii_case("a") => is_open = false,
            Kind::Text(text) if is_open => {
                if let Some(link) = links.last_mut() {
                    add_words(&mut link.words, &references(crate::clean::truncate(text, 4 * MOST_WORDS)));
                }
            }
            _ => {}
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
            <a name=top>no link</a> <a href=x><img src=y></a> after"#;
        let link = |target: &str, words: &str| Link { target: target.to_owned(), words: words.to_owned() };
        assert_eq!(
            links_of_html(html),
            [link("https://a.example/?x=1&y=2", "to the shop"), link("mailto:b@c", "write"), link("x", "")]
        );
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let html = format!("<a href=x>{}</a>", "word ".repeat(10_000)).repeat(3);
        assert!(links_of_html(&html).iter().all(|link| link.words.len() <= MOST_WORDS));
        assert_eq!(links_of_html(&"<a href=x>".repeat(2_000)).len(), MOST_LINKS);
    }
}
