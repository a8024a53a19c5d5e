//! Evaluation of policies: the one place that every message passes on its way out.
//!
//! It runs in the unit of work that stores the message, under the lock of the organization. So a policy that changed
//! before binds the message, and amounts are exact.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use super::content::ContentFacts;
use super::store_batch::Submission;
use crate::app::{App, received_codes};
use crate::model::{
    Actor, HidingLabels, Inbox, KnownRecipient, OrganizationId, Policy, PolicyAction, PolicyLevel, PolicyRules,
    PolicyVerdict, ReceivedCode, RecipientRules, ThreadId,
};
use crate::ports::{BindingPolicies, StoreError, Tx};
use crate::rules::loops;
use crate::rules::sending_policy::{OutgoingFacts, RecentAmount, RecipientFacts, amount_name, binds, verdicts};
use crate::{Error, PolicyError};

/// Time for which a message counts.
const AMOUNT_WINDOW: Duration = Duration::hours(1);

/// A message, or the URLs that are to be fetched for one, as policies see it.
#[derive(Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) inbox: &'a Inbox,
    /// Author of the content.
    pub(super) actor: &'a Actor,
    pub(super) recipients: &'a [EmailAddress],
    pub(super) content: &'a ContentFacts,
    /// Thread that the message continues.
    pub(super) thread_id: Option<ThreadId>,
    pub(super) reads: CodeReads,
    /// Later time at which it leaves.
    pub(super) leaves_at: Option<OffsetDateTime>,
}

/// Hidden mail whose received codes count: all for what leaves, and for a dry run what its caller may read; `None` if no
/// codes count.
pub(super) type CodeReads = Option<HidingLabels>;

impl<'a> From<&'a Submission> for Judged<'a> {
    fn from(submission: &'a Submission) -> Self {
        let Submission { inbox, actor, recipients, content, place, reads, leaves_at, .. } = submission;
        let (thread_id, reads, leaves_at) = (place.thread_id, *reads, *leaves_at);
        Self { inbox, actor, recipients, content, thread_id, reads, leaves_at }
    }
}

/// Policies that bind the messages of a batch, read under the lock of their organization.
#[derive(Default)]
pub(super) struct BatchPolicies(BindingPolicies);

