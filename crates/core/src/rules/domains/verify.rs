//! Evaluation of DNS responses for each record.

use crate::model::domain::{DomainRecord, Purpose, RecordStatus};
use crate::ports::{Lookup, MxHost};

use super::{dkim, dmarc, mx, spf};

/// Maximum characters that are stored of a found record.
const LONGEST_FOUND: usize = 1000;

/// DNS response for one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Response to a TXT query.
    Txt(Lookup<String>),
    /// Response to an MX query.
    Mx(Lookup<MxHost>),
}

/// Result of the evaluation of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    Missing,
    /// Reason as one word, and the remedy as a sentence.
    Invalid(&'static str, &'static str),
}

/// A record after its DNS lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The record with its new status.
    pub record: DomainRecord,
    /// Whether DNS responded; otherwise the record is unchanged.
    pub answered: bool,
}

/// Evaluates a record by its DNS response. A failed lookup leaves the known status, because it proves nothing.
#[must_use]
pub fn judge(record: DomainRecord, answer: &Answer) -> Judged {
    let (verdict, found) = match (record.purpose, answer) {
        (_, Answer::Txt(Lookup::Failed(why)) | Answer::Mx(Lookup::Failed(why))) => return unanswered(record, why),
        (_, Answer::Txt(Lookup::Absent) | Answer::Mx(Lookup::Absent)) => (Verdict::Missing, None),
        (Purpose::Mx | Purpose::WildcardMx, Answer::Mx(Lookup::Found(hosts))) => {
            (mx::judge(&record.value, hosts), Some(shown_hosts(hosts)))
        }
        (Purpose::Spf, Answer::Txt(Lookup::Found(texts))) => {
            (spf::judge(spf_host(&record.value), texts), Some(shown(texts)))
        }
        (Purpose::Dkim | Purpose::NextDkim | Purpose::RetiredDkim, Answer::Txt(Lookup::Found(texts))) => {
            (dkim::judge(&record.value, texts), Some(shown(texts)))
        }
        (Purpose::Dmarc, Answer::Txt(Lookup::Found(texts))) => (dmarc::judge(texts), Some(shown(texts))),
        // A response to another query type proves as little as none.
        _ => return unanswered(record, "no query was sent"),
    };
    let (status, reason, found) = match verdict {
        Verdict::Valid => (RecordStatus::Valid, None, None),
        Verdict::Missing => (RecordStatus::Missing, None, None),
        Verdict::Invalid(word, sentence) => (RecordStatus::Invalid, Some(format!("{word}: {sentence}")), found),
    };
    Judged { record: DomainRecord { status, reason, found, ..record }, answered: true }
}

/// Returns the record of a domain that another organization has verified: valid in DNS, but unusable here.
#[must_use]
pub fn verified_elsewhere(record: DomainRecord) -> DomainRecord {
    let reason = "verified_elsewhere: another organization has verified this domain; it must delete it first";
    DomainRecord { status: RecordStatus::Invalid, reason: Some(reason.to_owned()), found: None, ..record }
}

fn unanswered(record: DomainRecord, why: &str) -> Judged {
    let reason = match record.status {
        RecordStatus::Valid => None,
        _ => Some(format!("no_answer: the DNS lookup failed ({}); verify again", clipped(why))),
    };
    Judged { record: DomainRecord { reason, ..record }, answered: false }
}

/// Returns the domain that the required SPF record includes.
fn spf_host(value: &str) -> &str {
    value.split(' ').find_map(|term| term.strip_prefix("include:")).unwrap_or_default()
}

fn shown(texts: &[String]) -> String {
    clipped(&texts.join("\n"))
}

fn shown_hosts(hosts: &[MxHost]) -> String {
    let lines: Vec<String> = hosts.iter().map(|mx| format!("{} {}", mx.preference, mx.host)).collect();
    clipped(&lines.join("\n"))
}

/// Bounds a text from a foreign DNS server and removes its control characters.
fn clipped(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == '\n').take(LONGEST_FOUND).collect()
}
