//! Drafts: mail that is written and not yet sent.

use time::OffsetDateTime;

use super::{Actor, Attachment, DraftId, InboxId, Labels, MessageId, OrganizationId, PodId, ThreadId};

/// The label that every draft carries.
pub const DRAFT: &str = "draft";
/// The label of a draft that will be sent at a set time.
pub const SCHEDULED: &str = "scheduled";

/// What a draft becomes when it is sent; fixed at its creation (`wire.md`, section 3, Draft).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftKind {
    /// A mail that begins a thread.
    Plain,
    /// An answer.
    Reply {
        /// The message that is answered, by its id in the inbox.
        in_reply_to: MessageId,
        /// Its thread.
        thread_id: ThreadId,
        /// The messages before it, oldest first; the last is the answered one, as it is named on the wire.
        references: Vec<MessageId>,
    },
    /// A message that is passed on.
    Forward {
        /// That message. Its text and attachments are read when the draft is sent.
        forward_of: MessageId,
    },
}

/// How far the sending of a draft has come, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendStatus {
    /// It will be sent at its time.
    Scheduled,
    /// It is being sent.
    Sending,
    /// It was refused at its time.
    Failed,
}

impl SendStatus {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Sending => "sending",
            Self::Failed => "failed",
        }
    }
}

/// When a draft is sent, and who is at it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// When it is to be sent; `None` until somebody schedules it.
    pub send_at: Option<OffsetDateTime>,
    /// Whether it was refused when its time had come.
    pub has_failed: bool,
    /// Until when somebody who is sending it keeps it to themselves.
    pub claimed_until: Option<OffsetDateTime>,
    /// Counts every write, claims included: who sends a draft removes the revision that they claimed, or nothing.
    pub revision: u64,
}

impl Dispatch {
    /// What is shown of it.
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

    /// Whether somebody is sending it.
    #[must_use]
    pub fn is_claimed(&self, now: OffsetDateTime) -> bool {
        self.claimed_until.is_some_and(|until| until > now)
    }

    /// When a worker is to send it: at its time, and not before a claim has run out.
    #[must_use]
    pub fn due_at(&self) -> Option<OffsetDateTime> {
        self.send_at.filter(|_| !self.has_failed).map(|at| self.claimed_until.map_or(at, |until| until.max(at)))
    }

    /// Scheduled for a time, or for none.
    #[must_use]
    pub fn at(self, send_at: Option<OffsetDateTime>) -> Self {
        Self { send_at, has_failed: false, ..self }
    }

    /// After one more write, in nobody's hands.
    #[must_use]
    pub fn written(self) -> Self {
        Self { claimed_until: None, revision: self.revision + 1, ..self }
    }

    /// In the hands of somebody who sends it.
    #[must_use]
    pub fn claimed(self, until: OffsetDateTime) -> Self {
        Self { claimed_until: Some(until), ..self.written() }
    }
}

/// A draft as lists show it: everything but its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftItem {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod of the inbox.
    pub pod_id: PodId,
    /// The inbox that it will be sent from.
    pub inbox_id: InboxId,
    /// Its id.
    pub draft_id: DraftId,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// What it becomes.
    pub kind: DraftKind,
    /// Its labels, [`DRAFT`] and [`SCHEDULED`] among them.
    pub labels: Labels,
    /// The recipients, as `Name <address>`.
    pub to: Vec<String>,
    /// Those who get a copy.
    pub cc: Vec<String>,
    /// Those who get a copy that nobody sees.
    pub bcc: Vec<String>,
    /// Where answers go, if not to the inbox.
    pub reply_to: Vec<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The beginning of its text.
    pub preview: Option<String>,
    /// What is attached. The octets are stored apart, each under its id.
    pub attachments: Vec<Attachment>,
    /// When it is sent.
    pub dispatch: Dispatch,
    /// Who wrote it; scheduled, it is sent as theirs.
    pub created_by: Actor,
    /// Who changed it last.
    pub updated_by: Actor,
    /// When it was written.
    pub created_at: OffsetDateTime,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
}

impl DraftItem {
    /// The thread of the message that it answers.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        match self.kind {
            DraftKind::Reply { thread_id, .. } => Some(thread_id),
            DraftKind::Plain | DraftKind::Forward { .. } => None,
        }
    }

    /// The labels that are the caller's own, which the sent message takes over.
    #[must_use]
    pub fn own_labels(&self) -> Labels {
        self.labels.iter().filter(|label| ![DRAFT, SCHEDULED].contains(label)).collect()
    }

    /// The draft with these labels of the caller's own, and the service's own as its dispatch has it.
    #[must_use]
    pub fn labelled(self, own: Labels) -> Self {
        let mut labels = own;
        labels.insert(DRAFT);
        if self.dispatch.send_at.is_some() && !self.dispatch.has_failed {
            labels.insert(SCHEDULED);
        }
        Self { labels, ..self }
    }
}

/// A draft with its bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What lists show.
    pub item: DraftItem,
    /// The text.
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
}

impl Draft {
    /// Returns the bytes that it counts for in the storage of its inbox.
    #[must_use]
    pub fn size(&self) -> u64 {
        let item = &self.item;
        let addresses = [&item.to, &item.cc, &item.bcc, &item.reply_to].into_iter().flatten().map(String::len);
        let texts = [&item.subject, &self.text, &self.html].into_iter().flatten().map(String::len);
        let written: usize = addresses.chain(texts).sum();
        let attached = item.attachments.iter().map(|attachment| attachment.size);
        attached.fold(u64::try_from(written).unwrap_or(u64::MAX), u64::saturating_add)
    }
}

/// A draft that a worker has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedDraft {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The draft.
    pub draft_id: DraftId,
    /// The revision that the claim made of it.
    pub revision: u64,
}

impl From<&DraftItem> for ClaimedDraft {
    fn from(draft: &DraftItem) -> Self {
        Self { organization_id: draft.organization_id, draft_id: draft.draft_id, revision: draft.dispatch.revision }
    }
}
