//! Texts of the author of a message, wherever they stand. Secrets, received codes and links are searched in all of them.

use inboxd_mail::{
    AuthoredPart, EmailAddress, ParsedMail, authored_mail, html_references, text_from_html, visit_html_urls,
};

use crate::rules::sending_policy::{WrittenCodes, contains_link, is_data_url, leads_out};

/// Bytes of one attachment that are searched.
const MAX_SEARCHED_BYTES: usize = 1024 * 1024;
/// Header fields that the service creates or copies. `Content-Type` has the boundary.
const SERVICE_FIELDS: [&str; 8] = [
    "message-id",
    "in-reply-to",
    "references",
    "date",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "auto-submitted",
];
/// Header fields with names and addresses.
const ADDRESS_FIELDS: [&str; 4] = ["from", "reply-to", "to", "cc"];
/// Maximum of other characters between two of a code in a message.
const MESSAGE_GAP: u8 = 4;
/// The same in a file, which may have many numbers.
const FILE_GAP: u8 = 1;

/// Texts of the author, decoded.
#[derive(Debug, Default)]
pub(super) struct AuthorTexts {
    /// Other fields than those with addresses, bodies as shown and in their source, names and types of attachments.
    message: Vec<String>,
    /// Names and addresses, those of the envelope too.
    addresses: Vec<String>,
    /// Beginnings of attached files of text.
    files: Vec<String>,
    /// Beginnings of other attached files. Without NUL bytes, ASCII characters in UTF-16 are readable too.
    binaries: Vec<String>,
    /// Whether a URL in attributes or in CSS leads out of the message.
    leads_out: bool,
    /// Number of files: attached ones, whatever a reader makes of them, and those in URLs.
    files_count: usize,
}

impl AuthorTexts {
    /// Returns the URLs of attachments as texts.
    pub(super) fn of_urls(urls: &[String]) -> Self {
        let mut texts = Self::default();
        for url in urls {
            add(&mut texts.message, url.clone());
        }
        texts
    }

    /// Reads a composed message with the recipients of its envelope.
    pub(super) fn of(raw: &[u8], recipients: &[EmailAddress]) -> Self {
        let mail = authored_mail(raw, MAX_SEARCHED_BYTES);
        let mut texts = Self::default();
        for (name, value) in mail.fields {
            if is_one_of(&name, &ADDRESS_FIELDS) {
                add(&mut texts.addresses, value);
            } else if !is_service_field(&name) {
                add(&mut texts.message, name);
                add(&mut texts.message, value);
            }
        }
        for recipient in recipients {
            add(&mut texts.addresses, recipient.to_string());
        }
        for part in mail.parts {
            texts.add_part(part);
        }
        texts
    }

    fn add_part(&mut self, part: AuthoredPart) {
        let AuthoredPart { fields, media_type, is_attached, mut content } = part;
        content.retain(|byte| *byte != 0);
        let is_text = std::str::from_utf8(&content).err().is_none_or(|error| error.error_len().is_none());
        let content = String::from_utf8_lossy(&content).into_owned();
        let is_html = media_type.contains("html") || (is_attached && content.trim_start().starts_with('<'));
        if is_attached {
            self.files_count += 1;
            for field in fields {
                add(&mut self.message, field);
            }
        }
        let texts = match (is_attached, is_text) {
            (false, _) => &mut self.message,
            (true, true) => &mut self.files,
            (true, false) => &mut self.binaries,
        };
        if is_html {
            visit_html_urls(&content, |url| {
                self.leads_out |= leads_out(url);
                self.files_count += usize::from(is_data_url(url));
            });
            add(texts, text_from_html(&content));
        }
        if is_html || content.contains('&') {
            add(texts, html_references(&content).into_owned());
        }
        if !is_html {
            add(texts, content);
        }
    }

    /// Returns all texts.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.readable().chain(self.binaries.iter().map(String::as_str))
    }

    /// Returns all texts but those in files of other kinds, in which any program leaves URLs.
    fn readable(&self) -> impl Iterator<Item = &str> {
        [&self.message, &self.addresses, &self.files].into_iter().flatten().map(String::as_str)
    }

    pub(super) fn has_link(&self) -> bool {
        self.leads_out || self.readable().any(contains_link)
    }

    pub(super) fn files_count(&self) -> usize {
        self.files_count
    }

    /// Returns the texts in which codes are searched: without the addresses that are known, which may have any digits.
    pub(super) fn written_codes(&self, known: &[String]) -> [WrittenCodes; 2] {
        let unknown = |text: &String| known.iter().fold(text.to_lowercase(), |text, known| text.replace(known, " "));
        let addresses: Vec<String> = self.addresses.iter().map(unknown).collect();
        let message = self.message.iter().chain(&addresses).map(String::as_str);
        let files = self.files.iter().chain(&self.binaries).map(String::as_str);
        [WrittenCodes::of(message, MESSAGE_GAP), WrittenCodes::of(files, FILE_GAP)]
    }
}

/// Returns the mailboxes that replies go to, as the author named them.
pub(super) fn reply_addresses(mail: &ParsedMail) -> impl Iterator<Item = EmailAddress> {
    mail.reply_to.iter().filter_map(|named| named.address.parse().ok())
}

/// Returns whether the service creates or copies a header field.
pub(super) fn is_service_field(name: &str) -> bool {
    is_one_of(name, &SERVICE_FIELDS)
}

/// Returns whether a header field comes from a field of the request other than `headers`.
pub(super) fn is_request_field(name: &str) -> bool {
    is_one_of(name, &ADDRESS_FIELDS) || is_one_of(name, &["bcc", "subject"])
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Adds a text, and also without the escapes of URLs.
fn add(texts: &mut Vec<String>, text: String) {
    let plain = without_percent(&text);
    texts.push(text);
    texts.extend(plain);
}

/// Replaces the escapes of URLs (RFC 3986, section 2.1), if there are any.
fn without_percent(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut out = pieces.next()?.as_bytes().to_vec();
    let mut is_escaped = false;
    for piece in pieces {
        let decoded = piece.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        is_escaped |= decoded.is_some();
        out.push(decoded.unwrap_or(b'%'));
        let rest = if decoded.is_some() { piece.get(2..) } else { Some(piece) };
        out.extend_from_slice(rest.unwrap_or_default().as_bytes());
    }
    is_escaped.then(|| String::from_utf8_lossy(&out).into_owned())
}
