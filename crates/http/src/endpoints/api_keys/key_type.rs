//! Query parameter `type` of key lists.

use inboxd_core::model::{ApiKey, Page};

use crate::query::formats::choice;
use crate::query::{QueryReader, query_params};

query_params! {
    /// Filter of API keys.
    pub(crate) struct KeyTypeParams {
        /// Type of the keys. Every key is a `bearer` key; the list of `public_key` keys is empty.
        r#type: Option<KeyType> = choice([("bearer", KeyType::Bearer), ("public_key", KeyType::PublicKey)]),
    }
}

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
        KeyTypeParams::read(query).r#type.unwrap_or(Self::Bearer)
    }

    /// Returns the keys of a page that have this type.
    pub(crate) fn of(self, page: Page<ApiKey>) -> Page<ApiKey> {
        match self {
            Self::Bearer => page,
            Self::PublicKey => Page { items: Vec::new(), next: None },
        }
    }
}
