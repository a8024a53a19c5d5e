//! Links in HTML with targets and words.

use super::attributes::{attribute, references};
use super::tokens::{TokenKind, tokens};

/// Maximum number of links of a message.
const MAX_HTML_LINKS: usize = 500;
/// Maximum length of the words of a link in bytes.
const MAX_LINK_TEXT_BYTES: usize = 300;

/// A link in HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlLink {
    /// Value of `href` without surrounding white space.
    pub target: String,
    /// Words on one line, the first 300 bytes.
    pub words: String,
}

/// Returns the first 500 links of HTML, in order.
#[must_use]
pub fn html_links(html: &str) -> Vec<HtmlLink> {
    let mut links: Vec<HtmlLink> = Vec::new();
    let mut is_open = false;
    for token in tokens(html) {
        match token.kind {
            TokenKind::Open(name, attributes) if name.eq_ignore_ascii_case("a") => {
                if links.len() == MAX_HTML_LINKS {
                    break;
                }
                let target = attribute(attributes, "href");
                is_open = target.is_some();
                links.extend(target.map(|target| HtmlLink { target: target.trim().to_owned(), words: String::new() }));
            }
            TokenKind::Close(name) if name.eq_ignore_ascii_case("a") => is_open = false,
            TokenKind::Text(text) if is_open => {
                if let Some(link) = links.last_mut() {
                    add_words(&mut link.words, &references(crate::sanitize::truncate(text, 4 * MAX_LINK_TEXT_BYTES)));
                }
            }
            _ => {}
        }
    }
    links
}

fn add_words(words: &mut String, text: &str) {
    for word in text.split_whitespace() {
        if words.len() + word.len() >= MAX_LINK_TEXT_BYTES {
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
        let link = |target: &str, words: &str| HtmlLink { target: target.to_owned(), words: words.to_owned() };
        assert_eq!(
            html_links(html),
            [link("https://a.example/?x=1&y=2", "to the shop"), link("mailto:b@c", "write"), link("x", "")]
        );
    }

    #[test]
    fn html_links_are_bounded() {
        let html = format!("<a href=x>{}</a>", "word ".repeat(10_000)).repeat(3);
        assert!(html_links(&html).iter().all(|link| link.words.len() <= MAX_LINK_TEXT_BYTES));
        assert_eq!(html_links(&"<a href=x>".repeat(2_000)).len(), MAX_HTML_LINKS);
    }
}
