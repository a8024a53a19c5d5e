//! Legal holds.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// Legal hold of an inbox or the organization.
#[derive(Serialize, ToSchema)]
#[schema(as = LegalHold)]
pub(crate) struct LegalHoldView {
    /// Whether it is in force. The other fields are absent if not.
    enabled: bool,
    /// Why nothing may be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<String>,
    /// Person that placed it or changed its reason last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    placed_by: Option<ActorView>,
    /// Time at which it was placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    placed_at: Option<String>,
}

impl From<Option<model::LegalHold>> for LegalHoldView {
    fn from(hold: Option<model::LegalHold>) -> Self {
        let Some(hold) = hold else {
            return Self { enabled: false, reason: None, placed_by: None, placed_at: None };
        };
        Self {
            enabled: true,
            reason: Some(hold.reason),
            placed_by: Some(hold.placed_by.into()),
            placed_at: Some(format_time(hold.placed_at)),
        }
    }
}
