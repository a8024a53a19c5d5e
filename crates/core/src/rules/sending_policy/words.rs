//! Verdicts of policies in words, the same in refusals, events, tools and pages.

use crate::model::{PolicyAction, PolicyLevel, PolicyRule, PolicyVerdict};

/// Describes the verdict of a rule.
#[must_use]
pub fn describe(verdict: &PolicyVerdict) -> String {
    let whose = match &verdict.level {
        PolicyLevel::Organization => "the organization".to_owned(),
        PolicyLevel::Pod(_) => "the pod".to_owned(),
        PolicyLevel::Inbox(inbox_id) => format!("the inbox {inbox_id}"),
        PolicyLevel::ApiKey(_) => "the API key".to_owned(),
    };
    let does = match verdict.action {
        PolicyAction::Allow => "allows",
        PolicyAction::Hold => "holds for approval",
        PolicyAction::Refuse => "refuses",
    };
    let found = verdict.found.as_deref().unwrap_or_default();
    let what = match verdict.rule {
        PolicyRule::Known => format!("messages to {found}, a known correspondent"),
        PolicyRule::FirstContact => format!("a first contact: this inbox never wrote to {found}"),
        PolicyRule::Suspicious => "messages in a thread with a suspicious message".to_owned(),
        PolicyRule::HeldRecipient | PolicyRule::RefusedRecipient => format!("messages to {found}, which it lists"),
        PolicyRule::PerHour => format!("more than {found} messages in an hour"),
        PolicyRule::PerRecipientHour => format!("more messages to {found} within this hour"),
        PolicyRule::Attachments => format!("attachments, of which this message has {found}"),
        PolicyRule::Links => "messages with a link".to_owned(),
        PolicyRule::Secrets => format!("messages with a secret, here: {found}"),
        PolicyRule::ReceivedCodes => "messages that pass on a code that the inbox received".to_owned(),
        PolicyRule::Hours => format!("messages outside its hours ({found})"),
    };
    format!("the policy of {whose} {does} {what}")
}
