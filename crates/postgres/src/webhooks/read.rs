//! Reads of webhooks.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{Cursor, OrganizationId, Page, PageRequest, Webhook, WebhookAttempt, WebhookId};
use inboxd_core::ports::{AttemptQuery, StoreError, WebhookReads, WebhookScope};

use super::attempts;
use super::rows::{WEBHOOK, WebhookRow};
use super::scope::{bind_scope, within};
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::webhooks;
use crate::sql::Sql;
use crate::store::PgStore;

#[async_trait]
impl WebhookReads for PgStore {
    async fn webhook(
        &self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<Webhook>, StoreError> {
        let row: Option<WebhookRow> = webhooks::table
            .filter(webhooks::organization_id.eq(organization_id.0))
            .filter(webhooks::webhook_id.eq(webhook_id.0))
            .select(WebhookRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(WebhookRow::entity).transpose()
    }

    async fn list_webhooks(&self, scope: &WebhookScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError> {
        let text = format!(
            "SELECT {WEBHOOK} FROM webhooks w WHERE w.organization_id = $1 {within} {behind}
            ORDER BY w.created_at {sort}, w.webhook_id {sort} LIMIT $5",
            within = within(scope),
            behind = behind_cursor(page, "w.created_at, w.webhook_id", "$6, $7"),
            sort = KeysetOrder::of(page.direction).sort,
        );
        let after = page.after.as_ref();
        let rows = bind_scope(Sql::new(text), scope)
            .big(rows_to_read(page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .rows::<WebhookRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(WebhookRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, page.limit, |webhook| Cursor {
            time: webhook.created_at,
            id: webhook.webhook_id.0.to_string(),
        }))
    }

    async fn list_attempts(&self, query: &AttemptQuery) -> Result<Page<WebhookAttempt>, StoreError> {
        attempts::list(&mut *self.connection().await?, query).await
    }
}
