//! JSON form of events.

use crate::model::event::EventRecord;

/// Serializes events as JSON.
pub trait EventJson: Send + Sync {
    /// Serializes an event as in `GET /v0/events`. Parts left out for their size are named in `truncated`, unless there
    /// are none.
    fn event_json(&self, record: &EventRecord, truncated: &[&'static str]) -> Vec<u8>;
}
