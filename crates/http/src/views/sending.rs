//! Brake on the sending of an organization.

use inboxd_core::model::{SendingBrake, SendingCounts};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Brake on the sending of an organization whose mail bounces or is reported as spam too often.
#[derive(Serialize, ToSchema)]
#[schema(as = SendingBrake)]
pub(crate) struct SendingBrakeView {
    /// `slowed`: few messages a day leave; `held`: none leaves until the operator lifts the brake.
    #[schema(value_type = String, example = "slowed")]
    status: &'static str,
    /// Rate and its limit.
    reason: String,
    /// Time at which the brake was applied.
    #[schema(format = DateTime)]
    since: String,
}

impl From<SendingBrake> for SendingBrakeView {
    fn from(brake: SendingBrake) -> Self {
        Self { status: brake.level.as_str(), reason: brake.reason, since: format_time(brake.since) }
    }
}

/// Change of the brake on the sending of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Sending)]
pub(crate) struct SendingView {
    /// Rate and its limit, or the end of the brake.
    reason: String,
    /// Messages sent in the counted days; absent if the operator lifted the brake.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sent: Option<u64>,
    /// Messages of the counted days that bounced permanently; absent with `sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    bounced: Option<u64>,
    /// Messages of the counted days that were reported as spam; absent with `sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    complained: Option<u64>,
}

impl SendingView {
    pub(super) fn new(reason: String, counts: Option<SendingCounts>) -> Self {
        Self {
            reason,
            sent: counts.map(|counts| counts.sent),
            bounced: counts.map(|counts| counts.bounced),
            complained: counts.map(|counts| counts.complained),
        }
    }
}
