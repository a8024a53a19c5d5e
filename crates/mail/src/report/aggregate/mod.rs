//! Aggregate reports about a domain: DMARC (RFC 7489, section 7.2; RFC 9990) and SMTP TLS (RFC 8460).
//!
//! A report is a file of a message: XML or JSON, packed with gzip or ZIP or not at all. Everything in it is hostile:
//! sizes, numbers of rows and texts are bounded, and entities of the document are not read.

mod dmarc;
mod sums;
#[cfg(test)]
mod tests;
mod tls;
mod unpack;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::parse::tree;

/// Maximum bytes of all unpacked files of a message.
const MAX_UNPACKED_BYTES: usize = 10 * 1024 * 1024;
/// Maximum bytes of an unpacked TLS report, which has few rows.
const MAX_JSON_BYTES: usize = 1024 * 1024;
/// Maximum number of parts of a message that are tried: unpacking takes processor time.
const MAX_PARTS: usize = 4;
/// Maximum number of domains of one report.
const MAX_DOMAINS: usize = 10;
/// Maximum characters of the name of an organization and of the id of a report.
const MAX_CHARS: usize = 200;
/// Maximum characters of a domain name (RFC 1035, section 2.3.4).
const MAX_DOMAIN_CHARS: usize = 253;

/// Aggregate reports of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AggregateReports {
    /// Reports, one for each domain.
    pub reports: Vec<AggregateReport>,
    /// Whether reports about domains beyond the maximum of 10 are left out.
    pub is_cut: bool,
}

/// Report about one domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AggregateReport {
    /// Name that the reporting organization gives itself.
    pub reporter: String,
    /// Id that it gave the report.
    pub report_id: String,
    /// Reported domain, in lower case.
    pub domain: String,
    /// First second of the reported time, in Unix seconds.
    pub begin: i64,
    /// Last second of the reported time, in Unix seconds.
    pub end: i64,
    /// Content.
    pub rows: ReportRows,
    /// Number of messages or sessions in rows beyond the maximum of 500.
    pub omitted: u64,
}

/// Rows of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "rows", rename_all = "snake_case")]
pub enum ReportRows {
    /// Results of DMARC by source.
    Dmarc(Vec<DmarcRow>),
    /// Results of TLS sessions.
    Tls(Vec<TlsRow>),
}

/// Messages with the same results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmarcRow {
    /// Address that sent them.
    pub source_ip: IpAddr,
    /// Number of messages.
    pub count: u64,
    /// Action of the receiver: `none` or `pass`, `quarantine`, `reject`, or [`Self::OTHER_DISPOSITION`].
    pub disposition: String,
    /// Whether a DKIM signature of an aligned domain was valid.
    pub dkim_aligned: bool,
    /// Whether SPF passed for an aligned domain.
    pub spf_aligned: bool,
}

/// Sessions with the same result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsRow {
    /// Policy that the sender applied: `sts`, `tlsa`, `no-policy-found`, or [`Self::OTHER_POLICY`].
    pub policy: String,
    /// [`Self::SUCCESS`], or the type of the failure (RFC 8460, section 4.3).
    pub result: String,
    /// Mail server of the sessions; empty if the report names none.
    pub server: String,
    /// Number of sessions.
    pub count: u64,
}

impl DmarcRow {
    /// Word for an unknown or missing action.
    pub const OTHER_DISPOSITION: &'static str = "other";
}

impl TlsRow {
    /// Result of the sessions without a failure.
    pub const SUCCESS: &'static str = "success";
    /// Word for an unknown or missing policy.
    pub const OTHER_POLICY: &'static str = "other";
}

/// Reads the aggregate reports of a message, one for each domain; none if it has none.
///
/// All its files share the limit of unpacked bytes. A file that exceeds it or cannot be unpacked ends the search.
#[must_use]
pub fn read_aggregate_reports(raw: &[u8]) -> AggregateReports {
    let parts = tree::walk(raw);
    let leaves = parts.iter().filter(|part| part.children.is_empty() && may_be_report(part.content.media()));
    let mut left = MAX_UNPACKED_BYTES;
    for part in leaves.take(MAX_PARTS) {
        let packed = part.content.encoding.decode(part.bytes(raw));
        let Some(content) = unpack::unpack(&packed, left) else { break };
        left = left.saturating_sub(content.len());
        let found = read(&content);
        if !found.reports.is_empty() {
            return found;
        }
    }
    AggregateReports::default()
}

/// Returns whether a part may be a report: senders use a dozen media types.
fn may_be_report(media: &str) -> bool {
    media.starts_with("application/") || matches!(media, "text/xml" | "text/json")
}

fn read(content: &[u8]) -> AggregateReports {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content).trim_ascii_start();
    if content.starts_with(b"<") {
        let reports = dmarc::read(&String::from_utf8_lossy(content)).into_iter().collect();
        return AggregateReports { reports, is_cut: false };
    }
    if content.len() > MAX_JSON_BYTES {
        return AggregateReports::default();
    }
    std::str::from_utf8(content).map(tls::read).unwrap_or_default()
}

/// Bounds a text and removes its control characters.
fn bounded(text: &str, max_chars: usize) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(max_chars).collect()
}

/// Returns the stored form of a domain; an empty one for a text that is no domain name.
fn domain(text: &str) -> String {
    let name = bounded(text, MAX_DOMAIN_CHARS).trim_end_matches('.').to_ascii_lowercase();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    if is_name { name } else { String::new() }
}
