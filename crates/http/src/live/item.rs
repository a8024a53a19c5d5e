//! Feed item: an event, rendered once for all readers with the same visibility.

use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use inboxd_core::app::feed::{Share, share};
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{Caller, Event, HidingLabels};
use inboxd_core::ports::{EventJson, WholeEvent};
use inboxd_core::rules::webhooks::truncation::{MAX_BODY_BYTES, fit};

use crate::webhook_body::EventBodies;

/// An event of a feed in rendered form. Its message is stored only as JSON, and all readers share those bytes.
pub(crate) struct FeedItem {
    pub(crate) place: FeedPosition,
    pub(crate) event: Event,
    /// Hiding labels of the message.
    hidden: HidingLabels,
    /// Combinations of hiding labels in the thread.
    thread_sets: i32,
    /// JSON with the message; `None` once released.
    whole: Mutex<Option<Bytes>>,
    /// JSON without the message, for callers that may not read it.
    bare: OnceLock<Bytes>,
}

/// Rendered form of an item for one reader.
pub(super) enum RenderedItem {
    /// The event as JSON.
    Json(Bytes),
    /// Nothing, because the event is not visible to the reader.
    Nothing,
    /// No rendered form for this reader. The table has the event.
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

    /// Returns the size of the rendered message in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.whole().map_or(0, |json| json.len())
    }

    /// Releases the rendered message. Slow readers then read the event from the table.
    pub(super) fn release_mail(&self) {
        *self.whole.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the form of the item that a caller may see.
    pub(super) fn render_for(&self, caller: &Caller) -> RenderedItem {
        match share(caller, &self.event, self.hidden, self.thread_sets) {
            Share::Nothing => RenderedItem::Nothing,
            // A partial view differs between callers, so it cannot be shared and is read from the table.
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
