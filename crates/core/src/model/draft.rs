//! Drafts: messages before they are sent.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    Actor, Approval, ApprovalStatus, Attachment, DraftId, InboxId, Labels, MessageId, OrganizationId, PodId, ThreadId,
};

/// Label of every draft.
pub const DRAFT: &str = "draft";
/// Label of a scheduled draft.
pub const SCHEDULED: &str = "scheduled";
/// Label of a draft that waits for an approval.
pub const AWAITING_APPROVAL: &str = "awaiting_approval";

/// Kind of the message that a draft becomes, fixed at creation (`wire.md`, section 3, Draft). A held forward becomes plain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftKind {
    /// A message that begins a thread.
    Plain,
    /// A reply.
    Reply {
        /// Id, in the inbox, of the message replied to.
        in_reply_to: MessageId,
        /// Its thread.
        thread_id: ThreadId,
        /// References, oldest first; the last is the original Message-ID of the message replied to.
        references: Vec<MessageId>,
    },
    /// A forwarded message.
    Forward {
        /// Id of the forwarded message. Its text and attachments are read at the send.
        forward_of: MessageId,
    },
}

/// Progress of the send of a draft, as the API shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendStatus {
    /// The draft waits for its time.
    Scheduled,
    /// The draft is being sent.
    Sending,
    /// The scheduled send was refused.
    Failed,
}

impl SendStatus {
    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Sending => "sending",
            Self::Failed => "failed",
        }
    }
}

/// Schedule and claim of a draft.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendSchedule {
    /// Scheduled time; `None` without a schedule.
    pub send_at: Option<OffsetDateTime>,
    /// Whether the scheduled send was refused.
    pub has_failed: bool,
    /// Expiry of the claim of a sender.
    pub claimed_until: Option<OffsetDateTime>,
    /// Number of writes, claims included. A sender deletes the revision that it claimed, or nothing.
    pub revision: u64,
}

impl SendSchedule {
    /// Returns the status that the API shows.
    #[must_use]
    pub fn status(&self, now: OffsetDateTime) -> Option<SendStatus> {
        if self.is_claimed(now) {
            return Some(SendStatus::Sending);
        }
        match self.send_at {
            Some(_) if self.has_failed => Some(SendStatus::Failed),
            Some(_) => Some(SendStatus::Scheduled),
            None => None,
        }
    }

    /// Returns whether a sender has a claim on the draft.
    #[must_use]
    pub fn is_claimed(&self, now: OffsetDateTime) -> bool {
        self.claimed_until.is_some_and(|until| until > now)
    }

    /// Returns the time at which a worker sends the draft: the scheduled one, but not before a claim has expired.
    #[must_use]
    pub fn due_at(&self) -> Option<OffsetDateTime> {
        self.send_at.filter(|_| !self.has_failed).map(|at| self.claimed_until.map_or(at, |until| until.max(at)))
    }

    /// Returns the schedule with another time, or without one.
    #[must_use]
    pub fn at(self, send_at: Option<OffsetDateTime>) -> Self {
        Self { send_at, has_failed: false, ..self }
    }

    /// Returns the schedule after a write, without a claim.
    #[must_use]
    pub fn written(self) -> Self {
        Self { claimed_until: None, revision: self.revision + 1, ..self }
    }

    /// Returns the schedule with a claim.
    #[must_use]
    pub fn claimed(self, until: OffsetDateTime) -> Self {
        Self { claimed_until: Some(until), ..self.written() }
    }
}

/// Decisions of a delayed send beyond the content of its draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayedSend {
    /// Id that the message will have. The send returned it.
    pub message_id: MessageId,
    /// Id of the thread that the message will begin; `None` for a reply.
    pub thread_id: Option<ThreadId>,
    /// Additional header fields.
    pub headers: Vec<(String, String)>,
    /// Whether a reply to an automatic message is permitted.
    pub allow_automatic: bool,
    /// Whether a policy held the message. Another send of the draft then composes a message with another id.
    #[serde(default)]
    pub was_held: bool,
}

