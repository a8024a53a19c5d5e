//! An event, rendered once for all who see the same of it.

use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use inboxd_core::app::feed::{Share, share};
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{Caller, Event, HidingLabels};
use inboxd_core::ports::{EventJson, WholeEvent};
use inboxd_core::rules::webhooks::truncation::{MAX_BODY_BYTES, fit};

use crate::webhook_body::EventBodies;

/// An event of a feed, as its readers are told it. Its mail is kept in no other form: readers share what they are sent.
pub(crate) struct FeedItem {
    pub(crate) place: FeedPosition,
    pub(crate) event: Event,
    /// The hiding labels of its mail.
    hidden: HidingLabels,
    /// The combinations of them in its thread.
    thread_sets: i32,
    /// With its mail; `None` once it has been let go.
    whole: Mutex<Option<Bytes>>,
    /// Without: for those who may not read it.
    bare: OnceLock<Bytes>,
}

/// What a reader is told of an item.
pub(super) enum RenderedItem {
    /// This, in JSON.
    Json(Bytes),
    /// Nothing: they do not reach it.
    Nothing,
    /// What is not here for them. It stands in the table.
    Released,
}

impl FeedItem {
    pub(super) fn new(place: FeedPosition, event: WholeEvent) -> Self {
        let WholeEvent { record, left_out } = event;
        let hidden =
            record.mail.as_ref().map_or(HidingLabels::NONE, |(message, _)| HidingLabels::of(&message.item.labels));
        let thread_sets = record.mail.as_ref().map_or(0, |(_, thread)| thread.hidden_sets);
        let event = record.event.clone();
        let whole = fit(record, &left_out, MAX_BODY_BYTES, |record, missing| EventBodies.event_json(record, missing));
        Self { place, event, hidden, thread_sets, whole: Mutex::new(Some(whole.into())), bare: OnceLock::new() }
    }

    /// How many octets it holds.
    pub(super) fn bytes(&self) -> usize {
        self.whole().map_or(0, |json| json.len())
    }

    /// Lets its mail go: those who were slow to read it have to look it up.
    pub(super) fn release_mail(&self) {
        *self.whole.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What a caller is told of it.
    pub(super) fn render_for(&self, caller: &Caller) -> RenderedItem {
        match share(caller, &self.event, self.hidden, self.thread_sets) {
            Share::Nothing => RenderedItem::Nothing,
            // The table has it; only who sees the same shares what is rendered here.
            Share::PartOfThread => RenderedItem::Released,
            Share::Whole => self.whole().map_or(RenderedItem::Released, RenderedItem::Json),
            Share::WithoutMail => RenderedItem::Json(self.bare.get_or_init(|| self.without_mail()).clone()),
        }
    }

    fn whole(&self) -> Option<Bytes> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn without_mail(&self) -> Bytes {
        EventBodies.event_json(&EventRecord { event: self.event.clone(), mail: None }, &[]).into()
    }
}
