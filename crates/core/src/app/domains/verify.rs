//! Verification of a domain by its DNS records.

use futures_util::future::join_all;

use super::find::{find, lock_with_holder};
use super::prove::prove;
use super::settle::settle;
use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, scope};
use crate::model::domain::{Domain, DomainRecord, RecordPurpose};
use crate::model::permissions::DomainUpdate;
use crate::model::{AuditAction, Caller, DkimKey, DomainId};
use crate::ports::Dns;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::domains::verify::{CheckedRecord, RecordAnswer, evaluate};
use crate::rules::domains::{rotation, status};

/// Looks up every record of a domain and stores the results.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn verify(app: &App, caller: &AuthorizedCaller<DomainUpdate>, domain_id: DomainId) -> Result<Domain, Error> {
    scope::resolve(app, caller).await?;
    let domain = find(app, caller, domain_id).await?;
    let holder = app.store.proven_domain(domain.name.as_str()).await?;
    let answers = join_all(questions(&domain, holder.as_ref()).into_iter().map(|r| ask(app.dns.as_ref(), r))).await;
    // Most domains have only the key of their creation, so this read is usually unnecessary.
    let has_others = domain.records.iter().any(|record| !record.purpose.is_required());
    let keys = if has_others {
        app.store.dkim_keys(Some(domain.organization_id), domain.name.as_str()).await?
    } else {
        Vec::new()
    };
    retried(is_contention, || record(app, caller, domain_id, &answers, &keys)).await
}

/// DNS response for one record.
///
/// The name alone does not identify the record. The record of a waiting key may become that of the active key a
/// moment later, and an earlier response proves nothing about it.
pub(super) struct Asked {
    name: String,
    purpose: RecordPurpose,
    answer: RecordAnswer,
}

impl Asked {
    fn is_for(&self, record: &DomainRecord) -> bool {
        (self.name.as_str(), self.purpose) == (record.name.as_str(), record.purpose)
    }
}

/// Returns the records to look up: those of the domain and the keys of the domain that holds its name.
fn questions<'a>(domain: &'a Domain, holder: Option<&'a Domain>) -> Vec<&'a DomainRecord> {
    let mut records: Vec<&DomainRecord> = domain.records.iter().collect();
    let of_holder = holder.into_iter().flat_map(|holder| &holder.records).filter(|record| record.purpose.proves());
    for record in of_holder {
        if !records.iter().any(|known| (&known.name, known.purpose) == (&record.name, record.purpose)) {
            records.push(record);
        }
    }
    records
}

async fn ask(dns: &dyn Dns, record: &DomainRecord) -> Asked {
    let answer = match record.purpose {
        RecordPurpose::Mx | RecordPurpose::WildcardMx => RecordAnswer::Mx(dns.mx(&record.name).await),
        RecordPurpose::Spf
        | RecordPurpose::Dkim
        | RecordPurpose::NextDkim
        | RecordPurpose::RetiredDkim
        | RecordPurpose::Dmarc => RecordAnswer::Txt(dns.txt(&record.name).await),
    };
    Asked { name: record.name.clone(), purpose: record.purpose, answer }
}

/// Evaluates the current state of the domain, which may have changed during the DNS lookups.
async fn record(
    app: &App,
    caller: &Caller,
    domain_id: DomainId,
    answers: &[Asked],
    keys: &[DkimKey],
) -> Result<Domain, Error> {
    let mut tx = app.store.begin().await?;
    let (before, holder) = lock_with_holder(tx.as_mut(), caller, domain_id).await?;
    let judged: Vec<CheckedRecord> = before.records.iter().cloned().map(|record| judged(record, answers)).collect();
    let now = app.clock.now();
    // Rotation comes first: the key that is active afterwards proves the domain, regardless of the old key.
    let (mut judged, promoted) = rotation::advance(judged, keys, now);
    prove(app, tx.as_mut(), &before, holder, &mut judged, answers).await?;
    let after = status::after_check(before.clone(), judged, now);
    if let Some(key) = promoted {
        tx.domains().promote_dkim_key(key, now).await?;
    }
    settle(app, tx.as_mut(), &before, &after, caller.traceparent).await?;
    // A check that finds no news is no change; clients repeat it until the records are there.
    if before.status != after.status {
        let change = AuditChange::updated(AuditAction::DomainChecked, &before, &after);
        audit::record(app, tx.as_mut(), caller, change).await?;
    }
    let _invalidation = app.waiting.recipients.invalidate_on_drop();
    tx.commit().await?;
    Ok(after)
}

/// Evaluates a record by its own response. A record without a lookup stays unchanged.
pub(super) fn judged(record: DomainRecord, answers: &[Asked]) -> CheckedRecord {
    match answers.iter().find(|asked| asked.is_for(&record)) {
        Some(asked) => evaluate(record, &asked.answer),
        None => CheckedRecord { record, answered: false },
    }
}
