//! Writes of webhooks.

use async_trait::async_trait;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::{ExpressionMethods, QueryDsl, QueryableByName};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{EncryptedSecrets, InboxId, OrganizationId, PodId, Webhook, WebhookId};
use inboxd_core::ports::{StoreError, WebhookWrites};
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::{SEALED, SealedRow, WEBHOOK, WebhookRow, WholeRow};
use crate::error::{expect_rows, failure};
use crate::schema::webhooks;
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::to_count;

/// Locks, in id order, the webhooks of an inbox and those that name it.
const LOCK_OF_INBOX: &str = "SELECT FROM webhooks WHERE organization_id = $1 AND (inbox_id = $2 OR $2 = ANY(inbox_ids))
    ORDER BY webhook_id FOR NO KEY UPDATE";

/// Locks, in id order, the webhooks of a pod and those that name it.
const LOCK_OF_POD: &str = "SELECT FROM webhooks WHERE organization_id = $1 AND (pod_id = $2 OR $2 = ANY(pod_ids))
    ORDER BY webhook_id FOR NO KEY UPDATE";

#[derive(QueryableByName)]
struct DeletedRow {
    #[diesel(sql_type = SqlUuid)]
    webhook_id: Uuid,
}

#[async_trait]
impl WebhookWrites for PgTx {
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError> {
        let count: i64 = webhooks::table
            .filter(webhooks::organization_id.eq(organization_id.0))
            .count()
            .get_result(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(to_count(count))
    }

    async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<Webhook>, StoreError> {
        let text = format!("SELECT {WEBHOOK} FROM webhooks w WHERE w.organization_id = $1 ORDER BY w.webhook_id");
        let rows = Sql::new(text).uuid(organization_id.0).rows::<WebhookRow>(self.connection().await?).await?;
        rows.into_iter().map(WebhookRow::entity).collect()
    }

    async fn insert(&mut self, webhook: &Webhook, sealed: &EncryptedSecrets) -> Result<(), StoreError> {
        diesel::insert_into(webhooks::table)
            .values((WebhookRow::of(webhook)?, SealedRow::of(sealed)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
    ) -> Result<Option<(Webhook, EncryptedSecrets)>, StoreError> {
        let text = format!(
            "SELECT {WEBHOOK}, {SEALED} FROM webhooks w
            WHERE w.organization_id = $1 AND w.webhook_id = $2 FOR NO KEY UPDATE"
        );
        let row =
            Sql::new(text).uuid(organization_id.0).uuid(webhook_id.0).row::<WholeRow>(self.connection().await?).await?;
        row.map(|row| Ok((row.webhook.entity()?, row.sealed.entity()))).transpose()
    }

    async fn update(&mut self, webhook: &Webhook, sealed: &EncryptedSecrets) -> Result<(), StoreError> {
        let written = diesel::update(webhooks::table)
            .filter(webhooks::organization_id.eq(webhook.organization_id.0))
            .filter(webhooks::webhook_id.eq(webhook.webhook_id.0))
            .set((WebhookRow::of(webhook)?, SealedRow::of(sealed)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError> {
        let written = diesel::delete(webhooks::table)
            .filter(webhooks::organization_id.eq(organization_id.0))
            .filter(webhooks::webhook_id.eq(webhook_id.0))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(written > 0)
    }

    async fn leave_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<Vec<WebhookId>, StoreError> {
        let of_inbox = |text: &'static str| Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str());
        of_inbox(LOCK_OF_INBOX).run(self.connection().await?).await?;
        let deleted =
            of_inbox("DELETE FROM webhooks WHERE organization_id = $1 AND inbox_id = $2 RETURNING webhook_id")
                .rows::<DeletedRow>(self.connection().await?)
                .await?;
        let polling =
            of_inbox("DELETE FROM polling_webhooks WHERE organization_id = $1 AND inbox_id = $2 RETURNING webhook_id")
                .rows::<DeletedRow>(self.connection().await?)
                .await?;
        of_inbox(
            "UPDATE polling_webhooks SET inbox_ids = array_remove(inbox_ids, $2)
            WHERE organization_id = $1 AND $2 = ANY(inbox_ids)",
        )
        .run(self.connection().await?)
        .await?;
        of_inbox(
            "UPDATE webhooks SET inbox_ids = array_remove(inbox_ids, $2), updated_at = $3
            WHERE organization_id = $1 AND $2 = ANY(inbox_ids)",
        )
        .time(at)
        .run(self.connection().await?)
        .await?;
        Ok(deleted.into_iter().chain(polling).map(|row| row.webhook_id.into()).collect())
    }

    async fn leave_pod(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<Vec<WebhookId>, StoreError> {
        let of_pod = |text: &'static str| Sql::new(text).uuid(organization_id.0).uuid(pod_id.0);
        of_pod(LOCK_OF_POD).run(self.connection().await?).await?;
        let deleted = of_pod("DELETE FROM webhooks WHERE organization_id = $1 AND pod_id = $2 RETURNING webhook_id")
            .rows::<DeletedRow>(self.connection().await?)
            .await?;
        let polling =
            of_pod("DELETE FROM polling_webhooks WHERE organization_id = $1 AND pod_id = $2 RETURNING webhook_id")
                .rows::<DeletedRow>(self.connection().await?)
                .await?;
        of_pod(
            "UPDATE polling_webhooks SET pod_ids = array_remove(pod_ids, $2)
            WHERE organization_id = $1 AND $2 = ANY(pod_ids)",
        )
        .run(self.connection().await?)
        .await?;
        of_pod(
            "UPDATE webhooks SET pod_ids = array_remove(pod_ids, $2), updated_at = $3
            WHERE organization_id = $1 AND $2 = ANY(pod_ids)",
        )
        .time(at)
        .run(self.connection().await?)
        .await?;
        Ok(deleted.into_iter().chain(polling).map(|row| row.webhook_id.into()).collect())
    }
}
