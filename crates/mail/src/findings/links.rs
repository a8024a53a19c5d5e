//! Links that confirm something when they are followed.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What following a link does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// Confirms an address, an account, a subscription.
    Confirm,
    /// Signs in.
    SignIn,
    /// Sets a new password.
    ResetPassword,
    /// Accepts an invitation.
    Invitation,
}

impl LinkKind {
    /// `confirm`, `sign_in`, `reset_password`, `invitation`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::SignIn => "sign_in",
            Self::ResetPassword => "reset_password",
            Self::Invitation => "invitation",
        }
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names none of the kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a kind of link is `confirm`, `sign_in`, `reset_password` or `invitation`")]
pub struct UnknownLinkKind;

impl FromStr for LinkKind {
    type Err = UnknownLinkKind;

    fn from_str(text: &str) -> Result<Self, UnknownLinkKind> {
        let all = [Self::Confirm, Self::SignIn, Self::ResetPassword, Self::Invitation];
        all.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownLinkKind)
    }
}

/// A link that confirms something when it is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedLink {
    /// Where it leads, `http` or `https`, at most 2,048 octets.
    pub url: String,
    /// What following it does.
    pub kind: LinkKind,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, its own words included, on one line, at most 200 characters.
    pub context: String,
}

/// The links of a mail that confirm something, the surest first, at most 10.
#[must_use]
pub fn extract_links(_subject: Option<&str>, _text: &str, _html: Option<&str>) -> Vec<ExtractedLink> {
    Vec::new()
}
