//! Addresses that must not be mailed again.

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{OrganizationId, Suppression, SuppressionReason};
use inboxd_core::ports::{StoreError, SuppressionReads, Suppressions};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::accounts::stored_address;
use crate::error::failure;
use crate::schema::suppressions;
use crate::store::PgStore;
use crate::tx::PgTx;

#[async_trait]
impl SuppressionReads for PgStore {
    async fn suppressed(
        &self,
        organization_id: OrganizationId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<Suppression>, StoreError> {
        let normalized: Vec<String> = addresses.iter().map(EmailAddress::normalized).collect();
        let rows: Vec<(String, String, OffsetDateTime)> = suppressions::table
            .filter(suppressions::organization_id.eq(organization_id.0))
            .filter(suppressions::address.eq_any(normalized))
            .order(suppressions::address)
            .select((suppressions::address, suppressions::reason, suppressions::created_at))
            .load(&mut *self.connection().await?)
            .await
            .map_err(failure)?;
        rows.into_iter()
            .map(|(address, reason, created_at)| {
                Ok(Suppression {
                    organization_id,
                    address: stored_address(&address)?,
                    reason: stored_reason(&reason)?,
                    created_at,
                })
            })
            .collect()
    }
}

#[async_trait]
impl Suppressions for PgTx {
    async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError> {
        diesel::insert_into(suppressions::table)
            .values((
                suppressions::organization_id.eq(suppression.organization_id.0),
                suppressions::address.eq(suppression.address.normalized()),
                suppressions::reason.eq(suppression.reason.as_str()),
                suppressions::created_at.eq(suppression.created_at),
            ))
            .on_conflict_do_nothing()
            .execute(self.connection()?)
            .await
            .map_err(failure)?;
        Ok(())
    }
}

fn stored_reason(text: &str) -> Result<SuppressionReason, StoreError> {
    [SuppressionReason::Bounce, SuppressionReason::Complaint]
        .into_iter()
        .find(|reason| reason.as_str() == text)
        .ok_or_else(|| StoreError::Failed(format!("unknown reason of a suppression {text:?}")))
}
