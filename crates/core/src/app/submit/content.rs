//! Facts about the content of a composed message, for policies.

use inboxd_mail::{ParsedMail, attachment_contents, html_links, text_from_html};

use crate::rules::sending_policy::{SecretKind, contains_link, find_secret};

/// Bytes of one attachment that are searched for secrets.
const MAX_SEARCHED_BYTES: usize = 1024 * 1024;
/// Header fields whose values the author sets with fields of the request. The service writes `Auto-Submitted`.
const REQUEST_FIELDS: [&str; 6] = ["to", "cc", "bcc", "reply-to", "subject", "auto-submitted"];
/// Header fields whose values the service creates or copies.
const OWN_FIELDS: [&str; 8] = [
    "message-id",
    "in-reply-to",
    "references",
    "date",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "from",
];

/// Facts about content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ContentFacts {
    pub(super) attachments: usize,
    pub(super) has_link: bool,
    pub(super) secret: Option<SecretKind>,
}

impl ContentFacts {
    /// Reads the facts of a message: from its fields, its texts and its attachments of text.
    pub(super) fn of(raw: &[u8], mail: &ParsedMail) -> Self {
        let fields = mail.headers.iter().filter(|(name, _)| !is_one_of(name, &OWN_FIELDS));
        let secret = fields
            .map(|(_, value)| value.as_str())
            .chain(mail.text.as_deref())
            .chain(mail.html.as_deref())
            .find_map(find_secret)
            .or_else(|| mail.html.as_deref().and_then(|html| find_secret(&text_from_html(html))))
            .or_else(|| secret_in_attachments(raw, mail));
        let is_linked = |html: &str| !html_links(html).is_empty() || contains_link(html);
        Self {
            attachments: mail.attachments.len(),
            has_link: mail.text.as_deref().is_some_and(contains_link) || mail.html.as_deref().is_some_and(is_linked),
            secret,
        }
    }
}

/// Returns the header fields that the author set in `headers`.
pub(super) fn custom_fields(mail: &ParsedMail) -> Vec<(String, String)> {
    let is_custom = |name: &str| !is_one_of(name, &OWN_FIELDS) && !is_one_of(name, &REQUEST_FIELDS);
    mail.headers.iter().filter(|(name, _)| is_custom(name)).cloned().collect()
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn secret_in_attachments(raw: &[u8], mail: &ParsedMail) -> Option<SecretKind> {
    let names = mail.attachments.iter().filter_map(|attachment| attachment.filename.as_deref());
    names
        .map(find_secret)
        .find(Option::is_some)
        .flatten()
        .or_else(|| attachment_texts(raw, mail).iter().find_map(|text| find_secret(text)))
}

/// Returns the beginnings of the attachments as text. Without NUL bytes, ASCII characters in UTF-16 are readable too.
pub(super) fn attachment_texts(raw: &[u8], mail: &ParsedMail) -> Vec<String> {
    if mail.attachments.is_empty() {
        return Vec::new();
    }
    let parts: Vec<usize> = mail.attachments.iter().map(|attachment| attachment.part).collect();
    let text = |content: &[u8]| {
        let searched = content.get(..MAX_SEARCHED_BYTES).unwrap_or(content);
        let searched: Vec<u8> = searched.iter().copied().filter(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&searched).into_owned()
    };
    attachment_contents(raw, &parts).iter().flatten().map(|content| text(content)).collect()
}

/// Returns all text of a message, but of its attachments, in which a recipient would read a code.
pub(super) fn readable_text(mail: &ParsedMail) -> String {
    let html = mail.html.as_deref().map(text_from_html);
    let names = mail.attachments.iter().filter_map(|attachment| attachment.filename.clone());
    let fields = custom_fields(mail).into_iter().map(|(_, value)| value);
    [mail.subject.clone(), mail.text.clone(), html]
        .into_iter()
        .flatten()
        .chain(names)
        .chain(fields)
        .collect::<Vec<_>>()
        .join("\n")
}
