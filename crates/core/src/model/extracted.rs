//! What a mail hands over to whoever waits for it.

use serde::{Deserialize, Serialize};

/// A verification code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The code as it is typed in.
    pub code: String,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, on one line.
    pub context: String,
}

/// A link that confirms something when it is followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmingLink {
    /// Where it leads.
    pub url: String,
    /// What following it does, in the words of [`inboxd_mail::LinkKind`].
    pub kind: String,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, on one line.
    pub context: String,
}

/// What was found in the words of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// The codes, the surest first.
    pub codes: Vec<Code>,
    /// The links, the surest first.
    pub links: Vec<ConfirmingLink>,
    /// Whether it holds words that nobody sees who reads it.
    pub has_hidden_text: bool,
}

impl Extracted {
    /// Whether nothing was found, as in most mails.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
