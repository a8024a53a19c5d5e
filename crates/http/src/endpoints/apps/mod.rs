//! `/v0/apps`: always empty.

pub(crate) mod accounts;
pub(crate) mod connect;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod search;

use utoipa::IntoParams;
use utoipa::openapi::schema::Object;

use crate::query_docs::word;

/// Kinds of apps.
pub(crate) const CATEGORIES: &[&str] = &[
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

/// Search text of apps.
#[derive(IntoParams)]
#[expect(dead_code, reason = "it only describes parameters")]
#[into_params(parameter_in = Query)]
pub(crate) struct AppSearchParams {
    /// Beginning of the name of an app.
    #[param(min_length = 1, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    q: String,
}

/// Filter of apps.
#[derive(IntoParams)]
#[expect(dead_code, reason = "it only describes parameters")]
#[into_params(parameter_in = Query)]
pub(crate) struct AppCategoryParams {
    /// Kind of the apps.
    #[param(schema_with = app_categories)]
    category: Option<String>,
}

/// Returns the schema of a kind of apps.
fn app_categories() -> Object {
    word(CATEGORIES.iter().copied())
}
