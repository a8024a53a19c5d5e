//! Hidden messages in webhook payloads.

use crate::model::{EventType, HidingLabels, Labels};

/// Event types by which a webhook subscribes to messages with a hiding label, in the order of [`HidingLabels::LABELS`].
const SUBSCRIBED_BY: [EventType; 3] =
    [EventType::MessageReceivedSpam, EventType::MessageReceivedBlocked, EventType::MessageReceivedUnauthenticated];

/// Returns the hiding labels of messages that a webhook with these event types sees. Messages in the trash are
/// included: the event is about their arrival, and they were moved there later.
#[must_use]
pub fn readable(event_types: &[EventType]) -> HidingLabels {
    let trash = HidingLabels::NONE.with(SUBSCRIBED_BY.len());
    let asked_for = SUBSCRIBED_BY.iter().enumerate().filter(|(_, kind)| event_types.contains(kind));
    asked_for.fold(trash, |asked_for, (place, _)| asked_for.with(place))
}

/// Returns whether a webhook with these event types sees messages with these labels.
#[must_use]
pub fn may_include(event_types: &[EventType], labels: &Labels) -> bool {
    HidingLabels::of(labels).shown_to(readable(event_types))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_mail_is_included_by_subscription() {
        use EventType::{
            MessageReceived as Received, MessageReceivedBlocked as Blocked, MessageReceivedSpam as Spam,
            MessageReceivedUnauthenticated as Unauthenticated,
        };
        for (kinds, labels, expected) in [
            (&[Received][..], &["received", "unread"][..], true),
            (&[], &["received"], true),
            (&[Received], &["received", "trash"], true),
            (&[Received], &["received", "spam"], false),
            (&[Spam], &["received", "spam"], true),
            (&[Spam], &["received", "spam", "trash"], true),
            (&[Spam], &["received", "blocked"], false),
            (&[Blocked], &["received", "blocked"], true),
            (&[Blocked], &["received", "blocked", "spam"], false),
            (&[Blocked, Spam], &["received", "blocked", "spam"], true),
            (&[Unauthenticated], &["received", "unauthenticated"], true),
            (&[Unauthenticated], &["received", "spam"], false),
        ] {
            assert_eq!(may_include(kinds, &labels.iter().copied().collect()), expected, "{kinds:?} and {labels:?}");
        }
    }
}
