//! What an event looks like on the wire.

use crate::model::event::EventRecord;

/// Shows events as JSON.
pub trait EventJson: Send + Sync {
    /// The event as `GET /v0/events` shows it. What was left out for its size is named in `truncated`, unless it is
    /// nothing.
    fn event_json(&self, record: &EventRecord, truncated: &[&'static str]) -> Vec<u8>;
}
