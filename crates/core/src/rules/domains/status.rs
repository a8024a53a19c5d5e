//! Status of a domain, derived from its records.

use time::{Duration, OffsetDateTime};

use super::verify::CheckedRecord;
use crate::model::domain::{Domain, DomainRecord, DomainStatus, RecordStatus};

/// Time of missing records after which an unverified domain counts as failed. It can still be verified again.
pub const MISSING_RECORDS_TIMEOUT: Duration = Duration::hours(72);

/// Returns the domain after a check of its records.
#[must_use]
pub fn after_check(domain: Domain, checked: Vec<CheckedRecord>, now: OffsetDateTime) -> Domain {
    let required = || checked.iter().filter(|checked| checked.record.purpose.is_required());
    let any_is = |status| required().any(|checked| checked.answered && checked.record.status == status);
    let status = if required().all(|checked| checked.record.status == RecordStatus::Valid) {
        DomainStatus::Verified
    } else if any_is(RecordStatus::Invalid) {
        DomainStatus::Invalid
    } else if any_is(RecordStatus::Missing) {
        missing_status(&domain, now)
    } else {
        DomainStatus::Verifying
    };
    let records = checked.into_iter().map(|checked| checked.record).collect();
    with_status(domain, status, records, now)
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
        missing_status(&domain, now)
    } else {
        DomainStatus::Verified
    };
    with_status(domain, status, records, now)
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
fn missing_status(domain: &Domain, now: OffsetDateTime) -> DomainStatus {
    let is_given_up = domain.verified_at.is_none() && now - domain.created_at > MISSING_RECORDS_TIMEOUT;
    if is_given_up { DomainStatus::Failed } else { DomainStatus::Pending }
}

fn with_status(domain: Domain, status: DomainStatus, records: Vec<DomainRecord>, now: OffsetDateTime) -> Domain {
    let verified_at = match status {
        DomainStatus::Verified => domain.verified_at.or(Some(now)),
        _ => domain.verified_at,
    };
    Domain { status, records, verified_at, updated_at: now, ..domain }
}
