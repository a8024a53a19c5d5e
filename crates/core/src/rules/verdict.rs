//! Hiding verdict of a received message, with its labels and event.

use crate::model::{EventType, Labels};

/// Combined result of lists, spam checks and authentication.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HidingVerdict {
    /// The sender is blocked.
    pub blocked: bool,
    /// The message is spam.
    pub spam: bool,
    /// Authentication failed.
    pub unauthenticated: bool,
}

impl HidingVerdict {
    /// Returns the initial labels: `received` and `unread`, and one for each negative result.
    #[must_use]
    pub fn labels(self) -> Labels {
        let against = [(self.blocked, "blocked"), (self.spam, "spam"), (self.unauthenticated, "unauthenticated")];
        ["received", "unread"]
            .into_iter()
            .chain(against.into_iter().filter(|(holds, _)| *holds).map(|(_, label)| label))
            .collect()
    }

    /// Returns the one event of the message: the first of blocked, spam and unauthenticated, otherwise received.
    #[must_use]
    pub fn event_type(self) -> EventType {
        match self {
            Self { blocked: true, .. } => EventType::MessageReceivedBlocked,
            Self { spam: true, .. } => EventType::MessageReceivedSpam,
            Self { unauthenticated: true, .. } => EventType::MessageReceivedUnauthenticated,
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
            ((false, false, false), EventType::MessageReceived, "received unread"),
            ((true, false, false), EventType::MessageReceivedBlocked, "blocked received unread"),
            ((false, true, true), EventType::MessageReceivedSpam, "received spam unauthenticated unread"),
            ((false, false, true), EventType::MessageReceivedUnauthenticated, "received unauthenticated unread"),
            ((true, true, true), EventType::MessageReceivedBlocked, "blocked received spam unauthenticated unread"),
        ];
        for ((blocked, spam, unauthenticated), event_type, labels) in table {
            let verdict = HidingVerdict { blocked, spam, unauthenticated };
            assert_eq!(verdict.event_type(), event_type);
            assert_eq!(verdict.labels().to_vec().join(" "), labels);
        }
    }
}
