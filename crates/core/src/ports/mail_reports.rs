//! Received aggregate reports.

use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::mail_report::{MailReport, MailReportFilter, ReportLimits, ReportOutcome};

/// Reads of aggregate reports. Only operators use them.
#[port]
pub trait MailReportReads {
    /// Returns the newest selected reports, newest first.
    async fn mail_reports(&self, filter: &MailReportFilter) -> Result<Vec<MailReport>, StoreError>;

    /// Returns a report; `None` for one that was never stored, was evicted or has expired.
    async fn mail_report(&self, mail_report_id: Uuid) -> Result<Option<MailReport>, StoreError>;
}

/// Writes of aggregate reports.
#[port]
pub trait MailReportWrites: Send {
    /// Stores the reports of a message, which have the same sender, within the limits of a day, and evicts above the
    /// other limits: reports without an authenticated sender first, then the oldest of the largest shares. A report
    /// above the limit of a day displaces one of a larger share. Returns the outcome of each: [`ReportOutcome::Stored`],
    /// [`ReportOutcome::Duplicate`], or [`ReportOutcome::Limited`] for one that is not stored or was evicted at once.
    async fn store(&mut self, reports: &[MailReport], limits: ReportLimits) -> Result<Vec<ReportOutcome>, StoreError>;

    /// Deletes up to `limit` reports received before a time. Returns their number.
    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}
