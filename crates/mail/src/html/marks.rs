//! The marks by which mail programs tell what they quote.

use super::attributes::attribute;

/// What a start tag says about its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The element is a quotation, or the line above one.
    Quote,
    /// The element is a quotation if the line above it says whose.
    MaybeQuote,
    /// The element is a signature.
    Signature,
    /// What begins here is a quotation that goes on to the end of the mail.
    Rest,
}

/// Classes of quotations, and of the lines above them. Gmail's `gmail_quote` is one only on a block quotation: as a
/// division it holds the answers between the quotations too.
const QUOTE_CLASSES: &[&str] = &[
    "freebirdformquote",
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
/// Classes of signatures.
const SIGNATURE_CLASSES: &[&str] = &[
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
/// Ids of elements behind which everything is quoted.
const REST_IDS: &[&str] = &[
    "appendonsend",
    "divrplyfwdmsg",
    "olk_src_body_section",
    "replysplit",
    "stopspelling",
    "mail-editor-reference-message-container",
];
/// Ids of quotations.
const QUOTE_IDS: &[&str] = &["isreplycontent", "ntes-pcmac-reply", "composer-quoted-body", "qt"];

/// What a start tag marks, if anything.
pub(crate) fn mark(name: &str, attributes: &str) -> Option<Mark> {
    let is_block_quotation = name.eq_ignore_ascii_case("blockquote");
    if attributes.len() < 3 {
        return is_block_quotation.then_some(Mark::MaybeQuote);
    }
    let id = attribute(attributes, "id").unwrap_or_default().to_ascii_lowercase();
    // A mail that went through Outlook again has `x_` before every name, once each time.
    let id = id.trim_start_matches("x_");
    if REST_IDS.contains(&id) {
        return Some(Mark::Rest);
    }
    if SIGNATURE_IDS.contains(&id) {
        return Some(Mark::Signature);
    }
    let class = attribute(attributes, "class").unwrap_or_default().to_ascii_lowercase();
    let has_class =
        |wanted: &[&str]| class.split_ascii_whitespace().any(|given| wanted.contains(&given.trim_start_matches("x_")));
    if has_class(SIGNATURE_CLASSES) {
        return Some(Mark::Signature);
    }
    if has_class(QUOTE_CLASSES) || QUOTE_IDS.contains(&id) || id.starts_with("yahoo_quoted") {
        return Some(Mark::Quote);
    }
    if !is_block_quotation {
        return None;
    }
    let is_cited = attribute(attributes, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("cite"))
        || attribute(attributes, "cite").is_some()
        || has_class(&["gmail_quote", "mail_quote", "iwcontent-quote", "quote"]);
    Some(if is_cited { Mark::Quote } else { Mark::MaybeQuote })
}
