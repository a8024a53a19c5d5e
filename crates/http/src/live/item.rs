//! An event, rendered once for all who see the same of it.

use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use inboxd_core::app::feed::{is_shown, reads_mail};
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::feed::FeedPlace;
use inboxd_core::model::{Caller, Event, Hidden};

use crate::views::event_json;

/// An event of a feed.
pub(crate) struct Item {
    pub(crate) place: FeedPlace,
    pub(crate) event: Event,
    /// The hiding labels of its mail; `None` where it has none.
    hidden: Option<Hidden>,
    /// With its mail; `None` once it has been let go.
    whole: Mutex<Option<Bytes>>,
    /// Without: for those who may not read it.
    bare: OnceLock<Bytes>,
}

/// What a reader is told of an item.
pub(super) enum Share {
    /// This, in JSON.
    Json(Bytes),
    /// Nothing: they do not reach it.
    Nothing,
    /// What is no longer here. It stands in the table.
    LetGo,
}

impl Item {
    pub(super) fn new(place: FeedPlace, record: EventRecord) -> Self {
        let event = record.event.clone();
        let hidden = record.mail.as_ref().map(|(message, _)| Hidden::of(&message.item.labels));
        Self { place, event, hidden, whole: Mutex::new(Some(event_json(record))), bare: OnceLock::new() }
    }

    /// How many octets it holds.
    pub(super) fn octets(&self) -> usize {
        self.whole().map_or(0, |json| json.len())
    }

    /// Lets its mail go: those who were slow to read it have to look it up.
    pub(super) fn let_go(&self) {
        *self.whole.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What a caller is told of it.
    pub(super) fn told_to(&self, caller: &Caller) -> Share {
        if !is_shown(caller, &self.event) {
            return Share::Nothing;
        }
        if self.hidden.is_some_and(|hidden| !reads_mail(caller, hidden)) {
            let bare = || event_json(EventRecord { event: self.event.clone(), mail: None });
            return Share::Json(self.bare.get_or_init(bare).clone());
        }
        self.whole().map_or(Share::LetGo, Share::Json)
    }

    fn whole(&self) -> Option<Bytes> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
