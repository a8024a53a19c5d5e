//! Hints between processes, by `NOTIFY` and `LISTEN`.

use std::pin::pin;

use async_trait::async_trait;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::StreamExt;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Signal, Signals, StoreError};

use crate::connection;
use crate::error::failure;
use crate::sql::Sql;
use crate::store::PgStore;

/// The name that all processes on a database know.
pub(crate) const CHANNEL: &str = "inboxd";

#[async_trait]
impl Signals for PgStore {
    async fn send_signals(&self, signals: &[Signal]) -> Result<(), StoreError> {
        let payloads: Vec<String> = signals.iter().copied().filter_map(payload).collect();
        let text = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
        let statement = Sql::new(text).text(CHANNEL).texts(payloads.iter().map(String::as_str));
        statement.run(&mut *self.connection().await?).await?;
        Ok(())
    }
}

impl PgStore {
    /// Listens on a connection of its own, and hands on what is heard until that connection is lost. The first thing that
    /// is heard is [`Signal::Lost`]: what was sent before it listened, nobody heard. Of events that got their places by
    /// this store nothing is heard: whoever gave them knows.
    ///
    /// # Errors
    /// Always, in the end: why it listens no longer.
    pub async fn listen(&self, url: &str, hear: impl Fn(Signal)) -> Result<(), StoreError> {
        let unavailable = |error: diesel::ConnectionError| StoreError::Unavailable(error.to_string());
        let mut connection: AsyncPgConnection = connection::establish(url).await.map_err(unavailable)?;
        connection.batch_execute(&format!("LISTEN {CHANNEL}")).await.map_err(failure)?;
        hear(Signal::Lost);
        let mut notifications = pin!(connection.notifications_stream());
        while let Some(notification) = notifications.next().await {
            // What a later version sends, this one does not know.
            if let Some(signal) = signal(&notification.map_err(failure)?.payload, self.name()) {
                hear(signal);
            }
        }
        Err(StoreError::Unavailable("the connection for signals was lost".to_owned()))
    }
}

fn payload(signal: Signal) -> Option<String> {
    match signal {
        Signal::Feed(organization_id) => Some(format!("feed {}", organization_id.0)),
        Signal::Access(organization_id) => Some(format!("access {}", organization_id.0)),
        Signal::Lost => None,
    }
}

/// What a payload says to the store of this name.
fn signal(payload: &str, name: &str) -> Option<Signal> {
    let mut words = payload.split(' ');
    let (kind, id, sender) = (words.next()?, words.next()?, words.next());
    let organization_id = OrganizationId(id.parse().ok()?);
    match kind {
        "feed" if sender != Some(name) => Some(Signal::Feed(organization_id)),
        "access" => Some(Signal::Access(organization_id)),
        _ => None,
    }
}
