//! Status of a domain, derived from its records.

use time::{Duration, OffsetDateTime};

use super::verify::Judged;
use crate::model::domain::{Domain, DomainRecord, DomainStatus, RecordStatus};

/// Time of missing records after which an unverified domain counts as failed. It can still be verified again.
pub const PATIENCE: Duration = Duration::hours(72);

/// Returns the domain after a check of its records.
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

/// Returns the domain with other records. Records that stay retain their status.
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

/// Returns the reason for which a domain is not verified, as one word; its records have the details.
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

/// Returns the status of a domain with missing records. A domain that was verified before never fails.
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
