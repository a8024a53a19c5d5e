//! Hiding verdict of a received message, with its labels and event.

use crate::model::{ARMOR_HELD, EventType, HELD, Labels};

/// Combined result of lists, spam checks and authentication.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a label")]
pub struct HidingVerdict {
    /// The sender is blocked.
    pub blocked: bool,
    /// The message is spam.
    pub spam: bool,
    /// Authentication failed.
    pub unauthenticated: bool,
    /// A person must release the message.
    pub held: bool,
}

impl HidingVerdict {
    /// Returns the initial labels: `received` and `unread`, and one for each negative result.
    #[must_use]
    pub fn labels(self) -> Labels {
        let against = [
            (self.blocked, "blocked"),
            (self.spam, "spam"),
            (self.unauthenticated, "unauthenticated"),
            (self.held, HELD),
            (self.held, ARMOR_HELD),
        ];
        ["received", "unread"]
            .into_iter()
            .chain(against.into_iter().filter(|(holds, _)| *holds).map(|(_, label)| label))
            .collect()
    }

    /// Returns the one event of the message: the first of blocked, spam, unauthenticated and held, otherwise
    /// received.
    #[must_use]
    pub fn event_type(self) -> EventType {
        match self {
            Self { blocked: true, .. } => EventType::MessageReceivedBlocked,
            Self { spam: true, .. } => EventType::MessageReceivedSpam,
            Self { unauthenticated: true, .. } => EventType::MessageReceivedUnauthenticated,
            Self { held: true, .. } => EventType::MessageSecurityReview,
            _ => EventType::MessageReceived,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_one_event_and_all_its_labels() {
        let table = [
            ((false, false, false, false), EventType::MessageReceived, "received unread"),
            ((true, false, false, false), EventType::MessageReceivedBlocked, "blocked received unread"),
            ((false, true, true, false), EventType::MessageReceivedSpam, "received spam unauthenticated unread"),
            ((false, false, true, false), EventType::MessageReceivedUnauthenticated, "received unauthenticated unread"),
            (
                (true, true, true, false),
                EventType::MessageReceivedBlocked,
                "blocked received spam unauthenticated unread",
            ),
            ((false, false, false, true), EventType::MessageSecurityReview, "agent-armor-held held received unread"),
            ((false, true, false, true), EventType::MessageReceivedSpam, "agent-armor-held held received spam unread"),
        ];
        for ((blocked, spam, unauthenticated, held), event_type, labels) in table {
            let verdict = HidingVerdict { blocked, spam, unauthenticated, held };
            assert_eq!(verdict.event_type(), event_type);
            assert_eq!(verdict.labels().to_vec().join(" "), labels);
        }
    }
}
