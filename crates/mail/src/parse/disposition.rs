//! Disposition of an attachment.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Intended display of an attachment (RFC 2183).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disposition {
    /// Inside the text.
    Inline,
    /// Separate from the text.
    Attachment,
}

impl Disposition {
    /// Returns `inline` or `attachment`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Attachment => "attachment",
        }
    }
}

impl fmt::Display for Disposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error for a text other than the two dispositions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("disposition is neither `inline` nor `attachment`")]
pub struct UnknownDisposition;

impl FromStr for Disposition {
    type Err = UnknownDisposition;

    fn from_str(text: &str) -> Result<Self, UnknownDisposition> {
        match text.trim().to_ascii_lowercase().as_str() {
            "inline" => Ok(Self::Inline),
            "attachment" => Ok(Self::Attachment),
            _ => Err(UnknownDisposition),
        }
    }
}
