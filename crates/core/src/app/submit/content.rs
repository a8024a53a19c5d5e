//! Facts about the content of a composed message, for policies.

use inboxd_mail::{ParsedMail, attachment_contents, html_links, html_references, text_from_html};

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
            .flat_map(|(name, value)| [name.as_str(), value.as_str()])
            .chain(mail.text.as_deref())
            .find_map(find_secret)
            .or_else(|| {
                mail.html.as_deref().and_then(|html| html_texts(html).iter().find_map(|text| find_secret(text)))
            })
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
    attachment_names(mail)
        .find_map(find_secret)
        .or_else(|| attachment_texts(raw, mail).iter().find_map(|text| find_secret(text)))
}

/// Returns the names and the content ids of the attachments.
fn attachment_names(mail: &ParsedMail) -> impl Iterator<Item = &str> {
    let attachments = mail.attachments.iter();
    attachments.flat_map(|attachment| [attachment.filename.as_deref(), attachment.content_id.as_deref()]).flatten()
}

/// Returns HTML as a reader sees it, and its source with attributes, comments and hidden text.
fn html_texts(html: &str) -> [String; 2] {
    [text_from_html(html), html_references(html).into_owned()]
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

/// Returns all text of a message, but of its attachments, in which a code may be: what a recipient reads, and the
/// attributes of HTML, from which a server reads it.
pub(super) fn readable_text(mail: &ParsedMail) -> String {
    let html = mail.html.as_deref().map(html_texts);
    let fields = custom_fields(mail).into_iter().flat_map(|(name, value)| [name, value]);
    [mail.subject.clone(), mail.text.clone()]
        .into_iter()
        .flatten()
        .chain(html.into_iter().flatten())
        .chain(attachment_names(mail).map(str::to_owned))
        .chain(fields)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use inboxd_mail::parse;

    use super::*;

    #[test]
    fn secrets_and_codes_are_found_in_every_part_of_a_message() {
        let key = "AKIAIOSFODNN7ABCDEFG";
        let hidden = key.replace("AKIA", "&#65;KIA");
        for (part, is_found) in [
            (format!("X-{key}: 1\r\n\r\nplain"), true),
            (format!("X-Note: {key}\r\n\r\nplain"), true),
            (format!("Content-Type: text/html\r\n\r\n<img src='https://a.example/{hidden}.png'>"), true),
            (format!("Content-Type: text/html\r\n\r\n<p hidden>{key}</p>"), true),
            (format!("Content-Type: text/html\r\n\r\n<!-- {key} -->plain"), true),
            (
                format!("Content-Type: image/png\r\nContent-ID: <{key}>\r\nContent-Disposition: attachment\r\n\r\n1"),
                true,
            ),
            ("Content-Type: text/html\r\n\r\n<p style='color: #123456'>plain</p>".to_owned(), false),
        ] {
            let raw = format!("From: a@a.example\r\nTo: b@b.example\r\n{part}\r\n");
            let mail = parse(raw.as_bytes());
            assert_eq!(ContentFacts::of(raw.as_bytes(), &mail).secret.is_some(), is_found, "{raw}");
            assert_eq!(readable_text(&mail).contains(key), is_found, "{raw}");
        }
    }
}
