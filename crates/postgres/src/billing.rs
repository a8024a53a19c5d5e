//! Customers, subscriptions and processed events of the payment provider.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{
    BillingRecord, CustomerId, OrganizationId, Plan, Subscription, SubscriptionId, SubscriptionState,
};
use inboxd_core::ports::{BillingReads, BillingWrites, StoreError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Retention of processed events. The provider repeats unconfirmed events for days, and signatures are valid for
/// minutes.
const EVENT_TTL: Duration = Duration::days(90);

#[derive(QueryableByName)]
struct CustomerRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    customer_id: String,
}

#[derive(QueryableByName)]
struct SubscriptionRow {
    #[diesel(sql_type = Text)]
    subscription_id: String,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Nullable<Text>)]
    plan: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    said_at: OffsetDateTime,
}

impl SubscriptionRow {
    fn entity(self, organization_id: OrganizationId) -> Result<Subscription, StoreError> {
        let unknown = |what: &str, text: &str| StoreError::Failed(format!("unknown {what} {text:?} of a subscription"));
        let plan = |text: String| text.parse::<Plan>().map_err(|_| unknown("plan", &text));
        let state = SubscriptionState::ALL.into_iter().find(|state| state.as_str() == self.state);
        Ok(Subscription {
            organization_id,
            subscription_id: SubscriptionId(self.subscription_id),
            state: state.ok_or_else(|| unknown("state", &self.state))?,
            plan: self.plan.map(plan).transpose()?,
            said_at: self.said_at,
        })
    }
}

async fn record(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
) -> Result<BillingRecord, StoreError> {
    let customer = "SELECT organization_id, customer_id FROM billing_customers WHERE organization_id = $1";
    let customer: Option<CustomerRow> = Sql::new(customer).uuid(organization_id.0).row(connection).await?;
    let subscriptions = "SELECT subscription_id, state, plan, said_at FROM subscriptions
        WHERE organization_id = $1 ORDER BY said_at, subscription_id";
    let subscriptions: Vec<SubscriptionRow> = Sql::new(subscriptions).uuid(organization_id.0).rows(connection).await?;
    Ok(BillingRecord {
        customer_id: customer.map(|row| CustomerId(row.customer_id)),
        subscriptions: subscriptions.into_iter().map(|row| row.entity(organization_id)).collect::<Result<_, _>>()?,
    })
}

#[async_trait]
impl BillingReads for PgStore {
    async fn billing(&self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError> {
        record(&mut *self.connection().await?, organization_id).await
    }

    async fn organization_of_customer(&self, customer_id: &CustomerId) -> Result<Option<OrganizationId>, StoreError> {
        let text = "SELECT organization_id, customer_id FROM billing_customers WHERE customer_id = $1";
        let row: Option<CustomerRow> = Sql::new(text).text(&customer_id.0).row(&mut *self.connection().await?).await?;
        Ok(row.map(|row| row.organization_id.into()))
    }
}

#[async_trait]
impl BillingWrites for PgTx {
    async fn note_event(
        &mut self,
        organization_id: OrganizationId,
        event_id: &str,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let connection = self.connection().await?;
        let forget = "DELETE FROM payment_events WHERE organization_id = $1 AND seen_at < $2";
        Sql::new(forget).uuid(organization_id.0).time(now - EVENT_TTL).run(connection).await?;
        let note = "INSERT INTO payment_events (organization_id, event_id, seen_at) VALUES ($1, $2, $3)
            ON CONFLICT (organization_id, event_id) DO NOTHING";
        Ok(Sql::new(note).uuid(organization_id.0).text(event_id).time(now).run(connection).await? == 1)
    }

    async fn read(&mut self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError> {
        record(self.connection().await?, organization_id).await
    }

    async fn put_subscription(&mut self, subscription: &Subscription) -> Result<(), StoreError> {
        let text = "INSERT INTO subscriptions (organization_id, subscription_id, state, plan, said_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (organization_id, subscription_id)
            DO UPDATE SET state = EXCLUDED.state, plan = EXCLUDED.plan, said_at = EXCLUDED.said_at";
        Sql::new(text)
            .uuid(subscription.organization_id.0)
            .text(&subscription.subscription_id.0)
            .text(subscription.state.as_str())
            .optional_text(subscription.plan.map(Plan::as_str))
            .time(subscription.said_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn put_customer(
        &mut self,
        organization_id: OrganizationId,
        customer_id: &CustomerId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let text = "INSERT INTO billing_customers (organization_id, customer_id, updated_at)
            SELECT $1, $2, $3
            WHERE NOT EXISTS (SELECT FROM billing_customers WHERE customer_id = $2 AND organization_id <> $1)
            ON CONFLICT (organization_id)
            DO UPDATE SET customer_id = EXCLUDED.customer_id, updated_at = EXCLUDED.updated_at";
        Sql::new(text).uuid(organization_id.0).text(&customer_id.0).time(now).run(self.connection().await?).await?;
        Ok(())
    }
}