impl BatchPolicies {
    /// Reads the policies of all scopes of the messages.
    pub(super) async fn read(tx: &mut dyn Tx, messages: &[Judged<'_>]) -> Result<Self, StoreError> {
        let mut levels: BTreeMap<OrganizationId, BTreeSet<PolicyLevel>> = BTreeMap::new();
        for message in messages {
            levels.entry(message.inbox.organization_id).or_default().extend(levels_of(message));
        }
        let mut all = BindingPolicies::default();
        for (organization_id, levels) in levels {
            let levels: Vec<PolicyLevel> = levels.into_iter().collect();
            let BindingPolicies { policies, revoked } = tx.policies().binding(organization_id, &levels).await?;
            all.policies.extend(policies);
            all.revoked.extend(revoked);
        }
        Ok(Self(all))
    }

    /// Refuses content of a key that was revoked after its request began, or before a person sends it: the policy of the key
    /// is gone with it.
    pub(super) fn require_live_key(&self, author: &Actor, sender: &Actor) -> Result<(), Error> {
        match author {
            Actor::ApiKey { api_key_id, name } if self.0.revoked.contains(api_key_id) => {
                let is_sender = author.id() == sender.id();
                Err(if is_sender { Error::UnknownApiKey } else { PolicyError::AuthorRevoked(name.clone()).into() })
            }
            _ => Ok(()),
        }
    }

    /// Returns the verdict of each rule that a message touches.
    pub(super) async fn verdicts(
        &self,
        app: &App,
        tx: &mut dyn Tx,
        message: &Judged<'_>,
        now: OffsetDateTime,
    ) -> Result<Vec<PolicyVerdict>, StoreError> {
        let policies = self.binding(message);
        if policies.is_empty() {
            return Ok(Vec::new());
        }
        let facts = facts(app, tx, message, &policies, now).await?;
        Ok(verdicts(&policies, &facts))
    }

    /// Counts a message that leaves for the policies with amounts.
    pub(super) async fn count(
        &self,
        tx: &mut dyn Tx,
        message: &Judged<'_>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let subjects = subjects(&self.binding(message), message.recipients);
        if subjects.is_empty() {
            return Ok(());
        }
        tx.policies().count(message.inbox.organization_id, &subjects, now).await
    }

    /// Returns the policies that bind the author of a message, the widest first.
    fn binding(&self, message: &Judged<'_>) -> Vec<Policy> {
        let (levels, is_of_agent) = (levels_of(message), loops::applies_to(message.actor));
        let binds = |policy: &&Policy| {
            policy.organization_id == message.inbox.organization_id
                && levels.contains(&policy.level)
                && binds(policy, is_of_agent)
        };
        self.0.policies.iter().filter(binds).cloned().collect()
    }
}

fn levels_of(message: &Judged<'_>) -> Vec<PolicyLevel> {
    let Judged { inbox, actor, .. } = message;
    PolicyLevel::reaching(inbox.pod_id, &inbox.inbox_id, actor)
}

/// Returns whether a rule depends on earlier mail, or its words do.
fn asks_for_history(rules: &RecipientRules) -> bool {
    rules.known != PolicyAction::Allow || rules.first_contact != PolicyAction::Allow
}

/// Returns the facts that the policies ask for. Facts that none of them asks for keep their mildest value.
async fn facts(
    app: &App,
    tx: &mut dyn Tx,
    message: &Judged<'_>,
    policies: &[Policy],
    now: OffsetDateTime,
) -> Result<OutgoingFacts, StoreError> {
    let Judged { inbox, actor, recipients, content, thread_id, reads, leaves_at } = *message;
    let Inbox { organization_id, inbox_id, .. } = inbox;
    // Hours and amounts are those of the time at which the message leaves.
    let at = leaves_at.unwrap_or(now);
    let asks = |asked: fn(&PolicyRules) -> bool| policies.iter().any(|policy| asked(&policy.rules));
    let mut codes = match reads {
        Some(reads) if asks(|rules| rules.content.received_codes != PolicyAction::Allow) => {
            received_codes::of_inbox(app, tx, inbox, reads, now).await?
        }
        _ => Vec::new(),
    };
    let known = if !codes.is_empty() || asks(|rules| asks_for_history(&rules.recipients)) {
        let addresses: Vec<EmailAddress> = recipients.iter().chain(&content.reply_to).cloned().collect();
        tx.policies().known(*organization_id, inbox_id, &addresses).await?
    } else {
        Vec::new()
    };
    if !codes.is_empty() {
        retain_written(&mut codes, message, &known);
    }
    let find = |address: &EmailAddress| known.iter().find(|known| known.address == address.normalized());
    // A code may go to its sender and to members.
    let learns = |address: &&EmailAddress| !find(address).is_some_and(|known| known.is_member);
    let learners: Vec<String> = recipients.iter().filter(learns).map(EmailAddress::normalized).collect();
    let continues_suspicious = match thread_id {
        Some(thread_id) if asks(|rules| rules.recipients.suspicious != PolicyAction::Allow) => {
            tx.policies().has_suspicious(*organization_id, inbox_id, thread_id).await?
        }
        _ => false,
    };
    Ok(OutgoingFacts {
        is_of_agent: loops::applies_to(actor),
        recipients: recipients
            .iter()
            .map(|address| RecipientFacts { is_known: find(address).is_some(), address: address.clone() })
            .collect(),
        continues_suspicious,
        attachments: content.attachments,
        has_link: content.has_link,
        secret: content.secret,
        has_received_code: codes.iter().any(|code| learners.iter().any(|learner| *learner != code.from)),
        recent: recent(tx, message, policies, at).await?,
        now: at,
    })
}

/// Keeps the codes that a message contains.
fn retain_written(codes: &mut Vec<ReceivedCode>, message: &Judged<'_>, known: &[KnownRecipient]) {
    let inbox = message.inbox.inbox_id.as_str().to_lowercase();
    let known: Vec<String> = known.iter().map(|known| known.address.clone()).chain([inbox]).collect();
    let written = message.content.texts.written_codes(&known);
    let named: Vec<&str> = codes.iter().map(|code| code.code.as_str()).collect();
    let found: BTreeSet<usize> = written.iter().flat_map(|written| written.find(&named)).collect();
    let mut places = 0..;
    codes.retain(|_| places.next().is_some_and(|place| found.contains(&place)));
}

/// Returns the recent messages within the scopes of the policies that limit amounts.
async fn recent(
    tx: &mut dyn Tx,
    message: &Judged<'_>,
    policies: &[Policy],
    now: OffsetDateTime,
) -> Result<BTreeMap<PolicyLevel, RecentAmount>, StoreError> {
    let names: BTreeSet<String> = message.recipients.iter().map(amount_name).collect();
    let subjects = subjects(policies, message.recipients);
    if subjects.is_empty() {
        return Ok(BTreeMap::new());
    }
    let after = now - AMOUNT_WINDOW;
    let counted = tx.policies().counted(message.inbox.organization_id, &subjects, after).await?;
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
