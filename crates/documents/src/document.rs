//! Document, the bounds of its reading and its text.

/// Form of extracted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// Plain text; tabs separate the cells of tables.
    Plain,
    /// Markdown with headings, lists, links and tables (GitHub Flavored Markdown).
    Markdown,
}

/// Bounds on what is read from a document and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Characters of text; more are cut.
    pub max_chars: usize,
    /// Unpacked bytes of the parts of a packed document together.
    pub max_unpacked_bytes: usize,
    /// Files of an archive or an office document.
    pub max_entries: usize,
    /// Pages, slides and sheets; more are cut.
    pub max_pages: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self { max_chars: 1_000_000, max_unpacked_bytes: 64 * 1024 * 1024, max_entries: 10_000, max_pages: 2_000 }
    }
}

/// A document with what its sender says about it.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Content bytes.
    pub content: &'a [u8],
    /// Media type as sent.
    pub content_type: Option<&'a str>,
    /// File name as sent.
    pub filename: Option<&'a str>,
}

/// Text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentText {
    /// Text or Markdown, without control characters except line breaks and tabs.
    pub text: String,
    /// True if characters or pages beyond a limit are missing.
    pub is_cut: bool,
}
