//! Evaluation of policies: the one place that every message passes on its way out.
//!
//! It runs in the unit of work that stores the message, under the lock of the organization. So a policy that changed
//! before binds the message, and amounts are exact.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use super::content::readable_text;
use super::store_batch::Submission;
use crate::model::{Inbox, KnownRecipient, OrganizationId, Policy, PolicyAction, PolicyAuthors, PolicyLevel};
use crate::ports::{StoreError, Tx};
use crate::rules::loops;
use crate::rules::sending_policy::{
    Decision, OutgoingFacts, RecentAmount, RecipientFacts, amount_name, decide, find_code,
};

/// Time for which a received code must not be passed on.
const CODE_LIFE: Duration = Duration::hours(24);
/// Received codes that are compared, the newest ones.
const MAX_CODES: u32 = 200;
/// Time for which a message counts.
const AMOUNT_WINDOW: Duration = Duration::hours(1);

/// Policies that bind the messages of a batch, read under the lock of their organization.
#[derive(Default)]
pub(super) struct BatchPolicies(Vec<Policy>);

impl BatchPolicies {
    /// Reads the policies of all scopes of the messages.
    pub(super) async fn read(tx: &mut dyn Tx, submissions: &[&Submission]) -> Result<Self, StoreError> {
        let mut levels: BTreeMap<OrganizationId, BTreeSet<PolicyLevel>> = BTreeMap::new();
        for submission in submissions {
            levels.entry(submission.inbox.organization_id).or_default().extend(levels_of(submission));
        }
        let mut policies = Vec::new();
        for (organization_id, levels) in levels {
            let levels: Vec<PolicyLevel> = levels.into_iter().collect();
            policies.extend(tx.policies().binding(organization_id, &levels).await?);
        }
        Ok(Self(policies))
    }

    /// Decides about a message.
    pub(super) async fn decide(
        &self,
        tx: &mut dyn Tx,
        submission: &Submission,
        now: OffsetDateTime,
    ) -> Result<Decision, StoreError> {
        let policies = self.binding(submission);
        if policies.is_empty() {
            return Ok(Decision::Allow);
        }
        let facts = facts(tx, submission, &policies, now).await?;
        Ok(decide(&policies, &facts))
    }

    /// Counts a message that leaves for the policies with amounts, and makes the recipients of an approved one known.
    pub(super) async fn count(
        &self,
        tx: &mut dyn Tx,
        submission: &Submission,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let Inbox { organization_id, inbox_id, .. } = &submission.inbox;
        let subjects = subjects(&self.binding(submission), &submission.recipients);
        if !subjects.is_empty() {
            tx.policies().count(*organization_id, &subjects, now).await?;
        }
        if submission.approved_by.is_some() {
            tx.policies().make_known(*organization_id, inbox_id, &submission.recipients, now).await?;
        }
        Ok(())
    }

    /// Returns the policies that bind the author of a message, the widest first.
    fn binding(&self, submission: &Submission) -> Vec<Policy> {
        let (levels, is_of_agent) = (levels_of(submission), loops::applies_to(&submission.actor));
        let binds = |policy: &&Policy| {
            policy.organization_id == submission.inbox.organization_id
                && levels.contains(&policy.level)
                && (is_of_agent || policy.rules.applies_to == PolicyAuthors::Everyone)
        };
        self.0.iter().filter(binds).cloned().collect()
    }
}

fn levels_of(submission: &Submission) -> Vec<PolicyLevel> {
    let Submission { inbox, actor, .. } = submission;
    PolicyLevel::reaching(inbox.pod_id, &inbox.inbox_id, actor)
}

