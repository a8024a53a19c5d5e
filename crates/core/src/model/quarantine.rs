//! Quarantine of received messages, and the checks that clients of compatible APIs know as Agent Armor.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{Actor, EventId, FeedbackId};

string_enum! {
    /// What happens to a received message that shows signs of an attack. Each mode is stricter than the one before.
    QuarantineMode {
        /// It is delivered, and no event reports the check.
        Off = "off",
        /// It is delivered, and an event reports the check of each message.
        Monitor = "monitor",
        /// It is held until a person releases it.
        Hold = "hold",
    }
}

/// Quarantine of each scope that an inbox belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuarantineScopes {
    /// Mode of the organization.
    pub organization: QuarantineMode,
    /// Own mode of the pod; `None` leaves it to the organization.
    pub pod: Option<QuarantineMode>,
    /// Own mode of the inbox; `None` leaves it to the organization and the pod.
    pub inbox: Option<QuarantineMode>,
}

string_enum! {
    /// Verdict of the check.
    SecurityVerdict {
        /// No signs of an attack.
        Clear = "clear",
        /// Signs of an attack.
        Review = "review",
    }
}

string_enum! {
    /// Opinion about a verdict.
    FeedbackValue {
        /// The review was right.
        CorrectReview = "correct_review",
        /// The review was wrong.
        IncorrectReview = "incorrect_review",
        /// A clear message is a threat.
        MissedThreat = "missed_threat",
        /// The instructions to agents in the message are legitimate.
        LegitimateAgentInstruction = "legitimate_agent_instruction",
        /// The message is spam or phishing, and no attack on an agent.
        SpamOrPhishing = "spam_or_phishing",
    }
}

/// Result of the check of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecurityResult {
    /// The verdict.
    pub verdict: SecurityVerdict,
    /// Reasons in words, none of which come from the sender.
    pub reason: String,
    /// Release of the rules that judged the message.
    pub model: String,
    /// Time of the judgement.
    #[serde(with = "time::serde::rfc3339")]
    pub completed_at: OffsetDateTime,
}

/// Release of a held message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRelease {
    /// Id of the release, and of its event.
    pub override_id: EventId,
    /// Author.
    pub actor: Actor,
    /// Reason, as the author gave it.
    pub reason: String,
    /// Time of the release.
    #[serde(with = "time::serde::rfc3339")]
    pub released_at: OffsetDateTime,
}

/// Feedback on the verdict about a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecurityFeedback {
    /// Id.
    pub feedback_id: FeedbackId,
    /// The opinion.
    pub feedback: FeedbackValue,
    /// Anything else about the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Author.
    pub actor: Actor,
    /// The verdict that the feedback is about.
    pub original_verdict: SecurityVerdict,
    /// Release of the rules of that verdict.
    pub model: String,
    /// Time of the feedback.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}
