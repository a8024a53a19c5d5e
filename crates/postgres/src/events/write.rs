//! Writes of events.

use async_trait::async_trait;
use inboxd_core::model::Event;
use inboxd_core::ports::{EventWrites, StoreError};

use crate::tx::PgTx;

#[async_trait]
impl EventWrites for PgTx {
    async fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        self.kept().events.extend_from_slice(events);
        Ok(())
    }
}
