//! What the relay replies to which recipient.

use std::collections::{HashMap, VecDeque};

/// In place of a reply: close the connection.
pub(super) const HANG_UP: &str = "hang up";

/// Replies by recipient.
#[derive(Debug, Default)]
pub(super) struct Answers {
    once: HashMap<String, VecDeque<String>>,
    always: HashMap<String, String>,
}

impl Answers {
    pub(super) fn always(&mut self, recipient: &str, reply: &str) {
        self.always.insert(recipient.to_owned(), reply.to_owned());
    }

    pub(super) fn once(&mut self, recipient: &str, reply: &str) {
        self.once.entry(recipient.to_owned()).or_default().push_back(reply.to_owned());
    }

    /// The reply to a recipient now.
    pub(super) fn next(&mut self, recipient: &str) -> String {
        let once = self.once.get_mut(recipient).and_then(VecDeque::pop_front);
        once.or_else(|| self.always.get(recipient).cloned()).unwrap_or_else(|| "250 2.1.5 ok".to_owned())
    }
}
