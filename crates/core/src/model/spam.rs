//! Spam reports of messages.

use serde::{Deserialize, Serialize};

/// One signal for or against spam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpamReason {
    /// Name, `GTUBE`.
    pub name: String,
    /// Weight; a negative one speaks against spam.
    pub score: f64,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
}

/// Result of a spam filter for a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpamReport {
    /// Name of the filter: `built-in`, `rspamd`.
    pub filter: String,
    /// Whether the message is spam.
    pub is_spam: bool,
    /// Sum of the weights.
    pub score: f64,
    /// Score from which a message is spam.
    pub threshold: f64,
    /// Signals, the heaviest first.
    pub reasons: Vec<SpamReason>,
}