/// List form of a draft: without its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftItem {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod of the inbox.
    pub pod_id: PodId,
    /// Inbox that sends it.
    pub inbox_id: InboxId,
    /// Its id.
    pub draft_id: DraftId,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// Kind of the resulting message.
    pub kind: DraftKind,
    /// Labels, including [`DRAFT`], [`SCHEDULED`] and [`AWAITING_APPROVAL`].
    pub labels: Labels,
    /// Recipients in To, as `Name <address>`.
    pub to: Vec<String>,
    /// Recipients in Cc.
    pub cc: Vec<String>,
    /// Hidden recipients.
    pub bcc: Vec<String>,
    /// Reply addresses, if not the inbox.
    pub reply_to: Vec<String>,
    /// The subject.
    pub subject: Option<String>,
    /// Beginning of its text.
    pub preview: Option<String>,
    /// Attachments. Their bytes are stored apart, each under its id.
    pub attachments: Vec<Attachment>,
    /// Schedule and claim.
    pub dispatch: SendSchedule,
    /// Send that made the draft, to leave later; `None` for a draft that was written as one.
    pub delayed: Option<DelayedSend>,
    /// Approval of the message that a policy held; `None` after a change of the draft.
    pub approval: Option<Approval>,
    /// Author; a scheduled draft is sent in the name of its author.
    pub created_by: Actor,
    /// Author of the last change.
    pub updated_by: Actor,
    /// Agent whose content the draft has, after a person changed it without naming the revision that they had read. Policies
    /// judge the message as that of the agent.
    pub agent: Option<Actor>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl DraftItem {
    /// Returns the thread of the message replied to.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        match self.kind {
            DraftKind::Reply { thread_id, .. } => Some(thread_id),
            DraftKind::Plain | DraftKind::Forward { .. } => None,
        }
    }

    /// Returns the labels of the caller, which the sent message inherits.
    #[must_use]
    pub fn own_labels(&self) -> Labels {
        self.labels.iter().filter(|label| ![DRAFT, SCHEDULED, AWAITING_APPROVAL].contains(label)).collect()
    }

    /// Returns whether the draft waits for an approval.
    #[must_use]
    pub fn awaits_approval(&self) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.status == ApprovalStatus::Awaiting)
    }

    /// Returns the draft with another schedule, or without one, and the labels that go with it.
    #[must_use]
    pub fn scheduled(self, send_at: Option<OffsetDateTime>) -> Self {
        let own = self.own_labels();
        Self { dispatch: self.dispatch.at(send_at), ..self }.labelled(own)
    }

    /// Returns the draft with these labels of the caller and the system labels of its schedule and approval.
    #[must_use]
    pub fn labelled(self, own: Labels) -> Self {
        let mut labels = own;
        labels.insert(DRAFT);
        if self.dispatch.send_at.is_some() && !self.dispatch.has_failed {
            labels.insert(SCHEDULED);
        }
        if self.awaits_approval() {
            labels.insert(AWAITING_APPROVAL);
        }
        Self { labels, ..self }
    }
}

/// A draft with its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// List form.
    pub item: DraftItem,
    /// Text body.
    pub text: Option<String>,
    /// HTML body.
    pub html: Option<String>,
}

impl Draft {
    /// Returns the bytes that count for the storage of its inbox.
    #[must_use]
    pub fn size(&self) -> u64 {
        let item = &self.item;
        let addresses = [&item.to, &item.cc, &item.bcc, &item.reply_to].into_iter().flatten().map(String::len);
        let texts = [&item.subject, &self.text, &self.html].into_iter().flatten().map(String::len);
        let written: usize = addresses.chain(texts).sum();
        let held = item.approval.iter().map(|approval| approval.size);
        let attached = item.attachments.iter().map(|attachment| attachment.size).chain(held);
        attached.fold(u64::try_from(written).unwrap_or(u64::MAX), u64::saturating_add)
    }
}

/// A draft with a worker's claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedDraft {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The draft.
    pub draft_id: DraftId,
    /// Revision that the claim created.
    pub revision: u64,
}

impl From<&DraftItem> for ClaimedDraft {
    fn from(draft: &DraftItem) -> Self {
        Self { organization_id: draft.organization_id, draft_id: draft.draft_id, revision: draft.dispatch.revision }
    }
}
