//! Why a mail cannot be written.

use thiserror::Error;

/// What is wrong, and in which field of the composition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// CR, LF or NUL in something that goes into the header: it could add fields of its own.
    #[error("{field} holds a line break or NUL, which no header may hold")]
    HeaderInjection {
        /// The field, for instance `subject`, `to[1]` or `attachments[0].filename`.
        field: String,
    },
    /// NUL in the text or the HTML.
    #[error("{field} holds NUL")]
    NulInBody {
        /// `text` or `html`.
        field: String,
    },
    /// A field that the service writes itself.
    #[error("{field}: the header {name} is written by the service")]
    ReservedHeader {
        /// For instance `headers[0]`.
        field: String,
        /// The name that was given.
        name: String,
    },
    /// A name that no header field can have (RFC 5322 section 2.2), or longer than 76 characters.
    #[error("{field}: {name:?} is not a header name")]
    InvalidHeaderName {
        /// For instance `headers[0]`.
        field: String,
        /// The name that was given.
        name: String,
    },
    /// Longer than the service writes.
    #[error("{field} is longer than {limit} octets")]
    TooLong {
        /// The field.
        field: String,
        /// The most octets it may have.
        limit: usize,
    },
    /// Not `type/subtype`, or a multipart.
    #[error("{field} is not a media type such as text/plain")]
    InvalidContentType {
        /// For instance `attachments[0].content_type`.
        field: String,
    },
    /// Empty, or with white space, brackets or letters beyond ASCII.
    #[error("{field} is not a content id")]
    InvalidContentId {
        /// For instance `attachments[0].content_id`.
        field: String,
    },
    /// Not of the form `<left@right>`.
    #[error("{field} is not a message id of the form <left@right>")]
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
}
