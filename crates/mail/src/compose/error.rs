//! Errors of message composition.

use std::error::Error;
use std::fmt;

/// An error and the field of the composition that caused it.
///
/// `Display` writes a sentence that begins with the field; [`reason`](Self::reason) returns the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComposeError {
    /// CR, LF or NUL in a header value, which could inject further fields.
    HeaderInjection {
        /// Field path, for instance `subject`, `to[1]` or `attachments[0].filename`.
        field: String,
    },
    /// NUL in the text or the HTML.
    NulInBody {
        /// `text` or `html`.
        field: String,
    },
    /// Header field that only the service writes.
    ReservedHeader {
        /// Field path, for instance `headers.X-Tag`.
        field: String,
        /// Rejected header name.
        name: String,
    },
    /// Invalid header name (RFC 5322, section 2.2), or one of more than 76 characters.
    InvalidHeaderName {
        /// Field path, for instance `headers.X-Tag`.
        field: String,
        /// Rejected header name.
        name: String,
    },
    /// Value beyond the limit of the service.
    TooLong {
        /// Field path.
        field: String,
        /// Maximum length in bytes.
        limit: usize,
    },
    /// Anything other than `type/subtype`, or a multipart type.
    InvalidContentType {
        /// Field path, for instance `attachments[0].content_type`.
        field: String,
    },
    /// Empty, longer than 500 bytes, or with white space, brackets or letters beyond ASCII.
    InvalidContentId {
        /// Field path, for instance `attachments[0].content_id`.
        field: String,
    },
    /// Identifier that lacks the form `<left@right>`.
    InvalidMessageId {
        /// Field path: `message_id`, `in_reply_to` or `references[0]`.
        field: String,
    },
}

impl ComposeError {
    /// Returns the path of the invalid field.
    #[must_use]
    pub fn field(&self) -> &str {
        match self {
            Self::HeaderInjection { field }
            | Self::NulInBody { field }
            | Self::ReservedHeader { field, .. }
            | Self::InvalidHeaderName { field, .. }
            | Self::TooLong { field, .. }
            | Self::InvalidContentType { field }
            | Self::InvalidContentId { field }
            | Self::InvalidMessageId { field } => field,
        }
    }

    /// Returns the cause without the field path: `is not a content id`.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::HeaderInjection { .. } => "contains a line break or NUL".to_owned(),
            Self::NulInBody { .. } => "contains NUL".to_owned(),
            Self::ReservedHeader { name, .. } => format!("names the reserved header {name}"),
            Self::InvalidHeaderName { name, .. } => format!("names {name:?}, which is not a header name"),
            Self::TooLong { limit, .. } => format!("exceeds {limit} bytes"),
            Self::InvalidContentType { .. } => "is not a media type such as text/plain".to_owned(),
            Self::InvalidContentId { .. } => "is not a content id: at most 500 visible ASCII characters".to_owned(),
            Self::InvalidMessageId { .. } => "is not a message id of the form <left@right>".to_owned(),
        }
    }
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field(), self.reason())
    }
}

impl Error for ComposeError {}

/// All errors of a message; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposeErrors(pub(crate) Vec<ComposeError>);

impl fmt::Display for ComposeErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, error) in self.0.iter().enumerate() {
            let separator = if place == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl Error for ComposeErrors {}

impl IntoIterator for ComposeErrors {
    type Item = ComposeError;
    type IntoIter = std::vec::IntoIter<ComposeError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
