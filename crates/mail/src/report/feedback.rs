//! Body of `message/feedback-report` (RFC 5965, section 3).

use super::MAX_RECIPIENTS;
use super::field_groups::address;
use crate::address::EmailAddress;
use crate::wire::fields::fields;

/// Maximum length of a feedback kind in bytes.
const MAX_KIND_BYTES: usize = 64;

/// Feedback of a reader about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackReport {
    /// Kind in lower case, for instance `abuse`; `other` for an invalid one.
    pub kind: String,
    /// Recipients of the reported message, or those that requested removal, as far as the report names them.
    pub recipients: Vec<EmailAddress>,
}

impl FeedbackReport {
    /// Returns true for a complaint. `not-spam` is the opposite, and `auth-failure` (RFC 6591) concerns signatures.
    #[must_use]
    pub fn is_complaint(&self) -> bool {
        !matches!(self.kind.as_str(), "not-spam" | "auth-failure")
    }
}

/// Reads the body; `None` without the mandatory field.
pub(super) fn read(body: &[u8]) -> Option<FeedbackReport> {
    let mut kind = None;
    let mut original = Vec::new();
    let mut removal = Vec::new();
    for group in super::field_groups::groups(body) {
        for field in fields(group) {
            let recipients = if field.is("Original-Rcpt-To") {
                &mut original
            } else if field.is("Removal-Recipient") {
                &mut removal
            } else {
                if field.is("Feedback-Type") && kind.is_none() {
                    kind = Some(word(&field.text()));
                }
                continue;
            };
            if recipients.len() < MAX_RECIPIENTS {
                recipients.extend(address(&field.text()));
            }
        }
    }
    let recipients = if original.is_empty() { removal } else { original };
    kind.map(|kind| FeedbackReport { kind, recipients })
}

/// Returns the kind without surrounding comments.
fn word(value: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let word = value.split(|c: char| !is_part(c)).find(|word| !word.is_empty()).unwrap_or_default();
    let fits = (1..=MAX_KIND_BYTES).contains(&word.len());
    if fits { word.to_ascii_lowercase() } else { "other".to_owned() }
}
