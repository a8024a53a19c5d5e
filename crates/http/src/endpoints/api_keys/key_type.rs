//! `type` of the lists of keys.

use inboxd_core::model::{ApiKey, Page};

use crate::query::QueryReader;

/// Which keys a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    /// Bearer keys, which is what every key is.
    Bearer,
    /// Public keys, which clients of this wire ask for and nobody has here.
    PublicKey,
}

impl KeyType {
    /// What a query string asks for: bearer keys where it names nothing.
    pub(crate) fn asked(query: &mut QueryReader) -> Self {
        match query.word("type", &["bearer", "public_key"]) {
            Some("public_key") => Self::PublicKey,
            _ => Self::Bearer,
        }
    }

    /// Those keys of a page that are of this type.
    pub(crate) fn of(self, page: Page<ApiKey>) -> Page<ApiKey> {
        match self {
            Self::Bearer => page,
            Self::PublicKey => Page { items: Vec::new(), next: None },
        }
    }
}
