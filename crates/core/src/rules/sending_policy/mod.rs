//! Policies of sending: what a message may do, by the rules of all scopes that bind it.
//!
//! Each rule of each policy has a verdict, and the strictest decides. So a nearer policy narrows and never widens.

mod codes;
mod hours;
mod links;
mod secrets;
mod validate;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

pub use self::codes::WrittenCodes;
pub use self::links::{contains_link, is_data_url, leads_out, recipient_of_url};
pub use self::secrets::{SecretKind, find_secret};
pub use self::validate::validate_rules;
pub use self::words::describe;
use super::lists::ListSubject;
use crate::model::{EntryName, Policy, PolicyAction, PolicyAuthors, PolicyLevel, PolicyRule, PolicyVerdict};

/// A recipient of a message, as the rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientFacts {
    /// The address.
    pub address: EmailAddress,
    /// Whether the inbox wrote to it, a person trusts it, or it belongs to a member.
    pub is_known: bool,
}

/// Messages of the last hour within the scope of a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecentAmount {
    /// All messages.
    pub messages: u32,
    /// Messages by recipient, see [`amount_name`].
    pub to: BTreeMap<String, u32>,
}

/// Facts about a message that is to leave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one message")]
pub struct OutgoingFacts {
    /// Whether an API key or a client writes it, and not a person by hand.
    pub is_of_agent: bool,
    /// Its recipients; of a fetch, the hosts.
    pub recipients: Vec<RecipientFacts>,
    /// Whether its thread has a suspicious message.
    pub continues_suspicious: bool,
    /// Number of attachments, with files in URLs.
    pub attachments: usize,
    /// Whether it contains a link, or a URL that a program reads.
    pub has_link: bool,
    /// First secret in it.
    pub secret: Option<SecretKind>,
    /// Whether it contains a code that the inbox received, and goes to others than the sender of the code.
    pub has_received_code: bool,
    /// Recent messages by scope; a scope that is absent has none.
    pub recent: BTreeMap<PolicyLevel, RecentAmount>,
    /// Time of the send.
    pub now: OffsetDateTime,
}

/// Decision about a message, with the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It leaves.
    Allow,
    /// It waits for an approval.
    Hold(PolicyVerdict),
    /// It is refused.
    Refuse(PolicyVerdict),
}

/// Decides about a message by the verdicts of the rules. The strictest decides; of equal ones the first.
#[must_use]
pub fn decide(verdicts: Vec<PolicyVerdict>) -> Decision {
    match verdicts.into_iter().min_by_key(|verdict| Reverse(verdict.action)) {
        Some(rule) if rule.action == PolicyAction::Refuse => Decision::Refuse(rule),
        Some(rule) if rule.action == PolicyAction::Hold => Decision::Hold(rule),
        _ => Decision::Allow,
    }
}

/// Returns whether a policy binds the author of a message.
#[must_use]
pub fn binds(policy: &Policy, is_of_agent: bool) -> bool {
    is_of_agent || policy.rules.applies_to == PolicyAuthors::Everyone
}

/// Returns the verdict of every rule that a message touches, in the order of the policies.
#[must_use]
pub fn verdicts(policies: &[Policy], facts: &OutgoingFacts) -> Vec<PolicyVerdict> {
    policies
        .iter()
        .filter(|policy| binds(policy, facts.is_of_agent))
        .flat_map(|policy| verdicts_of(policy, facts))
        .collect()
}

fn verdicts_of(policy: &Policy, facts: &OutgoingFacts) -> Vec<PolicyVerdict> {
    let rules = &policy.rules;
    let mut found: Vec<(PolicyRule, PolicyAction, Option<String>)> = facts
        .recipients
        .iter()
        .filter_map(|recipient| {
            let (rule, action) = recipient_rule(policy, recipient)?;
            Some((rule, action, Some(recipient.address.to_string())))
        })
        .collect();
    if facts.continues_suspicious {
        found.push((PolicyRule::Suspicious, rules.recipients.suspicious, None));
    }
    found.extend(amounts(policy, facts));
    let content = &rules.content;
    if facts.attachments > 0 {
        found.push((PolicyRule::Attachments, content.attachments, Some(facts.attachments.to_string())));
    }
    if facts.has_link {
        found.push((PolicyRule::Links, content.links, None));
    }
    if let Some(secret) = facts.secret {
        found.push((PolicyRule::Secrets, content.secrets, Some(secret.as_str().to_owned())));
    }
    if facts.has_received_code {
        found.push((PolicyRule::ReceivedCodes, content.received_codes, None));
    }
    if let Some(hours) = &rules.hours
        && !hours::contain(hours, facts.now)
    {
        found.push((PolicyRule::Hours, hours.outside, Some(hours.zone.clone())));
    }
    let verdict = |(rule, action, found)| PolicyVerdict { level: policy.level.clone(), rule, action, found };
    found.into_iter().map(verdict).collect()
}

/// Returns the rule about a recipient; `None` for one that the policy lists as allowed.
fn recipient_rule(policy: &Policy, recipient: &RecipientFacts) -> Option<(PolicyRule, PolicyAction)> {
    let rules = &policy.rules.recipients;
    let subject = ListSubject::of(&recipient.address);
    let is_on = |list: &[EntryName]| subject.names().any(|name| list.iter().any(|entry| entry.as_str() == name));
    // Mail to a tagged address reaches the same mailbox.
    let untagged = ListSubject::from_header(&recipient.address.without_tag());
    let is_mailbox_on = |list: &[EntryName]| {
        is_on(list) || untagged.names().any(|name| list.iter().any(|entry| entry.as_str() == name))
    };
    if is_mailbox_on(&rules.refuse) {
        Some((PolicyRule::RefusedRecipient, PolicyAction::Refuse))
    } else if is_mailbox_on(&rules.hold) {
        Some((PolicyRule::HeldRecipient, PolicyAction::Hold))
    } else if is_on(&rules.allow) {
        None
    } else if recipient.is_known {
        Some((PolicyRule::Known, rules.known))
    } else {
        Some((PolicyRule::FirstContact, rules.first_contact))
    }
}

/// Returns the verdicts about amounts that the message would exceed.
fn amounts(policy: &Policy, facts: &OutgoingFacts) -> Vec<(PolicyRule, PolicyAction, Option<String>)> {
    let rules = &policy.rules.amount;
    let none = RecentAmount::default();
    let recent = facts.recent.get(&policy.level).unwrap_or(&none);
    let mut found = Vec::new();
    if let Some(limit) = rules.per_hour.filter(|limit| recent.messages >= *limit) {
        found.push((PolicyRule::PerHour, rules.beyond, Some(limit.to_string())));
    }
    if let Some(limit) = rules.per_recipient_hour {
        let names = facts.recipients.iter().map(|recipient| amount_name(&recipient.address));
        let exceeded = names.filter(|name| recent.to.get(name).copied().unwrap_or(0) >= limit);
        found.extend(exceeded.map(|name| (PolicyRule::PerRecipientHour, rules.beyond, Some(name))));
    }
    found
}

/// Returns the name under which messages to an address are counted: without its tag, needless quotes and other forms of
/// the same domain.
#[must_use]
pub fn amount_name(address: &EmailAddress) -> String {
    let canonical = ListSubject::of(address).address().to_owned();
    canonical.parse().map_or(canonical, |address: EmailAddress| address.without_tag())
}
