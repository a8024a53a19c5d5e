//! One key of a custom domain follows another. Its records show how far that has come: the next one waits beside the one
//! that signs, and takes its place once DNS shows it; the old ones stay as long as mail that is on its way needs them.

use time::{Duration, OffsetDateTime};

use super::records::key_record;
use super::verify::Judged;
use crate::model::domain::{Domain, DomainRecord, Purpose, RecordStatus};
use crate::model::{DkimKey, KeyState};

/// How long the record of a retired key must stay: longer than any mail is tried (72 hours).
pub const RETIREMENT: Duration = Duration::days(7);

/// The record of the key that waits.
#[must_use]
pub fn next(domain: &Domain) -> Option<&DomainRecord> {
    domain.records.iter().find(|record| record.purpose == Purpose::NextDkim)
}

/// The domain with the record of a key that waits.
#[must_use]
pub fn begun(mut domain: Domain, key: &DkimKey) -> Domain {
    let record = key_record(domain.name.as_str(), &key.selector, &key.public_key);
    domain.records.push(DomainRecord { purpose: Purpose::NextDkim, ..record });
    domain
}

/// The records of a domain after they were looked up, and the key that signs from now on, if it is another. A retired
/// record goes when its time is over.
#[must_use]
pub fn advanced(mut judged: Vec<Judged>, keys: &[DkimKey], now: OffsetDateTime) -> (Vec<Judged>, Option<&DkimKey>) {
    let is_over = |record: &DomainRecord| {
        record.purpose == Purpose::RetiredDkim && retired_at(record, keys).is_some_and(|at| now - at >= RETIREMENT)
    };
    judged.retain(|judged| !is_over(&judged.record));
    let Some(key) = keys.iter().find(|key| key.state == KeyState::Next && stands(&judged, key)) else {
        return (judged, None);
    };
    for Judged { record, .. } in &mut judged {
        record.purpose = match record.purpose {
            Purpose::NextDkim => Purpose::Dkim,
            Purpose::Dkim => Purpose::RetiredDkim,
            other => other,
        };
    }
    (judged, Some(key))
}

/// Whether the record of this key waits no more.
fn stands(judged: &[Judged], key: &DkimKey) -> bool {
    judged.iter().any(|Judged { record, .. }| {
        record.purpose == Purpose::NextDkim && record.status == RecordStatus::Valid && is_of(record, key)
    })
}

/// Since when the key of a record signs no more. The one that the domain was born with is not among the others: it went
/// with the first switch, of which no more is known than that it was no later than any other.
fn retired_at(record: &DomainRecord, keys: &[DkimKey]) -> Option<OffsetDateTime> {
    match keys.iter().find(|key| is_of(record, key)) {
        Some(key) => (key.state == KeyState::Retired).then_some(key.changed_at),
        None => keys.iter().filter(|key| key.state != KeyState::Next).map(|key| key.changed_at).min(),
    }
}

fn is_of(record: &DomainRecord, key: &DkimKey) -> bool {
    record.name == key_record(&key.name, &key.selector, &key.public_key).name
}