/// Returns the facts that the policies ask for. Facts that none of them asks for keep their mildest value.
async fn facts(
    tx: &mut dyn Tx,
    submission: &Submission,
    policies: &[Policy],
    now: OffsetDateTime,
) -> Result<OutgoingFacts, StoreError> {
    let Submission { inbox, actor, recipients, content, .. } = submission;
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let asks = |asked: fn(&Policy) -> bool| policies.iter().any(asked);
    let asks_for_codes = asks(|policy| policy.rules.content.received_codes != PolicyAction::Allow);
    let asks_for_contacts = asks(|policy| {
        let rules = &policy.rules.recipients;
        rules.known != rules.first_contact
    });
    let known = if asks_for_codes || asks_for_contacts {
        tx.policies().known(*organization_id, inbox_id, recipients).await?
    } else {
        Vec::new()
    };
    let has_received_code = asks_for_codes && passes_code_on(tx, submission, &known, now).await?;
    let is_known = |address: &EmailAddress| known.iter().any(|known| known.address == address.normalized());
    Ok(OutgoingFacts {
        is_of_agent: loops::applies_to(actor),
        recipients: recipients
            .iter()
            .map(|address| RecipientFacts { is_known: is_known(address), address: address.clone() })
            .collect(),
        attachments: content.attachments,
        has_link: content.has_link,
        secret: content.secret,
        has_received_code,
        recent: recent(tx, submission, policies, now).await?,
        now,
    })
}

/// Returns whether a message passes a received code on: to others than its sender and the members.
async fn passes_code_on(
    tx: &mut dyn Tx,
    submission: &Submission,
    known: &[KnownRecipient],
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let is_member =
        |address: &EmailAddress| known.iter().any(|known| known.is_member && known.address == address.normalized());
    let others: BTreeSet<String> =
        submission.recipients.iter().filter(|address| !is_member(address)).map(EmailAddress::normalized).collect();
    if others.is_empty() {
        return Ok(false);
    }
    let text = readable_text(&submission.parsed);
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Ok(false);
    }
    let Inbox { organization_id, inbox_id, .. } = &submission.inbox;
    let mut codes = tx.policies().received_codes(*organization_id, inbox_id, now - CODE_LIFE, MAX_CODES).await?;
    codes.retain(|code| others.iter().any(|other| *other != code.from));
    Ok(find_code(&text, codes.iter().map(|code| code.code.as_str())).is_some())
}

/// Returns the recent messages within the scopes of the policies that limit amounts.
async fn recent(
    tx: &mut dyn Tx,
    submission: &Submission,
    policies: &[Policy],
    now: OffsetDateTime,
) -> Result<BTreeMap<PolicyLevel, RecentAmount>, StoreError> {
    let names: BTreeSet<String> = submission.recipients.iter().map(amount_name).collect();
    let subjects = subjects(policies, &submission.recipients);
    if subjects.is_empty() {
        return Ok(BTreeMap::new());
    }
    let after = now - AMOUNT_WINDOW;
    let counted = tx.policies().counted(submission.inbox.organization_id, &subjects, after).await?;
    let counted: BTreeMap<String, u32> = counted.into_iter().collect();
    let count = |subject: &str| counted.get(subject).copied().unwrap_or(0);
    let of_level = |level: &PolicyLevel| RecentAmount {
        messages: count(&subject(level, "")),
        to: names.iter().map(|name| (name.clone(), count(&subject(level, name)))).collect(),
    };
    Ok(policies.iter().map(|policy| (policy.level.clone(), of_level(&policy.level))).collect())
}

/// Returns the subjects under which a message is counted.
fn subjects(policies: &[Policy], recipients: &[EmailAddress]) -> Vec<String> {
    let names: BTreeSet<String> = recipients.iter().map(amount_name).collect();
    let mut subjects = BTreeSet::new();
    for Policy { level, rules, .. } in policies {
        if rules.amount.per_hour.is_some() {
            subjects.insert(subject(level, ""));
        }
        if rules.amount.per_recipient_hour.is_some() {
            subjects.extend(names.iter().map(|name| subject(level, name)));
        }
    }
    subjects.into_iter().collect()
}

fn subject(level: &PolicyLevel, recipient: &str) -> String {
    format!("{} {} {recipient}", level.kind(), level.id())
}
