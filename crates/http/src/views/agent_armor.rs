//! Checks of received messages, their releases and the feedback on them, with the names of compatible APIs.

use inboxd_core::model::{Actor, MessageRelease, SecurityFeedback, SecurityResult};
use inboxd_core::rules::security;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::{WireTime, format_time};

/// Result of the check of a received message. The check ends before the message is stored.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentArmor)]
pub(crate) struct AgentArmorView {
    /// Always `complete`.
    #[schema(value_type = String, pattern = "^complete$")]
    status: &'static str,
    /// `clear`, or `review` for a message with signs of an attack.
    #[schema(value_type = String, example = "clear")]
    verdict: &'static str,
    /// Reasons in words of this service. `trust` has them for machines.
    reason: String,
    /// Release of the rules that judged the message.
    #[schema(example = json!(security::MODEL))]
    model: String,
    /// Time of the judgement.
    #[schema(value_type = String, format = DateTime)]
    completed_at: WireTime,
    /// Release of the message, if it was held.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    manual_override: Option<ManualOverrideView>,
}

impl AgentArmorView {
    /// Returns a result with the release of its message.
    pub(super) fn new(result: SecurityResult, release: Option<MessageRelease>) -> Self {
        Self {
            status: "complete",
            verdict: result.verdict.as_str(),
            reason: result.reason,
            model: result.model,
            completed_at: WireTime(result.completed_at),
            manual_override: release.map(ManualOverrideView::from),
        }
    }
}

/// Release of a held message.
#[derive(Serialize, ToSchema)]
#[schema(as = ManualOverride)]
pub(crate) struct ManualOverrideView {
    /// Id of the release, and of its event.
    override_id: String,
    /// Author of the release.
    actor: ArmorActorView,
    /// Reason of the release.
    reason: String,
    /// Always `review`.
    #[schema(value_type = String, pattern = "^review$")]
    original_verdict: &'static str,
    /// Time of the release.
    #[schema(format = DateTime)]
    released_at: String,
}

impl From<MessageRelease> for ManualOverrideView {
    fn from(release: MessageRelease) -> Self {
        Self {
            override_id: release.override_id.to_string(),
            actor: release.actor.into(),
            reason: release.reason,
            original_verdict: "review",
            released_at: format_time(release.released_at),
        }
    }
}

/// Released message.
#[derive(Serialize, ToSchema)]
#[schema(as = ReleasedMessage)]
pub(crate) struct ReleasedMessageView {
    /// Record of the release.
    manual_override: ManualOverrideView,
}

impl From<MessageRelease> for ReleasedMessageView {
    fn from(release: MessageRelease) -> Self {
        Self { manual_override: release.into() }
    }
}

/// Author of a release or of feedback.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentArmorActor)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ArmorActorView {
    /// API key.
    ApiKey {
        /// Id of the API key.
        api_key_id: String,
    },
    /// Member of the organization.
    Console {
        /// Id of the member.
        member_id: String,
    },
}

impl From<Actor> for ArmorActorView {
    fn from(actor: Actor) -> Self {
        match actor {
            Actor::Member { member_id, .. } => Self::Console { member_id: member_id.to_string() },
            Actor::ApiKey { api_key_id, .. } => Self::ApiKey { api_key_id: api_key_id.to_string() },
        }
    }
}

/// Feedback on the verdict about a message.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentArmorFeedback)]
pub(crate) struct AgentArmorFeedbackView {
    /// Id of the feedback.
    feedback_id: String,
    /// The opinion.
    #[schema(value_type = String, example = "incorrect_review")]
    feedback: &'static str,
    /// Anything else about the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    notes: Option<String>,
    /// Author of the feedback.
    actor: ArmorActorView,
    /// Verdict that the feedback is about: `clear` or `review`.
    #[schema(value_type = String, example = "review")]
    original_verdict: &'static str,
    /// Release of the rules of that verdict.
    model: String,
    /// Time of the feedback.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<SecurityFeedback> for AgentArmorFeedbackView {
    fn from(given: SecurityFeedback) -> Self {
        Self {
            feedback_id: given.feedback_id.to_string(),
            feedback: given.feedback.as_str(),
            notes: given.notes,
            actor: given.actor.into(),
            original_verdict: given.original_verdict.as_str(),
            model: given.model,
            created_at: format_time(given.created_at),
        }
    }
}

/// Message of an event about a check. It has no content of the message.
#[derive(Serialize, ToSchema)]
#[schema(as = CheckedMessage)]
pub(super) struct CheckedMessageView {
    /// Id of the organization.
    pub(super) organization_id: String,
    /// Id of the inbox.
    pub(super) inbox_id: String,
    /// Id of the message.
    pub(super) message_id: String,
    /// Result of the check.
    pub(super) agent_armor: AgentArmorView,
}

/// Message of an event about a release. It has no content of the message.
#[derive(Serialize, ToSchema)]
#[schema(as = OverriddenMessage)]
pub(super) struct OverriddenMessageView {
    /// Id of the organization.
    pub(super) organization_id: String,
    /// Id of the inbox.
    pub(super) inbox_id: String,
    /// Id of the message.
    pub(super) message_id: String,
    /// Record of the release.
    pub(super) manual_override: ManualOverrideView,
}
