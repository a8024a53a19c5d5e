//! Free and busy times of an inbox.

use inboxd_core::app::calendar::FreeBusy;
use inboxd_core::model::InboxId;
use inboxd_core::rules::free_busy::BusyPeriod;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::time::format_time;

/// Free and busy times of an inbox.
#[derive(Serialize, ToSchema)]
#[schema(as = FreeBusy)]
pub(crate) struct FreeBusyView {
    /// Id of the inbox.
    inbox_id: String,
    /// Start of the window.
    #[schema(format = DateTime)]
    after: String,
    /// End of the window.
    #[schema(format = DateTime)]
    before: String,
    /// Busy periods by their start. Those of one status do not overlap; the inbox is free at all other times.
    periods: Vec<BusyPeriodView>,
}

/// Period in which an inbox is busy.
#[derive(Serialize, ToSchema)]
#[schema(as = BusyPeriod)]
struct BusyPeriodView {
    /// Start, within the window.
    #[schema(format = DateTime)]
    start_at: String,
    /// End, within the window.
    #[schema(format = DateTime)]
    end_at: String,
    /// `busy`, or `tentative` for what is uncertain or not answered.
    #[schema(example = "busy")]
    status: &'static str,
}

impl FreeBusyView {
    pub(crate) fn new(inbox_id: &InboxId, FreeBusy { after, before, periods }: FreeBusy) -> Self {
        let at = |second: i64| format_time(OffsetDateTime::from_unix_timestamp(second).unwrap_or(before));
        let view = |BusyPeriod { start, end, is_tentative }| BusyPeriodView {
            start_at: at(start),
            end_at: at(end),
            status: if is_tentative { "tentative" } else { "busy" },
        };
        Self {
            inbox_id: inbox_id.to_string(),
            after: format_time(after),
            before: format_time(before),
            periods: periods.into_iter().map(view).collect(),
        }
    }
}
