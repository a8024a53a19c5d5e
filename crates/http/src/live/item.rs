//! An event, rendered once for all who see the same of it.

use std::sync::OnceLock;

use bytes::Bytes;
use inboxd_core::app::feed::{Share, share};
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::feed::FeedPlace;
use inboxd_core::model::{Caller, Event, Hidden};
use inboxd_core::ports::{EventJson, WholeEvent};
use inboxd_core::rules::webhooks::truncation::{LARGEST_BODY, fitted};

use crate::webhook_body::EventBodies;

/// An event of a feed, as its readers are told it. Its mail is kept in no other form: readers share what they are sent.
pub(crate) struct Item {
    pub(crate) place: FeedPlace,
    pub(crate) event: Event,
    /// The hiding labels of its mail.
    hidden: Hidden,
    /// With its mail.
    whole: Bytes,
    /// Without: for those who may not read it.
    bare: OnceLock<Bytes>,
}

impl Item {
    pub(super) fn new(place: FeedPlace, event: WholeEvent) -> Self {
        let WholeEvent { record, left_out } = event;
        let hidden = record.mail.as_ref().map_or(Hidden::NONE, |(message, _)| Hidden::of(&message.item.labels));
        let event = record.event.clone();
        let whole = fitted(record, &left_out, LARGEST_BODY, |record, missing| EventBodies.event_json(record, missing));
        Self { place, event, hidden, whole: whole.into(), bare: OnceLock::new() }
    }

    /// What a caller is told of it, in JSON; `None` where they do not reach it.
    pub(super) fn told_to(&self, caller: &Caller) -> Option<Bytes> {
        match share(caller, &self.event, self.hidden) {
            Share::Nothing => None,
            Share::Whole => Some(self.whole.clone()),
            Share::WithoutMail => Some(self.bare.get_or_init(|| self.without_mail()).clone()),
        }
    }

    fn without_mail(&self) -> Bytes {
        EventBodies.event_json(&EventRecord { event: self.event.clone(), mail: None }, &[]).into()
    }
}
