//! Policies of sending, and approvals of held messages.

use std::collections::BTreeMap;

use inboxd_core::FieldError;
use inboxd_core::model::{
    self, AmountRules, ContentRules, EntryName, PolicyAction, PolicyDay, PolicyLevel, SendingHours,
};
use inboxd_core::rules::sending_policy::describe;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// What a rule does with a message: it leaves, waits for a person or is refused.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes the names of the model")]
pub(crate) enum PolicyActionName {
    Allow,
    Hold,
    Refuse,
}

/// Day of a week.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes the names of the model")]
pub(crate) enum PolicyDayName {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

/// Rules about recipients. The lists come first, in the order `refuse`, `hold`, `allow`.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = RecipientRules)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RecipientRulesView {
    /// Recipients that the inbox wrote to, contacts that a person trusts, and members.
    #[schema(value_type = PolicyActionName, required = false)]
    pub(crate) known: PolicyAction,
    /// All other recipients.
    #[schema(value_type = PolicyActionName, required = false)]
    pub(crate) first_contact: PolicyAction,
    /// Messages in a thread with a suspicious message.
    #[schema(value_type = PolicyActionName, required = false)]
    pub(crate) suspicious: PolicyAction,
    /// Addresses and domains that the policy always allows.
    #[schema(required = false)]
    pub(crate) allow: Vec<String>,
    /// Addresses and domains whose messages are held.
    #[schema(required = false)]
    pub(crate) hold: Vec<String>,
    /// Addresses and domains whose messages are refused.
    #[schema(required = false)]
    pub(crate) refuse: Vec<String>,
}

/// Rules about the number of messages within an hour.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = AmountRules)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AmountRulesView {
    /// Maximum of messages within the scope of the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 100_000)]
    per_hour: Option<u32>,
    /// Maximum of messages within the scope of the policy to one address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 100_000)]
    per_recipient_hour: Option<u32>,
    /// What happens to further messages; by default `refuse`.
    #[schema(value_type = PolicyActionName, required = false)]
    beyond: PolicyAction,
}

impl Default for AmountRulesView {
    fn default() -> Self {
        AmountRules::default().into()
    }
}

impl From<AmountRules> for AmountRulesView {
    fn from(AmountRules { per_hour, per_recipient_hour, beyond }: AmountRules) -> Self {
        Self { per_hour, per_recipient_hour, beyond }
    }
}

impl From<AmountRulesView> for AmountRules {
    fn from(AmountRulesView { per_hour, per_recipient_hour, beyond }: AmountRulesView) -> Self {
        Self { per_hour, per_recipient_hour, beyond }
    }
}

/// Rules about content.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ContentRules)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ContentRulesView {
    /// Messages with an attachment.
    #[schema(value_type = PolicyActionName, required = false)]
    attachments: PolicyAction,
    /// Messages with a link.
    #[schema(value_type = PolicyActionName, required = false)]
    links: PolicyAction,
    /// Messages with a key, a token or a card number.
    #[schema(value_type = PolicyActionName, required = false)]
    secrets: PolicyAction,
    /// Messages with a code that the inbox received, to others than its sender and the members.
    #[schema(value_type = PolicyActionName, required = false)]
    received_codes: PolicyAction,
}

impl From<ContentRules> for ContentRulesView {
    fn from(ContentRules { attachments, links, secrets, received_codes }: ContentRules) -> Self {
        Self { attachments, links, secrets, received_codes }
    }
}

impl From<ContentRulesView> for ContentRules {
    fn from(ContentRulesView { attachments, links, secrets, received_codes }: ContentRulesView) -> Self {
        Self { attachments, links, secrets, received_codes }
    }
}

/// Hours in which messages may leave.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = SendingHours)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendingHoursView {
    /// Time zone (IANA).
    #[schema(example = "Europe/Berlin")]
    zone: String,
    /// Days on which the hours begin.
    #[schema(value_type = Vec<PolicyDayName>, min_items = 1)]
    days: Vec<PolicyDay>,
    /// Time of day at which they begin.
    #[schema(example = "09:00", pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    from: String,
    /// Time of day at which they end; at or before `from` on the next day.
    #[schema(example = "17:00", pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    until: String,
    /// What happens to messages at other times; by default `hold`.
    #[serde(default = "held")]
    #[schema(value_type = PolicyActionName, required = false)]
    outside: PolicyAction,
}

fn held() -> PolicyAction {
    PolicyAction::Hold
}

impl SendingHoursView {
    /// Returns the hours; `None` after a problem with a time of day.
    pub(crate) fn into_hours(self, problems: &mut Vec<FieldError>) -> Option<SendingHours> {
        let mut minute = |name: &str, text: &str| {
            let read = minute_of(text);
            if read.is_none() {
                problems.push(FieldError::new(format!("hours.{name}"), "is a time of day such as 09:00"));
            }
            read
        };
        let (from, until) = (minute("from", &self.from), minute("until", &self.until));
        Some(SendingHours { zone: self.zone, days: self.days, from: from?, until: until?, outside: self.outside })
    }
}

