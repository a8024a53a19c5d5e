//! Aggregate reports of other mail servers about domains of this service and of its customers.

use inboxd_mail::{AggregateReport, ReportRows};
use time::OffsetDateTime;
use uuid::Uuid;

use super::OrganizationId;
use super::string_enum::string_enum;

string_enum! {
    /// Kind of an aggregate report.
    ReportKind {
        /// Results of DMARC (RFC 7489, section 7.2).
        Dmarc = "dmarc",
        /// Results of TLS sessions (RFC 8460).
        Tls = "tls",
    }
}

impl ReportKind {
    /// Returns the kind of a report.
    #[must_use]
    pub fn of(report: &AggregateReport) -> Self {
        match report.rows {
            ReportRows::Dmarc(_) => Self::Dmarc,
            ReportRows::Tls(_) => Self::Tls,
        }
    }
}

string_enum! {
    /// Outcome of a message at an address for aggregate reports, or of one report in it.
    ReportOutcome {
        /// The report is stored.
        Stored = "stored",
        /// The report was stored before.
        Duplicate = "duplicate",
        /// The limit of a day or the capacity is reached, of its share or of all, or the domain is beyond the maximum of
        /// a report.
        Limited = "limited",
        /// The report is about a domain that neither the service nor a customer has.
        Foreign = "foreign",
        /// The message is not authenticated as its kind of report requires.
        Unauthenticated = "unauthenticated",
        /// The reported time is no time span, lies ahead or is older than the retention.
        Outdated = "outdated",
        /// The message has no readable report.
        Unreadable = "unreadable",
    }
}

/// Result of receiving an aggregate report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedReport {
    /// Kind of the report; of the address for a message without a readable one.
    pub kind: ReportKind,
    /// Outcome.
    pub outcome: ReportOutcome,
}

/// A received aggregate report about one domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailReport {
    /// Id.
    pub mail_report_id: Uuid,
    /// Digest that identifies it, so that a report in several messages is stored once.
    pub digest: [u8; 32],
    /// Time of receipt.
    pub received_at: OffsetDateTime,
    /// Owner of a share of the capacity: the registered domain of the sender, else the network of the client.
    pub share: String,
    /// Organization of the domain; `None` for a domain of the service.
    pub organization_id: Option<OrganizationId>,
    /// Domain of the service or proven domain that the reported domain equals or lies below.
    pub base_domain: String,
    /// Domain that authenticates the message; `None` if none does. Anyone can send such a report.
    pub sender: Option<String>,
    /// Content.
    pub report: AggregateReport,
}

/// Maximum numbers of stored aggregate reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportLimits {
    /// Reports in all. Above it the oldest of the largest shares are evicted.
    pub stored: u32,
    /// Reports received within 24 hours. Further ones displace the oldest of the largest share, or are not stored.
    pub per_day: u32,
}

impl ReportLimits {
    /// Maximum bytes of all stored reports.
    pub const MAX_BYTES: u64 = 64 * 1024 * 1024;
    /// Share of one sender or network in each limit, as a divisor.
    pub const SENDER_SHARE: u32 = 8;
    /// Share of all reports without an authenticated sender in each limit, as a divisor.
    pub const UNAUTHENTICATED_SHARE: u32 = 4;
}

/// Selection of reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailReportFilter {
    /// Only reports about this domain, or about a domain below this domain of the service or of a customer.
    pub domain: Option<String>,
    /// Only reports of this kind.
    pub kind: Option<ReportKind>,
    /// Whether reports without an authenticated sender are selected too.
    pub includes_unauthenticated: bool,
    /// Only reports received at or after this time.
    pub since: OffsetDateTime,
    /// Maximum number.
    pub limit: u32,
}
