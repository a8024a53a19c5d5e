//! Feed: events of an organization in commit-safe order.

mod read;
pub(crate) mod sequence;

use async_trait::async_trait;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{EventId, OrganizationId};
use inboxd_core::ports::{FeedPage, FeedQuery, FeedReads, Sequenced, StoreError};
use time::OffsetDateTime;

use crate::store::PgStore;

#[async_trait]
impl FeedReads for PgStore {
    async fn sequence(
        &self,
        organizations: &[OrganizationId],
        now: OffsetDateTime,
    ) -> Result<Vec<Sequenced>, StoreError> {
        let whom = (self.name(), self.others());
        sequence::sequence(&mut *self.notify_connection().await?, whom, organizations, now).await
    }

    async fn unsequenced(&self, limit: u32) -> Result<Vec<OrganizationId>, StoreError> {
        sequence::unsequenced(&mut *self.notify_connection().await?, limit).await
    }

    async fn feed_place(
        &self,
        organization_id: OrganizationId,
        event_id: EventId,
    ) -> Result<Option<FeedPosition>, StoreError> {
        read::place(&mut *self.connection().await?, organization_id, event_id).await
    }

    async fn feed_heads(
        &self,
        organizations: &[OrganizationId],
    ) -> Result<Vec<(OrganizationId, FeedPosition)>, StoreError> {
        read::heads(&mut *self.connection().await?, organizations).await
    }

    async fn read_feed(&self, query: &FeedQuery) -> Result<FeedPage, StoreError> {
        read::read(self.connection().await?, query).await
    }
}
