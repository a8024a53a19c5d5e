//! Evaluation of DNS responses for each record.

use crate::model::domain::{DomainRecord, RecordPurpose, RecordStatus};
use crate::ports::{Lookup, MxHost};

use super::record_verdict::RecordVerdict;
use super::{dkim, dmarc, mx, spf};

/// Maximum characters that are stored of a found record.
const MAX_FOUND_CHARS: usize = 1000;

/// DNS response for one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordAnswer {
    /// Response to a TXT query.
    Txt(Lookup<String>),
    /// Response to an MX query.
    Mx(Lookup<MxHost>),
}

/// A record after its DNS lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedRecord {
    /// The record with its new status.
    pub record: DomainRecord,
    /// Whether DNS responded; otherwise the record is unchanged.
    pub answered: bool,
}

/// Evaluates a record by its DNS response. A failed lookup leaves the known status, because it proves nothing.
#[must_use]
pub fn evaluate(record: DomainRecord, answer: &RecordAnswer) -> CheckedRecord {
    let (verdict, found) = match (record.purpose, answer) {
        (_, RecordAnswer::Txt(Lookup::Failed(why)) | RecordAnswer::Mx(Lookup::Failed(why))) => {
            return without_answer(record, why);
        }
        (_, RecordAnswer::Txt(Lookup::Absent) | RecordAnswer::Mx(Lookup::Absent)) => (RecordVerdict::Missing, None),
        (RecordPurpose::Mx | RecordPurpose::WildcardMx, RecordAnswer::Mx(Lookup::Found(hosts))) => {
            (mx::evaluate(&record.value, hosts), Some(format_hosts(hosts)))
        }
        (RecordPurpose::Spf, RecordAnswer::Txt(Lookup::Found(texts))) => {
            (spf::evaluate(spf_host(&record.value), texts), Some(format_texts(texts)))
        }
        (
            RecordPurpose::Dkim | RecordPurpose::NextDkim | RecordPurpose::RetiredDkim,
            RecordAnswer::Txt(Lookup::Found(texts)),
        ) => (dkim::evaluate(&record.value, texts), Some(format_texts(texts))),
        (RecordPurpose::Dmarc, RecordAnswer::Txt(Lookup::Found(texts))) => {
            (dmarc::evaluate(texts), Some(format_texts(texts)))
        }
        // A response to another query type proves as little as none.
        _ => return without_answer(record, "no query was sent"),
    };
    let (status, reason, found) = match verdict {
        RecordVerdict::Valid => (RecordStatus::Valid, None, None),
        RecordVerdict::Missing => (RecordStatus::Missing, None, None),
        RecordVerdict::Invalid(word, sentence) => (RecordStatus::Invalid, Some(format!("{word}: {sentence}")), found),
    };
    CheckedRecord { record: DomainRecord { status, reason, found, ..record }, answered: true }
}

/// Returns the record of a domain that another organization has verified: valid in DNS, but unusable here.
#[must_use]
pub fn verified_elsewhere(record: DomainRecord) -> DomainRecord {
    let reason = "verified_elsewhere: another organization has verified this domain; it must delete it first";
    DomainRecord { status: RecordStatus::Invalid, reason: Some(reason.to_owned()), found: None, ..record }
}

fn without_answer(record: DomainRecord, why: &str) -> CheckedRecord {
    let reason = match record.status {
        RecordStatus::Valid => None,
        _ => Some(format!("no_answer: the DNS lookup failed ({}); verify again", sanitize(why))),
    };
    CheckedRecord { record: DomainRecord { reason, ..record }, answered: false }
}

/// Returns the domain that the required SPF record includes.
fn spf_host(value: &str) -> &str {
    value.split(' ').find_map(|term| term.strip_prefix("include:")).unwrap_or_default()
}

fn format_texts(texts: &[String]) -> String {
    sanitize(&texts.join("\n"))
}

fn format_hosts(hosts: &[MxHost]) -> String {
    let lines: Vec<String> = hosts.iter().map(|mx| format!("{} {}", mx.preference, mx.host)).collect();
    sanitize(&lines.join("\n"))
}

/// Bounds a text from a foreign DNS server and removes its control characters.
fn sanitize(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == '\n').take(MAX_FOUND_CHARS).collect()
}
