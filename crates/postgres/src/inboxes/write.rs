//! Writes of inboxes.
//!
//! A delivery locks the row of its inbox as shared, so deliveries do not wait for each other. A deletion locks it
//! exclusively: it waits for deliveries, and none begins behind it.

use async_trait::async_trait;
use diesel::sql_types::{Bool, Nullable, Text};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::{Inbox, InboxId, OrganizationId, QuarantineMode, QuarantineScopes};
use inboxd_core::ports::{Destination, InboxWrites, IntakeHold, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::purge;
use super::read::intake_hold;
use super::rows::{InboxRow, stored_days};
use crate::accounts::rows::{stored_own_quarantine, stored_quarantine};
use crate::error::{expect_rows, failure};
use crate::json::to_json;
use crate::schema::{addresses, inbox_usage, inboxes};
use crate::sql::Sql;
use crate::text::stored;
use crate::tx::PgTx;
use crate::usage::to_count;

#[derive(QueryableByName)]
#[diesel(table_name = inboxes)]
#[expect(clippy::struct_field_names, reason = "they are the names of the columns")]
struct LockedInboxRow {
    organization_id: Uuid,
    pod_id: Uuid,
    inbox_id: String,
}

impl LockedInboxRow {
    fn destination(self) -> Destination {
        Destination {
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
        }
    }
}

#[derive(QueryableByName)]
struct ArrivalRow {
    #[diesel(embed)]
    inbox: LockedInboxRow,
    #[diesel(sql_type = Bool)]
    is_paused: bool,
    #[diesel(sql_type = Nullable<Text>)]
    suspended_reason: Option<String>,
    #[diesel(sql_type = Text)]
    organization_quarantine: String,
    #[diesel(sql_type = Nullable<Text>)]
    pod_quarantine: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    inbox_quarantine: Option<String>,
}

impl ArrivalRow {
    fn scopes(&self) -> Result<QuarantineScopes, StoreError> {
        Ok(QuarantineScopes {
            organization: stored_quarantine(&self.organization_quarantine)?,
            pod: stored_own_quarantine(self.pod_quarantine.as_deref())?,
            inbox: stored_own_quarantine(self.inbox_quarantine.as_deref())?,
        })
    }
}

#[async_trait]
impl InboxWrites for PgTx {
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError> {
        let count: i64 = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::deleted_at.is_null())
            .count()
            .get_result(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(to_count(count))
    }

    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Inbox, bool)>, StoreError> {
        let row: Option<(InboxRow, Option<OffsetDateTime>)> = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::client_id.eq(stored(client_id)))
            .select((InboxRow::as_select(), inboxes::deleted_at))
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(|(inbox, deleted_at)| Ok((inbox.entity()?, deleted_at.is_none()))).transpose()
    }

    async fn insert(&mut self, inbox: &Inbox) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        diesel::insert_into(addresses::table)
            .values((
                addresses::address.eq(inbox.inbox_id.as_str()),
                addresses::organization_id.eq(inbox.organization_id.0),
                addresses::pod_id.eq(inbox.pod_id.0),
                addresses::inbox_id.eq(inbox.inbox_id.as_str()),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        diesel::insert_into(inboxes::table).values(InboxRow::of(inbox)?).execute(connection).await.map_err(failure)?;
        Ok(())
    }

    async fn lock(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError> {
        let row: Option<InboxRow> = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::inbox_id.eq(inbox_id.as_str()))
            .filter(inboxes::deleted_at.is_null())
            .select(InboxRow::as_select())
            .for_no_key_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(InboxRow::entity).transpose()
    }

    async fn lock_exclusive(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<Option<Inbox>, StoreError> {
        let row: Option<InboxRow> = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::inbox_id.eq(inbox_id.as_str()))
            .filter(inboxes::deleted_at.is_null())
            .select(InboxRow::as_select())
            .for_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(InboxRow::entity).transpose()
    }

    async fn lock_all(&mut self, organization_id: OrganizationId) -> Result<(), StoreError> {
        let text = "SELECT FROM inboxes WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY inbox_id FOR UPDATE";
        Sql::new(text).uuid(organization_id.0).run(self.connection().await?).await?;
        Ok(())
    }

    async fn lock_sending(&mut self, wanted: &[Destination]) -> Result<Vec<Destination>, StoreError> {
        lock_where(self.connection().await?, wanted, "AND i.paused_at IS NULL").await
    }

    async fn hold(&mut self, wanted: &[Destination]) -> Result<Vec<Destination>, StoreError> {
        lock_where(self.connection().await?, wanted, "").await
    }

    async fn update(&mut self, inbox: &Inbox) -> Result<(), StoreError> {
        let written = diesel::update(inboxes::table)
            .filter(inboxes::organization_id.eq(inbox.organization_id.0))
            .filter(inboxes::inbox_id.eq(inbox.inbox_id.as_str()))
            .filter(inboxes::deleted_at.is_null())
            .set((
                inboxes::display_name.eq(inbox.display_name.as_deref().map(stored)),
                inboxes::metadata.eq(to_json(&inbox.metadata)?),
                inboxes::paused_at.eq(inbox.paused_at),
                inboxes::retention_days.eq(stored_days(inbox.retention_days)),
                inboxes::quarantine.eq(inbox.quarantine.map(QuarantineMode::as_str)),
                inboxes::retention_due_at.eq(inbox.updated_at),
                inboxes::updated_at.eq(inbox.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn lock_expiring(
        &mut self,
        after: Option<OrganizationId>,
        now: OffsetDateTime,
    ) -> Result<Option<Inbox>, StoreError> {
        let text =
            "SELECT organization_id, inbox_id, pod_id, display_name, client_id, metadata, created_at, updated_at,
                paused_at, retention_days, quarantine
            FROM inboxes
            WHERE retention_days IS NOT NULL AND deleted_at IS NULL AND retention_due_at <= $1
                AND organization_id > $2
            ORDER BY organization_id, retention_due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED";
        let row = Sql::new(text)
            .time(now)
            .uuid(after.map_or(Uuid::nil(), |organization_id| organization_id.0))
            .row::<InboxRow>(self.connection().await?)
            .await?;
        row.map(InboxRow::entity).transpose()
    }

    async fn postpone_expiry(&mut self, inbox: &Inbox, until: OffsetDateTime) -> Result<(), StoreError> {
        let text = "UPDATE inboxes SET retention_due_at = $3 WHERE organization_id = $1 AND inbox_id = $2";
        let connection = self.connection().await?;
        Sql::new(text).uuid(inbox.organization_id.0).text(inbox.inbox_id.as_str()).time(until).run(connection).await?;
        Ok(())
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        let text = "SELECT organization_id, pod_id, inbox_id FROM inboxes
            WHERE organization_id = $1 AND inbox_id = $2 AND deleted_at IS NULL FOR UPDATE";
        let locked =
            Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).rows::<LockedInboxRow>(connection).await?;
        expect_rows(locked.len(), 1)?;
        let written = diesel::update(inboxes::table)
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::inbox_id.eq(inbox_id.as_str()))
            .set((inboxes::deleted_at.eq(Some(at)), inboxes::updated_at.eq(at)))
            .execute(connection)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)?;
        let written = diesel::update(addresses::table)
            .filter(addresses::address.eq(inbox_id.as_str()))
            .set(addresses::deleted_at.eq(Some(at)))
            .execute(connection)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)?;
        Sql::new("UPDATE domains SET catch_all_inbox_id = NULL WHERE organization_id = $1 AND catch_all_inbox_id = $2")
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .run(connection)
            .await?;
        // The queued messages of a paused inbox would wait forever, also those that are not held yet.
        let text = "DELETE FROM outgoing o USING inboxes i
            WHERE o.organization_id = $1 AND o.inbox_id = $2 AND o.message_id IS NOT NULL
                AND i.organization_id = $1 AND i.inbox_id = $2
                AND (o.held_due_at IS NOT NULL OR i.paused_at IS NOT NULL)";
        Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).run(connection).await?;
        diesel::delete(inbox_usage::table)
            .filter(inbox_usage::organization_id.eq(organization_id.0))
            .filter(inbox_usage::inbox_id.eq(inbox_id.as_str()))
            .execute(connection)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn purge_deleted(&mut self, limit: u32) -> Result<u64, StoreError> {
        purge::purge_deleted(self.connection().await?, limit).await
    }
}

