//! Sender and identity of aggregate reports.

use inboxd_mail::AggregateReport;
use sha2::{Digest as _, Sha256};

use super::reports::{authenticated_domains, comparable};
use crate::model::mail_report::{ReportKind, ReportOutcome};
use crate::model::{AuthResult, DomainName};
use crate::ports::{DmarcPolicy, Evidence};

/// Returns the domain that authenticates a message with a report; `None` if none does. Local mail has no evidence.
///
/// # Errors
/// [`ReportOutcome::Unauthenticated`] for a TLS report without a valid DKIM signature of the domain in From (RFC 8460,
/// section 3), and for any message that fails DMARC under a policy of quarantine or reject.
pub fn report_sender(kind: ReportKind, evidence: Option<&Evidence>) -> Result<Option<String>, ReportOutcome> {
    let is_forged = evidence.is_some_and(is_against_policy);
    match kind {
        _ if is_forged => Err(ReportOutcome::Unauthenticated),
        ReportKind::Dmarc => Ok(evidence.and_then(|evidence| authenticated_domains(evidence).into_iter().next())),
        ReportKind::Tls => evidence.and_then(signing_domain).map(Some).ok_or(ReportOutcome::Unauthenticated),
    }
}

/// Returns whether DMARC fails under a policy against such messages, or several domains stand in From.
fn is_against_policy(evidence: &Evidence) -> bool {
    let dmarc = &evidence.dmarc;
    dmarc.result == AuthResult::Fail
        && (dmarc.from_domain.is_none() || matches!(dmarc.policy, DmarcPolicy::Quarantine | DmarcPolicy::Reject))
}

/// Returns the domain of a valid signature that is the domain in From, a parent of it, or aligned with it by DMARC.
fn signing_domain(evidence: &Evidence) -> Option<String> {
    let dmarc = &evidence.dmarc;
    let from = DomainName::stored(comparable(dmarc.from_domain.as_deref()?));
    let aligned = dmarc.aligned_domain.as_deref().filter(|_| dmarc.result == AuthResult::Pass).map(comparable);
    let passed = evidence.dkim.iter().filter(|signature| signature.result == AuthResult::Pass);
    passed
        .map(|signature| comparable(&signature.domain))
        .find(|domain| domain.contains('.') && (from.is_within(domain) || aligned.as_ref() == Some(domain)))
}

/// Returns the digest that identifies a report, so that a report in several messages is stored once. A report without an
/// id is identified by its message.
#[must_use]
pub fn identity(report: &AggregateReport, sender: Option<&str>, message: [u8; 32]) -> [u8; 32] {
    let AggregateReport { reporter, report_id, domain, begin, .. } = report;
    if report_id.is_empty() {
        return message;
    }
    let mut hash = Sha256::new();
    let texts: [&str; 5] = [ReportKind::of(report).as_str(), domain, sender.unwrap_or_default(), reporter, report_id];
    for text in texts {
        hash.update(text);
        hash.update([0]);
    }
    hash.update(begin.to_be_bytes());
    hash.finalize().into()
}
