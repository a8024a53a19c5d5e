//! What the author of a composed message wrote: every field and every part, however a reader shows them.

use super::content::ContentFields;
use super::tree;
use crate::sanitize;
use crate::wire::fields::{self, fields};
use crate::wire::{encoded_words, lines};

/// A composed message as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoredMail {
    /// All top-level fields in order, with names as written and values unfolded and decoded.
    pub fields: Vec<(String, String)>,
    /// Its text and its HTML, then its attachments.
    pub parts: Vec<AuthoredPart>,
}

/// A part of a composed message that is no multipart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoredPart {
    /// Decoded values of its own fields, with all parameters.
    pub fields: Vec<String>,
    /// `type/subtype` in lower case, by default `text/plain`.
    pub media_type: String,
    /// Whether the author attached it. The first part, and its alternative, are the text of the message.
    pub is_attached: bool,
    /// Decoded content: all of the text, and the beginning of an attachment.
    pub content: Vec<u8>,
}

/// Reads a message that [`compose`](crate::compose()) wrote. At most `limit` bytes of each attachment are read.
#[must_use]
pub fn authored_mail(raw: &[u8], limit: usize) -> AuthoredMail {
    let lines = lines::readable(raw);
    let parts = tree::walk(&lines);
    // `compose` writes this type for text beside HTML alone.
    let has_alternative = parts.iter().any(|part| part.content.media() == "multipart/alternative");
    let texts = if has_alternative { 2 } else { 1 };
    let leaves = parts.iter().filter(|part| part.children.is_empty());
    let parts = leaves.enumerate().map(|(place, part)| {
        let is_attached = place >= texts;
        let mut content = part.content.encoding.decode(part.bytes(&lines)).into_owned();
        if is_attached {
            content.truncate(limit);
        }
        AuthoredPart {
            fields: content_fields(&part.content),
            media_type: part.content.media().to_owned(),
            is_attached,
            content,
        }
    });
    let header = lines.get(..fields::block(&lines, 0, |_| false).end).unwrap_or_default();
    AuthoredMail { fields: written_fields(header), parts: parts.collect() }
}

/// Returns all fields, whatever their length.
fn written_fields(header: &[u8]) -> Vec<(String, String)> {
    let text = |value: &[u8]| {
        let value = sanitize::without_controls(&String::from_utf8_lossy(value), |c| c == '\t');
        encoded_words::decode(&value).into_owned()
    };
    fields(header).map(|field| (String::from_utf8_lossy(field.name).into_owned(), text(field.value))).collect()
}

/// Returns type, parameters, name and id of a part.
fn content_fields(content: &ContentFields) -> Vec<String> {
    let ContentFields { parameters, name, id, .. } = content;
    let mut found = vec![parameters.value.clone()];
    for (given, value) in &parameters.written {
        found.extend([given.clone(), value.clone()]);
        found.extend(given.split('*').next().and_then(|base| parameters.get(base)));
    }
    found.extend(name.iter().chain(id).cloned());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttachmentPart, Composition, Disposition, compose};

    #[test]
    fn every_field_and_part_of_a_composed_message_is_read() -> Result<(), Box<dyn std::error::Error>> {
        let attached = |disposition, content_type: &str, content_id: Option<&str>| AttachmentPart {
            filename: None,
            content_type: Some(content_type.to_owned()),
            disposition,
            content_id: content_id.map(str::to_owned),
            content: b"attached".to_vec(),
        };
        let inline = || attached(Disposition::Inline, "text/html; x=\"a b\"", Some("one@a.example"));
        for (text, html, attachments) in [
            (None, None, vec![]),
            (Some("t"), None, vec![inline()]),
            (None, Some("<p>h"), vec![inline(), attached(Disposition::Attachment, "image/png", None)]),
            (Some("t"), Some("<p>h"), vec![inline(), attached(Disposition::Inline, "text/plain", None)]),
        ] {
            let raw = compose(&Composition {
                subject: Some("Gr\u{fc}\u{df}e".to_owned()),
                text: text.map(str::to_owned),
                html: html.map(str::to_owned),
                attachments: attachments.clone(),
                ..Composition::new("A <a@a.example>".parse()?, "<1@a.example>".to_owned())
            })?;
            let mail = authored_mail(&raw, 6);
            assert!(mail.fields.contains(&("Subject".to_owned(), "Gr\u{fc}\u{df}e".to_owned())), "{:?}", mail.fields);
            let found: Vec<&AuthoredPart> = mail.parts.iter().filter(|part| part.is_attached).collect();
            assert_eq!(found.len(), attachments.len(), "{:?}", mail.parts);
            assert!(found.iter().all(|part| part.content == b"attach"), "{found:?}");
            let texts = mail.parts.iter().filter(|part| !part.is_attached);
            let texts: Vec<String> =
                texts.map(|part| String::from_utf8_lossy(&part.content).trim_end().to_owned()).collect();
            let expected: Vec<&str> = [text, html].into_iter().flatten().collect();
            assert_eq!(texts, if expected.is_empty() { vec![""] } else { expected });
            if let Some(part) = found.first() {
                assert!(
                    ["text/html", "x", "a b", "one@a.example"].iter().all(|one| part.fields.iter().any(|f| f == one))
                );
            }
        }
        Ok(())
    }
}
