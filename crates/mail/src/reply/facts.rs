//! Knowledge about a message before its text is read.

/// Knowledge about a message before its lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyHint {
    /// The message is a reply and likely quotes another message.
    Reply,
    /// No header marks the message as a reply. Parts that look like a message are its own content, as in messages from
    /// forms and logs.
    NewThread,
}

/// Knowledge about a message and its author.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MailFacts<'a> {
    pub(crate) hint: ReplyHint,
    /// Display name of the author; empty if unknown.
    pub(crate) author: &'a str,
}

impl MailFacts<'_> {
    /// A reply of an unknown author.
    pub(crate) const REPLY: Self = Self { hint: ReplyHint::Reply, author: "" };
}
