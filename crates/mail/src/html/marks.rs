//! Marks of mail programs for quotations and signatures.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::references;
use super::tokens::{TokenKind, tokens};
use crate::{reply, sanitize};

/// Number of tokens, and of bytes of each, searched for the first words of a forward after the start of a quotation.
const MAX_LOOKAHEAD: (usize, usize) = (40, 200);

/// Meaning of a start tag for quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementMark {
    /// A quotation, or the line above one.
    Quote,
    /// A quotation if the line above is an attribution.
    MaybeQuote,
    /// A signature.
    Signature,
    /// A quotation from here to the end of the message.
    Rest,
}

/// Classes of quotations and of the lines above them.
///
/// The class `gmail_quote` counts only on a block quotation, because a division with it also contains the replies
/// between quotations.
const QUOTE_CLASSES: &[&str] = &[
    "freebirdformquote",
    "freshdesk_quote",
    "front-blockquote",
    "gmail_attr",
    "hs_reply",
    "moz-cite-prefix",
    "protonmail_quote",
    "sh-quoted-content",
    "spark_quote",
    "superhuman-quote",
    "trix-content-quote",
    "tutanota_quote",
    "yahoo_quoted",
    "zd-quote",
    "zmail_extra",
    "zmail_extra_hr",
];
/// Classes of block quotations.
const CITE_CLASSES: &[&str] = &["gmail_quote", "iwcontent-quote", "mail_quote", "quote"];
/// Classes of signatures.
const SIGNATURE_CLASSES: &[&str] = &[
    "bloop_sign",
    "edo-signature",
    "front-signature",
    "gmail_signature",
    "gmail_signature_prefix",
    "moz-signature",
    "protonmail_signature_block",
    "sh-signature",
    "tutanota_signature",
];
/// Ids of signatures.
const SIGNATURE_IDS: &[&str] = &[
    "applemailsignature",
    "lbb_signature",
    "mail-editor-signature",
    "ms-outlook-mobile-signature",
    "protonmail_mobile_signature_block",
    "signature",
    "ydpsignature",
    "ymail_android_signature",
    "zm_sign",
];
/// Ids of elements after which everything is quoted.
const TRAILING_QUOTE_IDS: &[&str] = &[
    "appendonsend",
    "divrplyfwdmsg",
    "olk_src_body_section",
    "replysplit",
    "stopspelling",
    "mail-editor-reference-message-container",
];
/// Ids of quotations.
const QUOTE_IDS: &[&str] = &["isreplycontent", "ntes-pcmac-reply", "composer-quoted-body", "qt"];

/// Returns the mark of a start tag.
pub(crate) fn mark(tag: HtmlTag, attributes: &ElementAttributes<'_>) -> Option<ElementMark> {
    let is_block_quotation = tag == HtmlTag::Blockquote;
    let id = bare(attributes.id.unwrap_or_default().trim());
    if is_among(id, TRAILING_QUOTE_IDS) {
        return Some(ElementMark::Rest);
    }
    if is_among(id, SIGNATURE_IDS) {
        return Some(ElementMark::Signature);
    }
    let has_class = |wanted: &[&str]| {
        attributes.class.is_some_and(|all| all.split_ascii_whitespace().any(|one| is_among(bare(one), wanted)))
    };
    if has_class(SIGNATURE_CLASSES) {
        return Some(ElementMark::Signature);
    }
    let is_yahoo = id.get(.."yahoo_quoted".len()).is_some_and(|start| start.eq_ignore_ascii_case("yahoo_quoted"));
    if has_class(QUOTE_CLASSES) || is_among(id, QUOTE_IDS) || is_yahoo {
        return Some(ElementMark::Quote);
    }
    if !is_block_quotation {
        return None;
    }
    let is_cited = attributes.kind.is_some_and(|kind| kind.eq_ignore_ascii_case("cite"))
        || attributes.cite.is_some()
        || has_class(CITE_CLASSES);
    Some(if is_cited { ElementMark::Quote } else { ElementMark::MaybeQuote })
}

/// Strips the prefix `x_`, which Outlook adds to each name every time a message passes through it.
fn bare(name: &str) -> &str {
    name.trim_start_matches("x_")
}

fn is_among(name: &str, names: &[&str]) -> bool {
    !name.is_empty() && names.iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// Returns true if a quotation, given the HTML after its start tag, begins like a forward, which is new content.
pub(super) fn starts_forward(behind: &str) -> bool {
    let (max_tokens, max_bytes) = MAX_LOOKAHEAD;
    for token in tokens(behind).take(max_tokens) {
        match token.kind {
            TokenKind::Text(text) => {
                let text = references(sanitize::truncate(text, max_bytes));
                if !text.trim().is_empty() {
                    return reply::is_forward(text.trim());
                }
            }
            TokenKind::Open(name, source_attributes) => {
                let (tag, attributes) = (HtmlTag::of(name), ElementAttributes::read(source_attributes));
                if tag == HtmlTag::Image || mark(tag, &attributes) == Some(ElementMark::Signature) {
                    return false;
                }
            }
            TokenKind::Close(_) | TokenKind::Unseen => {}
        }
    }
    false
}
