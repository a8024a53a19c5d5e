//! Authentication results of received messages (RFC 7208, 6376, 7489, 8617).

use serde::{Deserialize, Serialize};

use super::string_enum::string_enum;

string_enum! {
    /// Result of one method (RFC 8601, section 2.7).
    AuthResult {
        /// No record or no signature.
        None = "none",
        /// The check passed.
        Pass = "pass",
        /// The check failed.
        Fail = "fail",
        /// The domain probably does not authorize the client (SPF alone).
        SoftFail = "softfail",
        /// The domain makes no assertion, or the signature is unreadable.
        Neutral = "neutral",
        /// The signature is valid but not accepted, for example for a weak key or a body that is signed in part.
        Policy = "policy",
        /// DNS failed for now; the result is unknown.
        TempError = "temperror",
        /// The records are invalid.
        PermError = "permerror",
    }
}

/// Authentication results of a message as the API shows them (`wire.md`, section 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// Authorization of the client by the domain of the envelope sender (RFC 7208).
    pub spf: AuthResult,
    /// Best result of the signatures (RFC 6376).
    pub dkim: AuthResult,
    /// Alignment of either with the domain of From (RFC 7489).
    pub dmarc: AuthResult,
    /// The authenticated domain that is aligned with From; `None` without a DMARC pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub aligned_domain: Option<String>,
    /// Result of the ARC chain (RFC 8617): evidence for the reader, never a pass. `None` without a chain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub arc: Option<AuthResult>,
}
