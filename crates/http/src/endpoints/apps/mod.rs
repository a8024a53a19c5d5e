//! `/v0/apps`: always empty.

pub(crate) mod accounts;
pub(crate) mod connect;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;

use crate::query::formats::{choice, required_text};
use crate::query::query_params;

/// Kinds of apps.
const CATEGORIES: &[&str] = &[
    "ai",
    "search",
    "scraping",
    "browser",
    "data",
    "developer-tools",
    "communication",
    "productivity",
    "payments",
    "finance",
    "commerce",
    "marketing",
    "analytics",
    "security",
    "infrastructure",
    "other",
];

query_params! {
    /// Search text of apps.
    #[expect(dead_code, reason = "the text is checked and finds nothing")]
    pub(crate) struct AppSearchParams {
        /// Beginning of the name of an app.
        q: Option<String> = required_text(),
    }
}

query_params! {
    /// Filter of apps.
    #[expect(dead_code, reason = "the kind is checked and finds nothing")]
    pub(crate) struct AppCategoryParams {
        /// Kind of the apps.
        category: Option<()> = choice(CATEGORIES.iter().map(|category| (*category, ()))),
    }
}
