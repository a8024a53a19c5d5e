//! From what DNS answered to what is said of each record.

use crate::model::domain::{DomainRecord, Purpose, RecordStatus};
use crate::ports::{Lookup, MxHost};

use super::{dkim, dmarc, mx, spf};

/// The most characters that are kept of what was found.
const LONGEST_FOUND: usize = 1000;

/// What DNS answered for one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To a question for TXT records.
    Txt(Lookup<String>),
    /// To a question for MX records.
    Mx(Lookup<MxHost>),
}

/// What is said of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    Missing,
    /// A word, and a sentence that says what to do.
    Invalid(&'static str, &'static str),
}

/// A record after it was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The record.
    pub record: DomainRecord,
    /// Whether DNS answered; otherwise the record stands as it was.
    pub answered: bool,
}

/// Judges a record by what DNS answered. Where it did not answer, what was known stays: silence says nothing.
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
        // The answer to another question than was asked says as little as none.
        _ => return unanswered(record, "the question was never asked"),
    };
    let (status, reason, found) = match verdict {
        Verdict::Valid => (RecordStatus::Valid, None, None),
        Verdict::Missing => (RecordStatus::Missing, None, None),
        Verdict::Invalid(word, sentence) => (RecordStatus::Invalid, Some(format!("{word}: {sentence}")), found),
    };
    Judged { record: DomainRecord { status, reason, found, ..record }, answered: true }
}

/// The record of a domain that another organization has verified: right in DNS, and yet of no use here.
#[must_use]
pub fn verified_elsewhere(record: DomainRecord) -> DomainRecord {
    let reason = "verified_elsewhere: another organization has verified this domain; it must delete it first";
    DomainRecord { status: RecordStatus::Invalid, reason: Some(reason.to_owned()), found: None, ..record }
}

fn unanswered(record: DomainRecord, why: &str) -> Judged {
    let reason = match record.status {
        RecordStatus::Valid => None,
        _ => Some(format!("no_answer: DNS could not be asked ({}); verify again", clipped(why))),
    };
    Judged { record: DomainRecord { reason, ..record }, answered: false }
}

/// The domain that the wanted SPF record includes.
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

/// What a stranger's server said, bounded and without control characters.
fn clipped(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == '\n').take(LONGEST_FOUND).collect()
}
