//! Text of attachments: readers of documents and of pictures.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::AttachmentTextRefusal;

/// Form of the text of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// Plain text.
    Text,
    /// Markdown with headings, lists, links and tables.
    Markdown,
}

/// A document of a stranger with what its mail says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedDocument {
    /// Content bytes.
    pub content: Vec<u8>,
    /// Media type as sent.
    pub content_type: Option<String>,
    /// File name as sent.
    pub filename: Option<String>,
}

/// Text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedText {
    /// Text or Markdown.
    pub text: String,
    /// True if a part beyond the limits is missing.
    pub is_cut: bool,
}

/// Reads documents of strangers, within bounds of time and memory that no document can exceed.
#[async_trait]
pub trait AttachmentText: Send + Sync {
    /// Returns the text of a document.
    async fn extract(
        &self,
        document: AttachedDocument,
        format: TextFormat,
    ) -> Result<ExtractedText, AttachmentTextRefusal>;
}

/// Reads the words in pictures and scanned pages (optical character recognition). inboxd has no implementation.
#[async_trait]
pub trait TextRecognizer: Send + Sync {
    /// Returns the words of a document that has none as text.
    async fn recognize(&self, document: AttachedDocument) -> Result<ExtractedText, AttachmentTextRefusal>;
}
