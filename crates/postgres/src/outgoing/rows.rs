//! Rows of `outgoing`.

use diesel::{Queryable, QueryableByName, Selectable};
use inboxd_core::model::outgoing::{RawMail, SentMessage};
use inboxd_core::model::{InboxId, MessageId, QueuedMail, Route, TraceContext};
use inboxd_core::ports::StoreError;
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::stored_address;
use crate::schema::outgoing;
use crate::stored_row::stored_row;

stored_row! {
    /// A row of `outgoing`, without the content of a deleted message.
    #[derive(Queryable, QueryableByName, Selectable)]
    #[diesel(table_name = outgoing, check_for_backend(diesel::pg::Pg))]
    pub(super) struct OutgoingRow;

    /// Columns of [`OutgoingRow`], of a table named `o`.
    pub(super) const OUTGOING = "o";

    organization_id: Uuid,
    outgoing_id: Uuid,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    thread_id: Option<Uuid>,
    message_id: Option<String>,
    route: String,
    envelope_from: String,
    recipients: Vec<String>,
    sealed: Option<Vec<u8>>,
    attempts: i32,
    created_at: OffsetDateTime,
    due_at: OffsetDateTime,
    destination: String,
    claim_id: Option<Uuid>,
    is_delay_told: bool,
    is_code: bool,
    traceparent: Option<String>,
}

impl OutgoingRow {
    /// Returns the destination of the message.
    pub(super) fn destination(&self) -> &str {
        &self.destination
    }

    /// Returns the message of the row, or logs why it is unreadable.
    pub(super) fn readable(self) -> Option<QueuedMail> {
        let (organization_id, outgoing_id) = (self.organization_id, self.outgoing_id);
        self.entity()
            .inspect_err(|error| tracing::error!(%organization_id, %outgoing_id, %error, "queued message unreadable"))
            .ok()
    }

    /// Returns the message of the row.
    pub(super) fn entity(self) -> Result<QueuedMail, StoreError> {
        let message = match (self.pod_id, self.inbox_id, self.thread_id, self.message_id) {
            (Some(pod_id), Some(inbox_id), Some(thread_id), Some(message_id)) => Some(SentMessage {
                pod_id: pod_id.into(),
                inbox_id: InboxId::stored(inbox_id),
                thread_id: thread_id.into(),
                message_id: MessageId::stored(message_id),
            }),
            _ => None,
        };
        Ok(QueuedMail {
            outgoing_id: self.outgoing_id.into(),
            organization_id: self.organization_id.into(),
            message,
            route: stored_route(&self.route)?,
            envelope_from: stored_address(&self.envelope_from)?,
            recipients: stored_addresses(&self.recipients)?,
            raw: self.sealed.map_or(RawMail::OfMessage, RawMail::Sealed),
            attempts: u32::try_from(self.attempts).unwrap_or(0),
            created_at: self.created_at,
            due_at: self.due_at,
            destination: self.destination,
            claim_id: self.claim_id,
            is_delay_told: self.is_delay_told,
            is_code: self.is_code,
            traceparent: self.traceparent.as_deref().and_then(TraceContext::parse),
        })
    }
}

/// Returns the stored number of attempts.
pub(super) fn stored_attempts(attempts: u32) -> i32 {
    i32::try_from(attempts).unwrap_or(i32::MAX)
}

/// Parses stored addresses.
pub(super) fn stored_addresses(texts: &[String]) -> Result<Vec<EmailAddress>, StoreError> {
    texts.iter().map(|text| stored_address(text)).collect()
}

/// Returns the stored name of a route.
pub(super) fn route_name(route: Route) -> &'static str {
    match route {
        Route::Local => "local",
        Route::Remote => "remote",
    }
}

fn stored_route(name: &str) -> Result<Route, StoreError> {
    [Route::Local, Route::Remote]
        .into_iter()
        .find(|route| route_name(*route) == name)
        .ok_or_else(|| StoreError::Failed(format!("unknown route {name:?}")))
}
