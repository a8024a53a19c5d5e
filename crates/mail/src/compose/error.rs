//! Why a mail cannot be written.

use std::error::Error;
use std::fmt;

/// What is wrong, and in which field of the composition.
///
/// It is shown as a sentence that begins with the field; [`reason`](Self::reason) is the rest of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComposeError {
    /// CR, LF or NUL in something that goes into the header: it could add fields of its own.
    HeaderInjection {
        /// The field, for instance `subject`, `to[1]` or `attachments[0].filename`.
        field: String,
    },
    /// NUL in the text or the HTML.
    NulInBody {
        /// `text` or `html`.
        field: String,
    },
    /// A field that the service writes itself.
    ReservedHeader {
        /// For instance `headers.X-Tag`.
        field: String,
        /// The name that was given.
        name: String,
    },
    /// A name that no header field can have (RFC 5322 section 2.2), or longer than 76 characters.
    InvalidHeaderName {
        /// For instance `headers.X-Tag`.
        field: String,
        /// The name that was given.
        name: String,
    },
    /// Longer than the service writes.
    TooLong {
        /// The field.
        field: String,
        /// The most octets it may have.
        limit: usize,
    },
    /// Not `type/subtype`, or a multipart.
    InvalidContentType {
        /// For instance `attachments[0].content_type`.
        field: String,
    },
    /// Empty, longer than 500 octets, or with white space, brackets or letters beyond ASCII.
    InvalidContentId {
        /// For instance `attachments[0].content_id`.
        field: String,
    },
    /// Not of the form `<left@right>`.
    InvalidMessageId {
        /// `message_id`, `in_reply_to` or `references[0]`.
        field: String,
    },
}

impl ComposeError {
    /// The field of the composition that is at fault.
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

    /// What is wrong with the field, without its name: `is not a content id`.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::HeaderInjection { .. } => "holds a line break or NUL, which no header may hold".to_owned(),
            Self::NulInBody { .. } => "holds NUL".to_owned(),
            Self::ReservedHeader { name, .. } => format!("names the header {name}, which the service writes itself"),
            Self::InvalidHeaderName { name, .. } => format!("names {name:?}, which is not a header name"),
            Self::TooLong { limit, .. } => format!("is longer than {limit} octets"),
            Self::InvalidContentType { .. } => "is not a media type such as text/plain".to_owned(),
            Self::InvalidContentId { .. } => {
                "is not a content id: at most 500 letters, digits and signs of ASCII without spaces".to_owned()
            }
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

/// Everything for which a mail cannot be written; at least one thing.
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
