//! One key of a custom domain follows another. Its records show how far that has come: the next one waits beside the one
//! that signs, and takes its place once DNS shows it; the old one stays as long as mail that is on its way needs it.

use time::{Duration, OffsetDateTime};

use super::records::key_record;
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

/// The domain after its records were looked up, and the key that signs from now on, if it is another. A retired record
/// goes when its time is over.
#[must_use]
pub fn advanced(mut domain: Domain, keys: &[DkimKey], now: OffsetDateTime) -> (Domain, Option<&DkimKey>) {
    let switched_at = keys.iter().find(|key| key.state == KeyState::Active).map(|key| key.changed_at);
    if switched_at.is_some_and(|at| now - at >= RETIREMENT) {
        domain.records.retain(|record| record.purpose != Purpose::RetiredDkim);
    }
    let stands = next(&domain).is_some_and(|record| record.status == RecordStatus::Valid);
    let Some(key) = keys.iter().find(|key| key.state == KeyState::Next).filter(|_| stands) else {
        return (domain, None);
    };
    domain.records.retain(|record| record.purpose != Purpose::RetiredDkim);
    for record in &mut domain.records {
        record.purpose = match record.purpose {
            Purpose::NextDkim => Purpose::Dkim,
            Purpose::Dkim => Purpose::RetiredDkim,
            other => other,
        };
    }
    (domain, Some(key))
}
