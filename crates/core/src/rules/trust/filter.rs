//! Filter of events by the verdict of their mail.

use super::reason::Verdict;
use crate::model::EventType;

/// Returns whether an event passes a filter by verdict.
///
/// An empty filter passes everything. Another one restricts events of received mail alone, to the mail with one of these
/// verdicts; mail that was never judged has none. `HEARS` in `postgres/src/deliveries`, and the reads of `events` and
/// `feed` there, are the same rule in SQL.
#[must_use]
pub fn passes(filter: &[Verdict], event_type: EventType, verdict: Option<Verdict>) -> bool {
    filter.is_empty() || !event_type.is_of_received_mail() || verdict.is_some_and(|verdict| filter.contains(&verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_restricts_events_of_received_mail_alone() {
        use EventType::{DomainVerified, MessageBounced, MessageReceived, MessageReceivedSpam, MessageSent};
        use Verdict::{Known, Suspicious, Trusted};
        for (filter, event_type, verdict, expected) in [
            (&[][..], MessageReceived, None, true),
            (&[], MessageReceived, Some(Suspicious), true),
            (&[Trusted, Known], MessageReceived, Some(Known), true),
            (&[Trusted, Known], MessageReceived, Some(Suspicious), false),
            (&[Trusted, Known], MessageReceived, None, false),
            (&[Suspicious], MessageReceivedSpam, Some(Suspicious), true),
            (&[Suspicious], MessageReceivedSpam, Some(Known), false),
            (&[Trusted], MessageSent, None, true),
            (&[Trusted], MessageBounced, None, true),
            (&[Trusted], DomainVerified, None, true),
        ] {
            assert_eq!(passes(filter, event_type, verdict), expected, "{filter:?} {event_type} {verdict:?}");
        }
    }
}
