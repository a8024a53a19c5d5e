//! What a mail hands over to whoever waits for it.

use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// What following a link does.
    LinkKind {
        /// Confirms an address, an account, a subscription.
        Confirm = "confirm",
        /// Signs in.
        SignIn = "sign_in",
        /// Sets a new password.
        ResetPassword = "reset_password",
        /// Accepts an invitation.
        Invitation = "invitation",
    }
}

impl From<inboxd_mail::LinkKind> for LinkKind {
    fn from(kind: inboxd_mail::LinkKind) -> Self {
        match kind {
            inboxd_mail::LinkKind::Confirm => Self::Confirm,
            inboxd_mail::LinkKind::SignIn => Self::SignIn,
            inboxd_mail::LinkKind::ResetPassword => Self::ResetPassword,
            inboxd_mail::LinkKind::Invitation => Self::Invitation,
        }
    }
}

/// A verification code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedCode {
    /// The code as it is typed in.
    pub code: String,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, on one line.
    pub context: String,
}

/// A link that confirms something when it is followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedLink {
    /// Where it leads.
    pub url: String,
    /// What following it does.
    pub kind: LinkKind,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, on one line.
    pub context: String,
}

/// What was found in the words of a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// The codes, the surest first.
    pub codes: Vec<ExtractedCode>,
    /// The links, the surest first.
    pub links: Vec<ExtractedLink>,
    /// Whether it holds words that nobody sees who reads it.
    pub has_hidden_text: bool,
}
