//! Words about the form that led to a page. The redirect names them, so that no other site can show words of its own.

/// A notice, by its name in the query parameter `notice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notice {
    /// The name.
    pub(crate) name: &'static str,
    /// The words.
    pub(crate) text: &'static str,
}

/// All notices.
const NOTICES: &[(&str, &str)] = &[
    ("released", "Released. Agents see the message now."),
    ("redacted", "Redacted. The content is gone for good."),
    ("saved", "Saved."),
    ("deleted", "Deleted."),
    ("trashed", "Moved to trash."),
    ("unchosen", "Nothing changed: no thread was chosen."),
    ("gone", "Nothing changed: the chosen threads do not exist any more."),
    ("unlabelled", "Nothing changed: type a label first."),
    ("created", "Created."),
    ("revoked", "Revoked. It works no more."),
    ("removed", "Removed."),
    ("invited", "The invitation is on its way."),
    ("checked", "DNS was asked. The state is below."),
    ("suspended", "The organization is suspended. Its queued mail waits."),
    ("resumed", "The organization is active again."),
    ("lifted", "The brake on sending is lifted."),
    ("queued", "The events are sent again."),
    ("scheduled", "Scheduled."),
    ("unscheduled", "Nothing was sent. The message is a draft again."),
    ("discarded", "The draft was discarded."),
    ("approved", "Approved. The message is on its way."),
    ("rejected", "Rejected. The message is a draft again."),
];

impl Notice {
    /// Returns the notice of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NOTICES.iter().find(|(known, _)| *known == name).map(|&(name, text)| Self { name, text })
    }
}
