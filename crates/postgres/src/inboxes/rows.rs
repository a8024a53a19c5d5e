//! Rows of `inboxes`.

use diesel::{Insertable, Queryable, QueryableByName, Selectable};
use inboxd_core::model::{Inbox, InboxId, QuarantineMode};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_own_quarantine;
use crate::json::{StoredJson, from_json, to_json};
use crate::schema::inboxes;
use crate::text::stored;

/// A row of `inboxes`, without its deletion.
#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = inboxes, check_for_backend(diesel::pg::Pg))]
pub(super) struct InboxRow {
    organization_id: Uuid,
    inbox_id: String,
    pod_id: Uuid,
    display_name: Option<String>,
    client_id: Option<String>,
    metadata: StoredJson,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    paused_at: Option<OffsetDateTime>,
    retention_days: Option<i32>,
    quarantine: Option<String>,
}

impl InboxRow {
    /// Creates the row of an inbox.
    pub(super) fn of(inbox: &Inbox) -> Result<Self, StoreError> {
        Ok(Self {
            organization_id: inbox.organization_id.0,
            inbox_id: inbox.inbox_id.as_str().to_owned(),
            pod_id: inbox.pod_id.0,
            display_name: inbox.display_name.as_deref().map(stored),
            client_id: inbox.client_id.as_deref().map(stored),
            metadata: to_json(&inbox.metadata)?,
            created_at: inbox.created_at,
            updated_at: inbox.updated_at,
            paused_at: inbox.paused_at,
            retention_days: stored_days(inbox.retention_days),
            quarantine: inbox.quarantine.map(QuarantineMode::as_str).map(str::to_owned),
        })
    }

    /// Returns the inbox of the row.
    pub(super) fn entity(self) -> Result<Inbox, StoreError> {
        Ok(Inbox {
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            display_name: self.display_name,
            client_id: self.client_id,
            metadata: from_json(self.metadata)?,
            paused_at: self.paused_at,
            retention_days: self.retention_days.and_then(|days| u32::try_from(days).ok()),
            quarantine: stored_own_quarantine(self.quarantine.as_deref())?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Returns a retention as it is stored. No valid one is too large.
pub(super) fn stored_days(days: Option<u32>) -> Option<i32> {
    days.map(|days| i32::try_from(days).unwrap_or(i32::MAX))
}
