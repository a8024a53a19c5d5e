//! What was found out about a mail that came in, and what follows for its labels and its event.

use crate::model::{EventType, Labels};

/// What lists, spam checks and authentication say of a mail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The sender is blocked.
    pub blocked: bool,
    /// It is spam.
    pub spam: bool,
    /// Its authentication failed.
    pub unauthenticated: bool,
}

impl Verdict {
    /// The labels that the mail comes with: `received` and `unread`, and one for everything that stands against it.
    #[must_use]
    pub fn labels(self) -> Labels {
        let against = [(self.blocked, "blocked"), (self.spam, "spam"), (self.unauthenticated, "unauthenticated")];
        ["received", "unread"]
            .into_iter()
            .chain(against.into_iter().filter(|(holds, _)| *holds).map(|(_, label)| label))
            .collect()
    }

    /// The one event that the mail makes: the first of blocked, spam, unauthenticated, else plainly received.
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
            let verdict = Verdict { blocked, spam, unauthenticated };
            assert_eq!(verdict.event_type(), event_type);
            assert_eq!(verdict.labels().to_vec().join(" "), labels);
        }
    }
}
