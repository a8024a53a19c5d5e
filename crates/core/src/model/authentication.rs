//! Who vouches for a mail that came in (RFC 7208, 6376, 7489, 8617).

use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// What one method said, in the words of RFC 8601, section 2.7.
    AuthResult {
        /// There is nothing to go by: no record, no signature.
        None = "none",
        /// It holds.
        Pass = "pass",
        /// It does not.
        Fail = "fail",
        /// The domain would rather not say that it does (SPF alone).
        SoftFail = "softfail",
        /// The domain says nothing of it, or the signature cannot be read.
        Neutral = "neutral",
        /// It holds, and is not taken: too weak a key, a part of the body left out.
        Policy = "policy",
        /// DNS did not answer; it says nothing about the mail.
        TempError = "temperror",
        /// The records cannot be understood.
        PermError = "permerror",
    }
}

/// The verdict on a mail, as the API shows it (`wire.md`, section 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// Whether the client may send for the domain of the envelope sender (RFC 7208).
    pub spf: AuthResult,
    /// The best of its signatures (RFC 6376).
    pub dkim: AuthResult,
    /// Whether one of the two speaks for the domain of From (RFC 7489).
    pub dmarc: AuthResult,
    /// The domain that a passing method speaks for and that is aligned with From; none where DMARC does not pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub aligned_domain: Option<String>,
    /// What the chain of those who handed the mail on says (RFC 8617): evidence for the reader, never a pass. None without
    /// a chain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arc: Option<AuthResult>,
}
