//! Pods.
//!
//! A writer of a resource in a pod locks the row of the pod as shared, as deliveries lock their inbox; a deletion locks
//! it exclusively.

use std::collections::BTreeSet;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::RunQueryDsl;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{InboxId, OrganizationId, Page, Pod, PodId, QuarantineMode};
use inboxd_core::ports::{PodQuery, PodReads, PodWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_own_quarantine;
use crate::error::{expect_rows, failure};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::metrics::sample;
use crate::schema::{inboxes, pods};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::stored;
use crate::tx::PgTx;
use crate::usage::to_count;

/// A row of `pods`, without its deletion.
#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = pods, check_for_backend(diesel::pg::Pg))]
struct PodRow {
    organization_id: Uuid,
    pod_id: Uuid,
    name: String,
    client_id: Option<String>,
    quarantine: Option<String>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl PodRow {
    fn entity(self) -> Result<Pod, StoreError> {
        Ok(Pod {
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.into(),
            name: self.name,
            client_id: self.client_id,
            quarantine: stored_own_quarantine(self.quarantine.as_deref())?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

#[async_trait]
impl PodReads for PgStore {
    async fn pod(&self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError> {
        let row: Option<PodRow> = pods::table
            .filter(pods::organization_id.eq(organization_id.0))
            .filter(pods::pod_id.eq(pod_id.0))
            .filter(pods::deleted_at.is_null())
            .select(PodRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(PodRow::entity).transpose()
    }

    async fn list_pods(&self, query: &PodQuery) -> Result<Page<Pod>, StoreError> {
        let text = format!(
            "SELECT organization_id, pod_id, name, client_id, quarantine, created_at, updated_at
            FROM pods
            WHERE organization_id = $1 AND deleted_at IS NULL {this} {of_inboxes} {behind}
            ORDER BY created_at {sort}, pod_id {sort} LIMIT $2",
            this = if query.pod_id.is_some() { "AND pod_id = $3" } else { "" },
            of_inboxes = match query.of_inboxes {
                Some(_) => format!("AND {}", of_inboxes("$6")),
                None => String::new(),
            },
            behind = behind_cursor(&query.page, "created_at, pod_id", "$4, $5"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .texts(query.of_inboxes.iter().flatten().map(InboxId::as_str))
            .rows::<PodRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(PodRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, query.page.limit, |pod| Cursor { time: pod.created_at, id: pod.pod_id.0.to_string() }))
    }

    async fn pod_has_any(
        &self,
        organization_id: OrganizationId,
        pod_id: PodId,
        inbox_ids: &BTreeSet<InboxId>,
    ) -> Result<bool, StoreError> {
        let asked = inbox_ids.iter().map(InboxId::as_str);
        let found: i64 = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::inbox_id.eq_any(asked.collect::<Vec<_>>()))
            .filter(inboxes::pod_id.eq(pod_id.0))
            .filter(inboxes::deleted_at.is_null())
            .count()
            .get_result(&mut *self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(found > 0)
    }
}

/// Returns the condition that a pod, or the pod of a resource, has one of these inboxes of $1; `inbox_ids` names their
/// value.
pub(crate) fn of_inboxes(inbox_ids: &str) -> String {
    format!(
        "pod_id IN (
            SELECT i.pod_id FROM inboxes i
            WHERE i.organization_id = $1 AND i.inbox_id = ANY({inbox_ids}) AND i.deleted_at IS NULL)"
    )
}

#[async_trait]
impl PodWrites for PgTx {
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError> {
        let count: i64 = pods::table
            .filter(pods::organization_id.eq(organization_id.0))
            .filter(pods::deleted_at.is_null())
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
    ) -> Result<Option<(Pod, bool)>, StoreError> {
        let row: Option<(PodRow, Option<OffsetDateTime>)> = pods::table
            .filter(pods::organization_id.eq(organization_id.0))
            .filter(pods::client_id.eq(stored(client_id)))
            .select((PodRow::as_select(), pods::deleted_at))
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(|(pod, deleted_at)| Ok((pod.entity()?, deleted_at.is_none()))).transpose()
    }

    async fn hold(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<bool, StoreError> {
        let text = "SELECT organization_id, pod_id, name, client_id, quarantine, created_at, updated_at FROM pods
            WHERE organization_id = $1 AND pod_id = $2 AND deleted_at IS NULL FOR KEY SHARE";
        let held =
            Sql::new(text).uuid(organization_id.0).uuid(pod_id.0).row::<PodRow>(self.connection().await?).await?;
        Ok(held.is_some())
    }

    async fn lock(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError> {
        let row: Option<PodRow> = pods::table
            .filter(pods::organization_id.eq(organization_id.0))
            .filter(pods::pod_id.eq(pod_id.0))
            .filter(pods::deleted_at.is_null())
            .select(PodRow::as_select())
            .for_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(PodRow::entity).transpose()
    }

    async fn count_inboxes(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<u64, StoreError> {
        let count: i64 = inboxes::table
            .filter(inboxes::organization_id.eq(organization_id.0))
            .filter(inboxes::pod_id.eq(pod_id.0))
            .filter(inboxes::deleted_at.is_null())
            .count()
            .get_result(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(to_count(count))
    }

    async fn update(&mut self, pod: &Pod) -> Result<(), StoreError> {
        let written = diesel::update(pods::table)
            .filter(pods::organization_id.eq(pod.organization_id.0))
            .filter(pods::pod_id.eq(pod.pod_id.0))
            .filter(pods::deleted_at.is_null())
            .set((
                pods::name.eq(stored(&pod.name)),
                pods::quarantine.eq(pod.quarantine.map(QuarantineMode::as_str)),
                pods::updated_at.eq(pod.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let written = diesel::update(pods::table)
            .filter(pods::organization_id.eq(organization_id.0))
            .filter(pods::pod_id.eq(pod_id.0))
            .filter(pods::deleted_at.is_null())
            .set((pods::deleted_at.eq(Some(at)), pods::updated_at.eq(at)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)?;
        sample::delete_pod_samples(self.connection().await?, organization_id, pod_id).await
    }
}
