//! Content of HTML that a person does not see, and content that a program fetches when it shows the HTML.

use super::attributes::all;
use super::references::{attribute_references, references};
use super::tokens::{HtmlToken, TokenKind, is_style, tokens};

/// Attributes with URLs that a program fetches.
const FETCHED: [&str; 10] =
    ["src", "srcset", "background", "poster", "data", "href", "xlink:href", "dynsrc", "lowsrc", "longdesc"];
/// Attributes with words that are seldom shown.
const WORDY: [&str; 7] = ["title", "content", "value", "placeholder", "label", "summary", "srcdoc"];
/// Starts of further such attributes.
const WORDY_STARTS: [&str; 2] = ["data-", "aria-"];
/// Elements without visible content that fetch what they name.
const FETCHING_ELEMENTS: [&str; 2] = ["<script", "<iframe"];

/// Content of HTML beyond what a person sees of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnseenContent {
    /// Whether it has comments, a title, other elements without a place on the page, or words in attributes.
    pub is_hidden: bool,
    /// Whether a program that shows it fetches images, styles or other content.
    pub is_fetched: bool,
}

/// Returns whether HTML has content that a person does not see, and content that a program fetches. It errs towards yes, so
/// that a person who decides about the HTML reads its source. Hidden words are found by [`hides_text`](crate::hides_text).
#[must_use]
pub fn unseen_content(html: &str) -> UnseenContent {
    let mut unseen = UnseenContent::default();
    for token in tokens(html) {
        match token.kind {
            TokenKind::Open(name, attributes) => unseen.add_attributes(name, attributes),
            TokenKind::Unseen => unseen.add_element(source(html, &token)),
            TokenKind::Text(_) | TokenKind::Close(_) => {}
        }
    }
    unseen
}

fn source<'h>(html: &'h str, token: &HtmlToken<'_>) -> &'h str {
    html.get(token.start..token.end).unwrap_or_default()
}

impl UnseenContent {
    fn add_attributes(&mut self, element: &str, attributes: &str) {
        let is_link = ["a", "area"].iter().any(|name| element.eq_ignore_ascii_case(name));
        for (name, value) in all(attributes) {
            let name = name.to_ascii_lowercase();
            let value = attribute_references(value);
            if name == "style" {
                self.is_fetched |= style_fetches(&value);
            } else if FETCHED.contains(&name.as_str()) && !(is_link && name == "href") {
                self.is_fetched |= is_elsewhere(&value);
            }
            let is_wordy = WORDY.contains(&name.as_str()) || WORDY_STARTS.iter().any(|start| name.starts_with(start));
            self.is_hidden |= is_wordy && value.contains(char::is_alphanumeric);
            // A refresh names its address in `content`.
            self.is_fetched |= name == "http-equiv" && value.trim().eq_ignore_ascii_case("refresh");
        }
    }

    fn add_element(&mut self, source: &str) {
        if is_style(source) {
            self.is_fetched |= style_fetches(&references(source));
        } else if !starts_with(source, "<!doctype") && !starts_with(source, "<?xml") {
            self.is_hidden |= source.contains(char::is_alphanumeric);
            self.is_fetched |= FETCHING_ELEMENTS.iter().any(|start| starts_with(source, start));
        }
    }
}

fn starts_with(source: &str, start: &str) -> bool {
    source.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// Returns whether an address leads out of the message.
fn is_elsewhere(address: &str) -> bool {
    let address = address.trim();
    let is_inside = ["cid:", "data:", "about:", "#"].iter().any(|start| starts_with(address, start));
    !address.is_empty() && !is_inside
}

/// Returns whether a style may fetch something. An escape can spell any word of it.
fn style_fetches(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    ["url(", "@import", "image-set(", "src(", "\\"].iter().any(|word| style.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_fetched_content_is_found() {
        for (html, is_hidden, is_fetched) in [
            (
                "<p style=\"color:red\">Hello <a href=\"https://a.example/\">you</a> <img src=cid:x alt=logo>",
                false,
                false,
            ),
            ("<!DOCTYPE html><html><body><p class=x>Hello<br>you</p></body></html>", false, false),
            ("<style>p { color: red }</style><p>Hello", false, false),
            ("<p>Hello<!-- secret -->", true, false),
            ("<!-- secret", true, false),
            ("<!-- --><p>Hello", false, false),
            ("<title>secret</title><p>Hello", true, false),
            ("<p title=secret>Hello", true, false),
            ("<p DATA-x=secret>Hello", true, false),
            ("<meta name=a content=secret>Hello", true, false),
            ("<textarea>secret</textarea>Hello", true, false),
            ("<img src=https://t.example/secret>Hello", false, true),
            ("<img SRC=\"&#104;ttps://t.example/secret\">Hello", false, true),
            ("<img src=//t.example/secret>Hello", false, true),
            ("<table background=http://t.example/x><tr><td>Hello", false, true),
            ("<link rel=stylesheet href=https://t.example/x>Hello", false, true),
            ("<svg><image xlink:href=https://t.example/x></svg>Hello", false, true),
            ("<p style=\"background:u\\72l(https://t.example)\">Hello", false, true),
            ("<style>@import 'https://t.example'</style>Hello", false, true),
            ("<meta http-equiv=refresh content='0;url=https://t.example'>Hello", true, true),
            ("<iframe src=https://t.example></iframe>Hello", true, true),
        ] {
            assert_eq!(unseen_content(html), UnseenContent { is_hidden, is_fetched }, "{html}");
        }
    }
}