impl From<SendingHours> for SendingHoursView {
    fn from(SendingHours { zone, days, from, until, outside }: SendingHours) -> Self {
        let [from, until] = [from, until].map(SendingHours::time_of_day);
        Self { zone, days, from, until, outside }
    }
}

/// Reads a time of day such as 09:00.
fn minute_of(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let number = |digits: &str, below: u16| {
        let is_pair = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<u16>().ok().filter(|number| is_pair && *number < below)
    };
    Some(number(hour, 24)? * 60 + number(minute, 60)?)
}

/// Policy of sending: which messages leave, wait for a person or are refused.
#[derive(Serialize, ToSchema)]
#[schema(as = Policy)]
pub(crate) struct PolicyView {
    /// `organization`, `pod`, `inbox` or `api_key`.
    scope: &'static str,
    /// Id of the pod, inbox or API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scope_id: Option<String>,
    /// `agents` or `everyone`.
    applies_to: &'static str,
    recipients: RecipientRulesView,
    amount: AmountRulesView,
    content: ContentRulesView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    hours: Option<SendingHoursView>,
    /// Author of the last change; absent for the policy of a new organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    updated_by: Option<ActorView>,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Policy> for PolicyView {
    fn from(policy: model::Policy) -> Self {
        let rules = policy.rules;
        let names = |entries: Vec<EntryName>| entries.iter().map(|entry| entry.as_str().to_owned()).collect();
        Self {
            scope: policy.level.kind(),
            scope_id: scope_id(&policy.level),
            applies_to: rules.applies_to.as_str(),
            recipients: RecipientRulesView {
                known: rules.recipients.known,
                first_contact: rules.recipients.first_contact,
                suspicious: rules.recipients.suspicious,
                allow: names(rules.recipients.allow),
                hold: names(rules.recipients.hold),
                refuse: names(rules.recipients.refuse),
            },
            amount: rules.amount.into(),
            content: rules.content.into(),
            hours: rules.hours.map(SendingHoursView::from),
            updated_by: policy.updated_by.map(ActorView::from),
            updated_at: format_time(policy.updated_at),
        }
    }
}

fn scope_id(level: &PolicyLevel) -> Option<String> {
    Some(level.id()).filter(|id| !id.is_empty())
}

/// Rule that decided about a message.
#[derive(Serialize, ToSchema)]
#[schema(as = PolicyRule)]
pub(crate) struct PolicyRuleView {
    /// Path of the rule in the policy.
    #[schema(example = "recipients.first_contact")]
    rule: &'static str,
    /// Scope of the policy: `organization`, `pod`, `inbox` or `api_key`.
    scope: &'static str,
    /// Id of the pod, inbox or API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scope_id: Option<String>,
    /// `allow`, `hold` or `refuse`.
    action: &'static str,
    /// What the rule found: an address, the kind of a secret or a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    found: Option<String>,
    /// The rule in words.
    reason: String,
}

impl From<&model::PolicyVerdict> for PolicyRuleView {
    fn from(verdict: &model::PolicyVerdict) -> Self {
        Self {
            rule: verdict.rule.as_str(),
            scope: verdict.level.kind(),
            scope_id: scope_id(&verdict.level),
            action: verdict.action.as_str(),
            found: verdict.found.clone(),
            reason: describe(verdict),
        }
    }
}

/// Approval that a held message waits for.
#[derive(Serialize, ToSchema)]
#[schema(as = Approval)]
pub(crate) struct ApprovalView {
    /// Id of the held message. It changes when the draft is sent again.
    message_id: String,
    /// Rule that held the message.
    rule: PolicyRuleView,
    /// Author of the message, which cannot approve it.
    author: ActorView,
    /// Sender (From) of the held message.
    from: String,
    /// All addresses to which the held message leaves, those of Bcc included.
    recipients: Vec<String>,
    /// `hidden_content`: it has text that its recipient may not see. `fetched_content`: a program that shows it fetches content from elsewhere. `cut_content`: it is longer than the draft shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<&'static str>,
    /// Header fields that the author set in `headers`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    headers: BTreeMap<String, String>,
    /// Time of the send that was held.
    #[schema(format = DateTime)]
    held_at: String,
    /// Time until which it can be approved.
    #[schema(format = DateTime)]
    expires_at: String,
    /// Reason of the rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<String>,
}

impl From<model::Approval> for ApprovalView {
    fn from(approval: model::Approval) -> Self {
        Self {
            message_id: approval.message_id.to_string(),
            rule: PolicyRuleView::from(&approval.rule),
            author: approval.author.into(),
            from: approval.from,
            recipients: approval.recipients,
            warnings: approval.warnings.into_iter().map(model::HeldWarning::as_str).collect(),
            headers: approval.headers.into_iter().collect(),
            held_at: format_time(approval.held_at),
            expires_at: format_time(approval.expires_at),
            reason: approval.reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_in_one_form() {
        for (text, expected) in [
            ("00:00", Some(0)),
            ("09:30", Some(570)),
            ("23:59", Some(1439)),
            ("24:00", None),
            ("09:60", None),
            ("9:30", None),
            ("+9:30", None),
            ("0930", None),
            ("", None),
        ] {
            assert_eq!(minute_of(text), expected, "{text}");
        }
    }
}
