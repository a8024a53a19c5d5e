//! What speaks for a mail being spam.

use serde::{Deserialize, Serialize};

/// One thing that speaks for or against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpamReason {
    /// Its name, `GTUBE`.
    pub name: String,
    /// Its weight; below zero it speaks against spam.
    pub score: f64,
    /// What it means, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
}

/// What a filter made of a mail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpamReport {
    /// Which filter: `built-in`, `rspamd`.
    pub filter: String,
    /// Whether it is spam.
    pub is_spam: bool,
    /// All weights together.
    pub score: f64,
    /// From which score on a mail is spam.
    pub threshold: f64,
    /// Why, the heaviest first.
    pub reasons: Vec<SpamReason>,
}
