//! Query parameter `type` of key lists.

use inboxd_core::model::{ApiKey, Page};

use crate::query::QueryReader;

/// Type of the listed keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    /// Bearer keys, the type of every key.
    Bearer,
    /// Public keys: clients of this API may request them, but none exist.
    PublicKey,
}

impl KeyType {
    /// Reads the type from the query string; bearer keys are the default.
    pub(crate) fn asked(query: &mut QueryReader) -> Self {
        match query.word("type", &["bearer", "public_key"]) {
            Some("public_key") => Self::PublicKey,
            _ => Self::Bearer,
        }
    }

    /// Returns the keys of a page that have this type.
    pub(crate) fn of(self, page: Page<ApiKey>) -> Page<ApiKey> {
        match self {
            Self::Bearer => page,
            Self::PublicKey => Page { items: Vec::new(), next: None },
        }
    }
}
