//! Polling webhooks.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, Insertable, JoinOnDsl, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::RunQueryDsl;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{
    Cursor, EventType, InboxId, Organization, OrganizationId, Page, PageRequest, PodId, PollingWebhook, Reach,
    WebhookId, WebhookTargets,
};
use inboxd_core::ports::{PollingReads, PollingWrites, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::{OrganizationRow, stored_hash};
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::scalar_rows::CountRow;
use crate::schema::{organizations, polling_webhooks};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::stored_row::stored_row;
use crate::text::stored;
use crate::tx::PgTx;
use crate::usage::to_count;

stored_row! {
    /// A row of `polling_webhooks`.
    #[derive(Queryable, QueryableByName, Selectable, Insertable)]
    #[diesel(table_name = polling_webhooks, check_for_backend(diesel::pg::Pg))]
    struct PollingRow;

    /// The columns of [`PollingRow`], of the table `w`.
    const POLLING = "w";

    organization_id: Uuid,
    webhook_id: Uuid,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    client_id: String,
    event_types: Vec<String>,
    narrowed: bool,
    pod_ids: Vec<Uuid>,
    inbox_ids: Vec<String>,
    token_hash: Vec<u8>,
    start_at: OffsetDateTime,
    start_position: i64,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

/// Condition of the place $2, as the index of the table has it.
const AT_PLACE: &str = "w.organization_id = $1 AND coalesce(w.inbox_id, w.pod_id::text, '') = $2";

/// Returns pod and inbox of a place.
fn columns_of(place: &Reach) -> Result<(Option<Uuid>, Option<&str>), StoreError> {
    match place {
        Reach::Organization => Ok((None, None)),
        Reach::Pod(pod_id) => Ok((Some(pod_id.0), None)),
        Reach::Inbox { pod_id, inbox_id } => Ok((Some(pod_id.0), Some(inbox_id.as_str()))),
        Reach::Inboxes(_) => Err(StoreError::Failed("a polling webhook cannot belong to several inboxes".to_owned())),
    }
}

/// Returns the name of a place in the index: the inbox, else the pod, else nothing.
fn name_of(place: &Reach) -> Result<String, StoreError> {
    let (pod_id, inbox_id) = columns_of(place)?;
    Ok(inbox_id.map(ToOwned::to_owned).or_else(|| pod_id.map(|pod_id| pod_id.to_string())).unwrap_or_default())
}

impl PollingRow {
    fn of(webhook: &PollingWebhook) -> Result<Self, StoreError> {
        let (pod_id, inbox_id) = columns_of(&webhook.place)?;
        let selection = webhook.selection.clone().unwrap_or_default();
        Ok(Self {
            organization_id: webhook.organization_id.0,
            webhook_id: webhook.webhook_id.0,
            pod_id,
            inbox_id: inbox_id.map(ToOwned::to_owned),
            client_id: stored(&webhook.client_id),
            event_types: webhook.event_types.iter().map(|kind| kind.as_str().to_owned()).collect(),
            narrowed: webhook.selection.is_some(),
            pod_ids: selection.pod_ids.iter().map(|pod_id| pod_id.0).collect(),
            inbox_ids: selection.inbox_ids.iter().map(|inbox_id| inbox_id.as_str().to_owned()).collect(),
            token_hash: webhook.token_hash.to_vec(),
            start_at: webhook.start.at,
            start_position: webhook.start.position,
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
        })
    }

    fn entity(self) -> Result<PollingWebhook, StoreError> {
        let place = match (self.pod_id, self.inbox_id) {
            (None, _) => Reach::Organization,
            (Some(pod_id), None) => Reach::Pod(pod_id.into()),
            (Some(pod_id), Some(inbox_id)) => {
                Reach::Inbox { pod_id: pod_id.into(), inbox_id: InboxId::stored(inbox_id) }
            }
        };
        let unknown = |name: &String| StoreError::Failed(format!("unknown type of event {name:?}"));
        let kinds = self.event_types.iter().map(|name| EventType::named(name).ok_or_else(|| unknown(name)));
        Ok(PollingWebhook {
            organization_id: self.organization_id.into(),
            webhook_id: self.webhook_id.into(),
            place,
            client_id: self.client_id,
            event_types: kinds.collect::<Result<_, _>>()?,
            selection: self.narrowed.then(|| WebhookTargets {
                pod_ids: self.pod_ids.into_iter().map(PodId::from).collect(),
                inbox_ids: self.inbox_ids.into_iter().map(InboxId::stored).collect(),
            }),
            token_hash: stored_hash(self.token_hash)?,
            start: FeedPosition { at: self.start_at, position: self.start_position },
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

#[async_trait]
impl PollingReads for PgStore {
    async fn polling_webhook(
        &self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<PollingWebhook>, StoreError> {
        let text =
            format!("SELECT {POLLING} FROM polling_webhooks w WHERE w.organization_id = $1 AND w.webhook_id = $2");
        let row = Sql::new(text).uuid(organization_id.0).uuid(webhook_id.0);
        row.row::<PollingRow>(&mut *self.connection().await?).await?.map(PollingRow::entity).transpose()
    }

    async fn polling_webhooks_of_tokens(
        &self,
        token_hashes: &[[u8; 32]],
    ) -> Result<Vec<(Organization, PollingWebhook)>, StoreError> {
        let hashes: Vec<&[u8]> = token_hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let rows: Vec<(OrganizationRow, PollingRow)> = polling_webhooks::table
            .inner_join(organizations::table.on(organizations::organization_id.eq(polling_webhooks::organization_id)))
            .filter(polling_webhooks::token_hash.eq_any(hashes))
            .filter(organizations::removed_at.is_null())
            .select((OrganizationRow::as_select(), PollingRow::as_select()))
            .load(&mut *self.connection().await?)
            .await
            .map_err(failure)?;
        rows.into_iter().map(|(organization, webhook)| Ok((organization.entity()?, webhook.entity()?))).collect()
    }

    async fn list_polling_webhooks(
        &self,
        organization_id: OrganizationId,
        place: &Reach,
        page: &PageRequest,
    ) -> Result<Page<PollingWebhook>, StoreError> {
        let place = name_of(place)?;
        let text = format!(
            "SELECT {POLLING} FROM polling_webhooks w WHERE {AT_PLACE} {behind}
            ORDER BY w.created_at {sort}, w.webhook_id {sort} LIMIT $3",
            behind = behind_cursor(page, "w.created_at, w.webhook_id", "$4, $5"),
            sort = KeysetOrder::of(page.direction).sort,
        );
        let after = page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(&place)
            .big(rows_to_read(page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .rows::<PollingRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(PollingRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, page.limit, |webhook| Cursor {
            time: webhook.created_at,
            id: webhook.webhook_id.0.to_string(),
        }))
    }
}

#[async_trait]
impl PollingWrites for PgTx {
    async fn count(&mut self, organization_id: OrganizationId, place: &Reach) -> Result<u64, StoreError> {
        let place = name_of(place)?;
        let text = format!("SELECT count(*) AS count FROM polling_webhooks w WHERE {AT_PLACE}");
        let count = Sql::new(text).uuid(organization_id.0).text(&place);
        let row = count.row::<CountRow>(self.connection().await?).await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn named(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<PollingWebhook>, StoreError> {
        let text =
            format!("SELECT {POLLING} FROM polling_webhooks w WHERE w.organization_id = $1 AND w.client_id = $2");
        let row = Sql::new(text).uuid(organization_id.0).text(client_id);
        row.row::<PollingRow>(self.connection().await?).await?.map(PollingRow::entity).transpose()
    }

    async fn insert(&mut self, webhook: &PollingWebhook) -> Result<(), StoreError> {
        diesel::insert_into(polling_webhooks::table)
            .values(PollingRow::of(webhook)?)
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn replace_token(&mut self, webhook: &PollingWebhook) -> Result<(), StoreError> {
        let text = "UPDATE polling_webhooks SET token_hash = $3, updated_at = $4
            WHERE organization_id = $1 AND webhook_id = $2";
        Sql::new(text)
            .uuid(webhook.organization_id.0)
            .uuid(webhook.webhook_id.0)
            .bytes(&webhook.token_hash)
            .time(webhook.updated_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError> {
        let text = "DELETE FROM polling_webhooks WHERE organization_id = $1 AND webhook_id = $2";
        let deleted = Sql::new(text).uuid(organization_id.0).uuid(webhook_id.0).run(self.connection().await?).await?;
        Ok(deleted > 0)
    }

    async fn delete_all(&mut self, organization_id: OrganizationId) -> Result<Vec<PollingWebhook>, StoreError> {
        let text = format!("DELETE FROM polling_webhooks w WHERE w.organization_id = $1 RETURNING {POLLING}");
        let rows = Sql::new(text).uuid(organization_id.0).rows::<PollingRow>(self.connection().await?).await?;
        rows.into_iter().map(PollingRow::entity).collect()
    }
}
