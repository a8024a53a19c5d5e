//! Signals between processes, by `NOTIFY` and `LISTEN`.

use async_trait::async_trait;
use diesel_async::SimpleAsyncConnection;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Signal, Signals, StoreError};

use crate::connection;
use crate::error::failure;
use crate::feed::sequence::CHANNEL;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;

/// Statement of a listening process; its name follows in a comment.
const LISTEN: &str = "LISTEN inboxd";

#[async_trait]
impl Signals for PgStore {
    async fn send_signals(&self, signals: &[Signal]) -> Result<(), StoreError> {
        let payloads: Vec<String> = signals.iter().filter_map(|signal| payload(*signal, self.name())).collect();
        let text = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
        let statement = Sql::new(text).text(CHANNEL).texts(payloads.iter().map(String::as_str));
        statement.run(&mut *self.notify_connection().await?).await?;
        Ok(())
    }

    async fn look_for_others(&self) -> Result<(), StoreError> {
        // A session that is hidden from this user may be one of them.
        let text = "SELECT current_setting('track_activities') = 'off' OR EXISTS (
                SELECT FROM pg_stat_activity WHERE datname = current_database()
                    AND (starts_with(query, $1) AND query <> $1 || ' -- ' || $2 OR query = '<insufficient privilege>')) AS flag";
        let found =
            Sql::new(text).text(LISTEN).text(self.name()).row::<FlagRow>(&mut *self.notify_connection().await?).await?;
        self.set_others(found.is_none_or(|row| row.flag));
        Ok(())
    }

    fn has_others(&self) -> bool {
        self.others()
    }

    async fn listen(&self, on_signal: &(dyn Fn(Signal) + Send + Sync)) -> Result<(), StoreError> {
        let unavailable = |error: diesel::ConnectionError| StoreError::Unavailable(error.to_string());
        let (mut connection, mut notifications) = connection::listener(self.url()).await.map_err(unavailable)?;
        connection.batch_execute(&format!("{LISTEN} -- {}", self.name())).await.map_err(failure)?;
        on_signal(Signal::Lost);
        while let Some(notification) = notifications.recv().await {
            // Signals of a later version are unknown here.
            if let Some(signal) = signal(notification.payload(), self.name()) {
                on_signal(signal);
            }
        }
        Err(StoreError::Unavailable("the connection for signals was lost".to_owned()))
    }
}

fn payload(signal: Signal, name: &str) -> Option<String> {
    match signal {
        Signal::Feed(organization_id) => Some(format!("feed {} {name}", organization_id.0)),
        Signal::Access(organization_id) => Some(format!("access {}", organization_id.0)),
        Signal::Lost => None,
    }
}

/// Parses a payload for the store of this name.
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
