//! How far a domain has come, from its records.

use time::{Duration, OffsetDateTime};

use super::verify::Judged;
use crate::model::domain::{Domain, DomainRecord, DomainStatus, RecordStatus};

/// How long records may be missing before the domain counts as failed; verifying it again still works.
pub const PATIENCE: Duration = Duration::hours(72);

/// A domain after its records were looked up.
#[must_use]
pub fn after_check(domain: Domain, judged: Vec<Judged>, now: OffsetDateTime) -> Domain {
    let required = || judged.iter().filter(|judged| judged.record.purpose.is_required());
    let said = |status| required().any(|judged| judged.answered && judged.record.status == status);
    let status = if required().all(|judged| judged.record.status == RecordStatus::Valid) {
        DomainStatus::Verified
    } else if said(RecordStatus::Invalid) {
        DomainStatus::Invalid
    } else if said(RecordStatus::Missing) {
        missing(&domain, now)
    } else {
        DomainStatus::Verifying
    };
    let records = judged.into_iter().map(|judged| judged.record).collect();
    settled(domain, status, records, now)
}

/// A domain whose records are others now. What was known of those that stay still holds.
#[must_use]
pub fn with_records(domain: Domain, records: Vec<DomainRecord>, now: OffsetDateTime) -> Domain {
    let known = |status| records.iter().any(|record| record.purpose.is_required() && record.status == status);
    let status = if domain.records == records || domain.status == DomainStatus::NotStarted {
        domain.status
    } else if known(RecordStatus::Invalid) {
        DomainStatus::Invalid
    } else if known(RecordStatus::Missing) {
        missing(&domain, now)
    } else {
        DomainStatus::Verified
    };
    settled(domain, status, records, now)
}

/// Returns why a domain is not verified, as a word; its records say more.
#[must_use]
pub fn reason(domain: &Domain) -> Option<&'static str> {
    match domain.status {
        DomainStatus::Verified => None,
        DomainStatus::NotStarted => Some("not_started"),
        DomainStatus::Pending | DomainStatus::Failed => Some("dns_records_missing"),
        DomainStatus::Invalid => Some("dns_records_invalid"),
        DomainStatus::Verifying => Some("no_answer"),
    }
}

/// A domain that was verified before keeps being waited for.
fn missing(domain: &Domain, now: OffsetDateTime) -> DomainStatus {
    let is_given_up = domain.verified_at.is_none() && now - domain.created_at > PATIENCE;
    if is_given_up { DomainStatus::Failed } else { DomainStatus::Pending }
}

fn settled(domain: Domain, status: DomainStatus, records: Vec<DomainRecord>, now: OffsetDateTime) -> Domain {
    let verified_at = match status {
        DomainStatus::Verified => domain.verified_at.or(Some(now)),
        _ => domain.verified_at,
    };
    Domain { status, records, verified_at, updated_at: now, ..domain }
}
