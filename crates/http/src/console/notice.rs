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
const NOTICES: [(&str, &str); 3] =
    [("saved", "Saved."), ("deleted", "Deleted."), ("created", "Created.")];

impl Notice {
    /// Returns the notice of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NOTICES.into_iter().find(|(known, _)| *known == name).map(|(name, text)| Self { name, text })
    }
}
