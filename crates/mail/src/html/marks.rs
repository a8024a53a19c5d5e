//! The marks by which mail programs tell what they quote.

use super::attributes::{attribute, references};
use super::tokens::{Kind, Token};

/// How much text behind a marker is looked at to tell a forward or a header block.
const LOOK_AHEAD: usize = 40;

/// What a start tag says about its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The element is a quotation, or the line above one.
    Quote,
    /// The element is a signature.
    Signature,
    /// The element starts a quotation that goes on to the end of the mail.
    Rest,
    /// The element holds a mail that is passed on: nothing from here on is taken out.
    Forward,
}

/// What the start tag at `at` marks, if anything.
pub(crate) fn mark(name: &str, attributes: &str, all: &[Token<'_>], at: usize) -> Option<Mark> {
    let id = attribute(attributes, "id").unwrap_or_default().to_ascii_lowercase();
    let class = attribute(attributes, "class").unwrap_or_default().to_ascii_lowercase();
    let has_class = |wanted: &[&str]| class.split_whitespace().any(|given| wanted.contains(&given));
    let tail = |text: &str| text.rsplit_once("x_").map_or(text.to_owned(), |(_, bare)| bare.to_owned());

    if matches!(tail(&id).as_str(), "appendonsend" | "divrplyfwdmsg" | "replysplit" | "stopspelling") {
        return Some(Mark::Rest);
    }
    if is_outlook_rule(name, attributes) && text_behind(all, at).starts_with("From:") {
        return Some(Mark::Rest);
    }
    if has_class(&["gmail_signature", "moz-signature", "protonmail_signature_block"])
        || id == "ms-outlook-mobile-signature"
    {
        return Some(Mark::Signature);
    }
    if has_class(&["moz-forward-container"]) {
        return Some(Mark::Forward);
    }
    let is_quote = has_class(&[
        "gmail_quote",
        "gmail_quote_container",
        "gmail_attr",
        "moz-cite-prefix",
        "yahoo_quoted",
        "protonmail_quote",
        "zmail_extra",
        "tutanota_quote",
        "hs_reply",
        "front-blockquote",
    ]) || id.starts_with("yahoo_quoted")
        || id == "mail-editor-reference-message-container"
        || (name.eq_ignore_ascii_case("blockquote")
            && attribute(attributes, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("cite")));
    if !is_quote {
        return None;
    }
    let behind = text_behind(all, at).to_ascii_lowercase();
    let start = behind.trim_start_matches(['-', ' ']);
    let passes_on = ["forwarded message", "begin forwarded message"].iter().any(|words| start.starts_with(words));
    Some(if passes_on { Mark::Forward } else { Mark::Quote })
}

/// The line that desktop Outlook draws above what it quotes.
fn is_outlook_rule(name: &str, attributes: &str) -> bool {
    name.eq_ignore_ascii_case("div")
        && attribute(attributes, "style").is_some_and(|style| style.to_ascii_lowercase().contains("border-top"))
}

/// The first words behind a token.
fn text_behind(all: &[Token<'_>], at: usize) -> String {
    let mut words = String::new();
    for token in all.iter().skip(at + 1).take(LOOK_AHEAD) {
        if let Kind::Text(text) = token.kind {
            let window = crate::clean::truncate(text, LOOK_AHEAD * 4);
            words.push_str(&references(window));
            words = words.trim_start().to_owned();
            if words.len() >= LOOK_AHEAD {
                break;
            }
        }
    }
    words
}
