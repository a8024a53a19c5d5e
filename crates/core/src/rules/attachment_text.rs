//! Attachments that may have text, by what their mail says about them, and how much of it searches find.

use crate::model::Attachment;

/// Beginnings of media types with text.
const TYPES: &[&str] = &[
    "text/",
    "message/",
    "application/pdf",
    "application/rtf",
    "application/json",
    "application/xml",
    "application/xhtml+xml",
    "application/csv",
    "application/ics",
    "application/yaml",
    "application/x-yaml",
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.ms-word.document.macroenabled",
    "application/vnd.ms-excel.sheet.macroenabled",
    "application/vnd.ms-powerpoint.presentation.macroenabled",
    "application/vnd.oasis.opendocument.",
    "application/zip",
    "application/x-zip-compressed",
    "application/gzip",
    "application/x-gzip",
    "application/x-tar",
];
/// File extensions with text, for attachments of an unknown media type.
const EXTENSIONS: &[&str] = &[
    "pdf", "docx", "docm", "xlsx", "xlsm", "pptx", "pptm", "odt", "ods", "odp", "rtf", "html", "htm", "csv", "tsv",
    "txt", "md", "json", "xml", "yaml", "yml", "toml", "log", "ics", "vcf", "eml", "zip", "gz", "tgz", "tar",
];

/// Returns whether an attachment is of a kind that has text. The content decides whether it has some.
#[must_use]
pub fn may_have_text(attachment: &Attachment) -> bool {
    let kind = attachment.content_type.as_deref().unwrap_or_default().trim().to_ascii_lowercase();
    let extension = attachment.filename.as_deref().and_then(|name| name.rsplit_once('.'));
    let is_named = extension.is_some_and(|(_, end)| EXTENSIONS.contains(&end.to_ascii_lowercase().as_str()));
    attachment.size > 0 && (is_named || TYPES.iter().any(|known| kind.starts_with(known)))
}

/// Maximum number of attachments of a message with searchable text: the first ones that may have text.
pub const MAX_READ_ATTACHMENTS: usize = 20;
/// Maximum length in bytes of the searchable texts of all attachments of a message.
pub const MAX_INDEXED_BYTES: usize = 100 * 1024;

/// Searchable texts of the attachments of a message, within [`MAX_INDEXED_BYTES`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexedTexts {
    texts: Vec<String>,
    bytes: usize,
}

impl IndexedTexts {
    /// Adds the text of an attachment, up to the limit. An empty text is left out.
    pub fn push(&mut self, text: &str) {
        if self.is_full() {
            return;
        }
        let text = text.trim();
        let end = text.floor_char_boundary(MAX_INDEXED_BYTES.saturating_sub(self.bytes));
        let text = text.get(..end).unwrap_or_default();
        if !text.is_empty() {
            self.bytes += text.len();
            self.texts.push(text.to_owned());
        }
    }

    /// Returns the texts in the order of the attachments.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.texts
    }

    /// Returns the total length of the texts in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns whether another text would not fit. The last character may have left a few bytes.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes + char::MAX_LEN_UTF8 > MAX_INDEXED_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixtures;

    #[test]
    fn kind_and_name_decide() {
        for (content_type, filename, size, expected) in [
            (Some("Application/PDF; name=a"), None, 1, true),
            (Some("application/octet-stream"), Some("a.DOCX"), 1, true),
            (Some("image/png"), Some("a.png"), 1, false),
            (None, None, 1, false),
            (Some("text/plain"), Some("a.txt"), 0, false),
        ] {
            let attachment = Attachment {
                content_type: content_type.map(str::to_owned),
                filename: filename.map(str::to_owned),
                size,
                ..fixtures::attachment(7)
            };
            assert_eq!(may_have_text(&attachment), expected, "{attachment:?}");
        }
    }
    #[test]
    fn texts_are_cut_at_the_limit() {
        let mut texts = IndexedTexts::default();
        for text in [" one\n", "  ", &"ä".repeat(MAX_INDEXED_BYTES / 2), "late"] {
            texts.push(text);
        }
        assert_eq!(texts.as_slice()[0], "one");
        assert_eq!(texts.as_slice().len(), 2);
        assert_eq!(texts.bytes(), MAX_INDEXED_BYTES - 1);
        assert!(texts.is_full());
    }
}
