//! Reads of deliveries, webhooks and events, for many deliveries at once.

use async_trait::async_trait;
use diesel::sql_types::{Array, Timestamptz};
use inboxd_core::model::{EncryptedSecrets, Event, HidingLabels, OrganizationId, Webhook, WebhookDelivery, WebhookId};
use inboxd_core::ports::{DeliveryClaim, DeliveryReads, EventKey, StoreError, WholeEvent};

use super::claim;
use crate::events::mail::ReadableMail;
use crate::events::rows::{EVENT, EventRow, with_mail};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::webhooks::{SEALED, WEBHOOK, WholeRow};

#[async_trait]
impl DeliveryReads for PgStore {
    async fn claim_deliveries(&self, claim: &DeliveryClaim) -> Result<Vec<WebhookDelivery>, StoreError> {
        claim::claim(&mut *self.notify_connection().await?, claim).await
    }

    async fn receivers(
        &self,
        webhooks: &[(OrganizationId, WebhookId)],
    ) -> Result<Vec<(Webhook, EncryptedSecrets)>, StoreError> {
        let text = format!(
            "SELECT {WEBHOOK}, {SEALED} FROM unnest($1::uuid[], $2::uuid[]) AS a(organization_id, webhook_id)
                JOIN webhooks w ON w.organization_id = a.organization_id AND w.webhook_id = a.webhook_id"
        );
        let rows = Sql::new(text)
            .uuids(webhooks.iter().map(|(organization_id, _)| organization_id.0))
            .uuids(webhooks.iter().map(|(_, webhook_id)| webhook_id.0))
            .rows::<WholeRow>(&mut *self.notify_connection().await?)
            .await?;
        rows.into_iter().map(|row| Ok((row.webhook.entity()?, row.sealed.entity()))).collect()
    }

    async fn whole_events(&self, events: &[EventKey], largest_body: u32) -> Result<Vec<WholeEvent>, StoreError> {
        let mut connection = self.notify_connection().await?;
        let text = format!(
            "SELECT {EVENT} FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[])
                    WITH ORDINALITY AS a(organization_id, created_at, event_id, place)
                JOIN events e ON e.organization_id = a.organization_id AND e.created_at = a.created_at
                    AND e.event_id = a.event_id
            ORDER BY a.place"
        );
        let rows = Sql::new(text)
            .uuids(events.iter().map(|event| event.organization_id.0))
            .bind::<Array<Timestamptz>, _>(events.iter().map(|event| event.created_at).collect::<Vec<_>>())
            .uuids(events.iter().map(|event| event.event_id.0))
            .rows::<EventRow>(&mut connection)
            .await?;
        let found = rows.into_iter().map(EventRow::logged).collect::<Result<Vec<Event>, _>>()?;
        with_mail(connection, ReadableMail { with_mail: true, hidden: HidingLabels::ALL, largest_body }, found).await
    }
}
