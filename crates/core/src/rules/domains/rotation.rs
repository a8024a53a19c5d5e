//! Rotation of the DKIM keys of a custom domain.
//!
//! The records show the state. The next key waits beside the signing key and replaces it once DNS shows its record. The
//! record of a retired key stays while delivered and deferred mail needs it.

use time::{Duration, OffsetDateTime};

use super::records::key_record;
use super::verify::CheckedRecord;
use crate::model::domain::{Domain, DomainRecord, RecordPurpose, RecordStatus};
use crate::model::{DkimKey, KeyState};

/// Time for which the record of a retired key must stay: longer than any message is retried (72 hours).
pub const RETIREMENT: Duration = Duration::days(7);

/// Returns the record of the next key.
#[must_use]
pub fn next_record(domain: &Domain) -> Option<&DomainRecord> {
    domain.records.iter().find(|record| record.purpose == RecordPurpose::NextDkim)
}

/// Returns the domain with the added record of a next key.
#[must_use]
pub fn with_next_key(mut domain: Domain, key: &DkimKey) -> Domain {
    let record = key_record(domain.name.as_str(), &key.selector, &key.public_key);
    domain.records.push(DomainRecord { purpose: RecordPurpose::NextDkim, ..record });
    domain
}

/// Returns the checked records after rotation and the new signing key, if it changed. Retired records are dropped after
/// [`RETIREMENT`].
#[must_use]
pub fn advance(
    mut checked: Vec<CheckedRecord>,
    keys: &[DkimKey],
    now: OffsetDateTime,
) -> (Vec<CheckedRecord>, Option<&DkimKey>) {
    let is_over = |record: &DomainRecord| {
        record.purpose == RecordPurpose::RetiredDkim
            && retired_at(record, keys).is_some_and(|at| now - at >= RETIREMENT)
    };
    checked.retain(|checked| !is_over(&checked.record));
    let Some(key) = keys.iter().find(|key| key.state == KeyState::Next && is_published(&checked, key)) else {
        return (checked, None);
    };
    for CheckedRecord { record, .. } in &mut checked {
        record.purpose = match record.purpose {
            RecordPurpose::NextDkim => RecordPurpose::Dkim,
            RecordPurpose::Dkim => RecordPurpose::RetiredDkim,
            other => other,
        };
    }
    (checked, Some(key))
}

/// Returns whether the record of this next key is valid, so that the key can sign.
fn is_published(checked: &[CheckedRecord], key: &DkimKey) -> bool {
    checked.iter().any(|CheckedRecord { record, .. }| {
        record.purpose == RecordPurpose::NextDkim && record.status == RecordStatus::Valid && belongs_to(record, key)
    })
}

/// Returns the time at which the key of a record stopped to sign. The first key of a domain is not in `keys`. It was
/// retired by the first rotation, which was no later than the oldest change of the other keys.
fn retired_at(record: &DomainRecord, keys: &[DkimKey]) -> Option<OffsetDateTime> {
    match keys.iter().find(|key| belongs_to(record, key)) {
        Some(key) => (key.state == KeyState::Retired).then_some(key.changed_at),
        None => keys.iter().filter(|key| key.state != KeyState::Next).map(|key| key.changed_at).min(),
    }
}

fn belongs_to(record: &DomainRecord, key: &DkimKey) -> bool {
    record.name == key_record(&key.name, &key.selector, &key.public_key).name
}
