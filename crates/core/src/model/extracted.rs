//! Codes, links and calendar messages extracted from messages.

use inboxd_mail::CalendarMessage;
use serde::{Deserialize, Serialize};

use super::string_enum::string_enum;

string_enum! {
    /// Effect of following a link.
    LinkKind {
        /// Confirms an address, an account or a subscription.
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
    /// The code as a person types it.
    pub code: String,
    /// Confidence in hundredths: 1 to 100.
    pub confidence: u8,
    /// Surrounding text on one line.
    pub context: String,
}

/// A link with an effect, such as a confirmation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedLink {
    /// Target of the link.
    pub url: String,
    /// Effect of following it.
    pub kind: LinkKind,
    /// Confidence in hundredths: 1 to 100.
    pub confidence: u8,
    /// Surrounding text on one line.
    pub context: String,
}

/// Findings in the text of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedFindings {
    /// Codes, the most confident first.
    pub codes: Vec<ExtractedCode>,
    /// Links, the most confident first.
    pub links: Vec<ExtractedLink>,
    /// Whether the message contains text that a reader does not see.
    pub has_hidden_text: bool,
    /// Signature of the author; absent too in messages from before its extraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Notices of the author's organization or of a service; absent too in messages from before its extraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
    /// Calendar message; absent too in messages from before its extraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<CalendarMessage>,
}
