//! Addresses at which the service receives aggregate reports, and their records in DNS.

use crate::model::mail_report::ReportKind;

/// Local part of the address for DMARC reports (RFC 7489, section 7.2).
pub const DMARC_REPORTS: &str = "dmarc-reports";
/// Local part of the address for TLS reports (RFC 8460, section 3).
pub const TLS_REPORTS: &str = "tls-reports";

/// Returns the kind of the reports to a local part in lower case; `None` for any other address.
#[must_use]
pub fn report_kind(local_part: &str) -> Option<ReportKind> {
    match local_part {
        DMARC_REPORTS => Some(ReportKind::Dmarc),
        TLS_REPORTS => Some(ReportKind::Tls),
        _ => None,
    }
}

/// Returns the name and the value of the record with which the service permits other domains to name its address for
/// DMARC reports (RFC 7489, section 7.1).
#[must_use]
pub fn permission(domain: &str) -> (String, &'static str) {
    (format!("*._report._dmarc.{domain}"), "v=DMARC1")
}