/// Live inboxes, the reason of those that defer mail, and their quarantine.
pub(crate) type LockedArrivals = (Vec<Destination>, Vec<(InboxId, IntakeHold)>, Vec<(InboxId, QuarantineScopes)>);

/// Locks live inboxes against deletion and returns them.
pub(crate) async fn lock_arrivals(
    connection: &AsyncPgConnection,
    wanted: &[Destination],
) -> Result<LockedArrivals, StoreError> {
    let text = "SELECT i.organization_id, i.pod_id, i.inbox_id, i.paused_at IS NOT NULL AS is_paused,
            o.suspended_reason, o.quarantine AS organization_quarantine, i.quarantine AS inbox_quarantine,
            (SELECT p.quarantine FROM pods p
                WHERE p.organization_id = i.organization_id AND p.pod_id = i.pod_id) AS pod_quarantine
        FROM inboxes i
        JOIN organizations o USING (organization_id)
        WHERE (i.organization_id, i.inbox_id) IN
                (SELECT w.organization_id, w.inbox_id FROM unnest($1::uuid[], $2::text[]) AS w(organization_id, inbox_id))
            AND i.deleted_at IS NULL
        ORDER BY i.organization_id, i.inbox_id FOR KEY SHARE OF i";
    let rows = Sql::new(text)
        .uuids(wanted.iter().map(|destination| destination.organization_id.0))
        .texts(wanted.iter().map(|destination| destination.inbox_id.as_str()))
        .rows_among::<ArrivalRow>(connection)
        .await?;
    let mut held = Vec::with_capacity(rows.len());
    let (mut deferred, mut quarantines) = (Vec::new(), Vec::new());
    for row in rows {
        let scopes = row.scopes()?;
        let destination = row.inbox.destination();
        quarantines.push((destination.inbox_id.clone(), scopes));
        deferred
            .extend(intake_hold(row.is_paused, row.suspended_reason).map(|hold| (destination.inbox_id.clone(), hold)));
        held.push(destination);
    }
    Ok((held, deferred, quarantines))
}

/// Locks live inboxes with a condition against deletion and returns them.
async fn lock_where(
    connection: &AsyncPgConnection,
    wanted: &[Destination],
    condition: &str,
) -> Result<Vec<Destination>, StoreError> {
    let text = format!(
        "SELECT i.organization_id, i.pod_id, i.inbox_id
        FROM inboxes i
        WHERE (i.organization_id, i.inbox_id) IN
                (SELECT w.organization_id, w.inbox_id FROM unnest($1::uuid[], $2::text[]) AS w(organization_id, inbox_id))
            AND i.deleted_at IS NULL {condition}
        ORDER BY i.organization_id, i.inbox_id FOR KEY SHARE OF i"
    );
    let rows = Sql::new(text)
        .uuids(wanted.iter().map(|destination| destination.organization_id.0))
        .texts(wanted.iter().map(|destination| destination.inbox_id.as_str()))
        .rows_among::<LockedInboxRow>(connection)
        .await?;
    Ok(rows.into_iter().map(LockedInboxRow::destination).collect())
}
