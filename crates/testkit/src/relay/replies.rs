//! SMTP replies of the relay by recipient.

use std::collections::{HashMap, VecDeque};

/// Pseudo-reply that closes the connection.
pub(super) const DISCONNECT: &str = "hang up";

/// Configured replies.
#[derive(Debug, Default)]
pub(super) struct RecipientReplies {
    once: HashMap<String, VecDeque<String>>,
    always: HashMap<String, String>,
}

impl RecipientReplies {
    pub(super) fn always(&mut self, recipient: &str, reply: &str) {
        self.always.insert(recipient.to_owned(), reply.to_owned());
    }

    pub(super) fn once(&mut self, recipient: &str, reply: &str) {
        self.once.entry(recipient.to_owned()).or_default().push_back(reply.to_owned());
    }

    /// Returns the next reply for a recipient.
    pub(super) fn next(&mut self, recipient: &str) -> String {
        let once = self.once.get_mut(recipient).and_then(VecDeque::pop_front);
        once.or_else(|| self.always.get(recipient).cloned()).unwrap_or_else(|| "250 2.1.5 ok".to_owned())
    }
}
