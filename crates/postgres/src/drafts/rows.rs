//! Rows of `drafts`.

use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Text};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{
    Actor, AttachmentId, ClaimedDraft, Draft, DraftItem, DraftKind, InboxId, MessageId, SendSchedule,
};
use inboxd_core::ports::StoreError;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json};
use crate::schema::drafts;
use crate::stored_row::stored_row;
use crate::usage::to_count;

/// Id under which the composed message of a held draft is stored beside its attachments.
pub(super) const HELD_MAIL: AttachmentId = AttachmentId(Uuid::nil());

/// Content of `updated_by`: the author of the last change, with the agent whose content a draft keeps after a change by
/// a person.
#[derive(Serialize, Deserialize)]
pub(super) struct LastChange {
    #[serde(flatten)]
    pub(super) by: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<Actor>,
}

/// Condition that the inbox of draft `d` is live.
pub(super) const INBOX_LIVES: &str = "EXISTS (SELECT FROM inboxes i
    WHERE i.organization_id = d.organization_id AND i.inbox_id = d.inbox_id AND i.deleted_at IS NULL)";

/// Condition that draft `d` may be sent: the queue is not held, the organization neither suspended nor held, and
/// the inbox not paused. Scalar subqueries instead of joins make each a primary key lookup for a due draft.
pub(super) const MAY_LEAVE: &str = "(SELECT s.held_at IS NOT NULL FROM service_state s) IS NOT TRUE
    AND (SELECT o.suspended_at IS NOT NULL OR o.brake = 'held' OR o.removed_at IS NOT NULL FROM organizations o
        WHERE o.organization_id = d.organization_id) IS NOT TRUE
    AND (SELECT i.paused_at IS NOT NULL FROM inboxes i
        WHERE i.organization_id = d.organization_id AND i.inbox_id = d.inbox_id) IS NOT TRUE";

stored_row! {
    /// A draft without its bodies.
    #[derive(QueryableByName)]
    #[diesel(table_name = drafts)]
    pub(super) struct DraftItemRow;

    /// Columns of [`DraftItemRow`], of a table named `d`.
    pub(super) const ITEM = "d";

    organization_id: Uuid,
    draft_id: Uuid,
    pod_id: Uuid,
    inbox_id: String,
    client_id: Option<String>,
    in_reply_to: Option<String>,
    thread_id: Option<Uuid>,
    references_: Vec<String>,
    forward_of: Option<String>,
    labels: Vec<String>,
    to_: Vec<String>,
    cc: Vec<String>,
    bcc: Vec<String>,
    reply_to: Vec<String>,
    subject: Option<String>,
    preview: Option<String>,
    attachments: StoredJson,
    send_at: Option<OffsetDateTime>,
    has_failed: bool,
    claimed_until: Option<OffsetDateTime>,
    revision: i64,
    approval: Option<StoredJson>,
    created_by: StoredJson,
    updated_by: StoredJson,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    delayed: Option<StoredJson>,
}

impl DraftItemRow {
    /// Returns the draft of the row.
    pub(super) fn entity(self) -> Result<DraftItem, StoreError> {
        let kind = match (self.in_reply_to, self.thread_id, self.forward_of) {
            (Some(in_reply_to), Some(thread_id), _) => DraftKind::Reply {
                in_reply_to: MessageId::stored(in_reply_to),
                thread_id: thread_id.into(),
                references: self.references_.into_iter().map(MessageId::stored).collect(),
            },
            (_, _, Some(forward_of)) => DraftKind::Forward { forward_of: MessageId::stored(forward_of) },
            _ => DraftKind::Plain,
        };
        let last_change: LastChange = from_json(self.updated_by)?;
        Ok(DraftItem {
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            draft_id: self.draft_id.into(),
            client_id: self.client_id,
            kind,
            labels: self.labels.into_iter().collect(),
            to: self.to_,
            cc: self.cc,
            bcc: self.bcc,
            reply_to: self.reply_to,
            subject: self.subject,
            preview: self.preview,
            attachments: from_json(self.attachments)?,
            dispatch: SendSchedule {
                send_at: self.send_at,
                has_failed: self.has_failed,
                claimed_until: self.claimed_until,
                revision: to_count(self.revision),
            },
            delayed: self.delayed.map(from_json).transpose()?,
            approval: self.approval.map(from_json).transpose()?,
            created_by: from_json(self.created_by)?,
            agent: last_change.agent,
            updated_by: last_change.by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// A draft with its bodies.
#[derive(QueryableByName)]
pub(super) struct DraftRow {
    #[diesel(embed)]
    item: DraftItemRow,
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    html: Option<String>,
}

impl DraftRow {
    /// Returns the draft of the row.
    pub(super) fn entity(self) -> Result<Draft, StoreError> {
        Ok(Draft { item: self.item.entity()?, text: self.text, html: self.html })
    }
}

/// Returns the position of a draft in its list.
pub(super) fn place(item: &DraftItem) -> Cursor {
    Cursor { time: item.updated_at, id: item.draft_id.0.to_string() }
}

/// Key and revision of a draft.
#[derive(QueryableByName)]
#[diesel(table_name = drafts)]
pub(super) struct DraftClaimRow {
    organization_id: Uuid,
    draft_id: Uuid,
    revision: i64,
}

impl DraftClaimRow {
    /// Returns the claim of the row.
    pub(super) fn entity(self) -> ClaimedDraft {
        ClaimedDraft {
            organization_id: self.organization_id.into(),
            draft_id: self.draft_id.into(),
            revision: to_count(self.revision),
        }
    }
}
