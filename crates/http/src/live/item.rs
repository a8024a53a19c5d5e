//! An event, rendered once for all who see the same of it.

use std::sync::OnceLock;

use bytes::Bytes;
use inboxd_core::app::feed::{is_shown, shown};
use inboxd_core::model::Caller;
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::feed::FeedPlace;

use crate::views::event_json;

/// An event of a feed, with all of its mail.
pub(crate) struct Item {
    pub(crate) place: FeedPlace,
    pub(crate) record: EventRecord,
    /// With its mail.
    whole: OnceLock<Bytes>,
    /// Without: for those who may not read it.
    bare: OnceLock<Bytes>,
}

impl Item {
    pub(super) fn new(place: FeedPlace, record: EventRecord) -> Self {
        Self { place, record, whole: OnceLock::new(), bare: OnceLock::new() }
    }

    /// What a caller is told of it, in JSON; `None` where they do not reach it.
    pub(super) fn told_to(&self, caller: &Caller) -> Option<Bytes> {
        if !is_shown(caller, &self.record.event) {
            return None;
        }
        let shown = shown(caller, &self.record);
        let rendered = if shown.mail.is_some() { &self.whole } else { &self.bare };
        Some(rendered.get_or_init(|| event_json(shown)).clone())
    }
}
