//! Directory of proved domains, which assigns each name to one organization.
//!
//! A key belongs to one domain of one organization, so its publication proves control of the name. Every domain
//! begins with the same selector, and its record has space for one key. The publication of another key therefore
//! transfers the name. After a rotation the holder retains the name while its current key is published.

use super::settle::settle;
use super::verify::{Asked, judged};
use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::AuditAction;
use crate::model::domain::{Domain, DomainRecord, RecordPurpose, RecordStatus};
use crate::ports::{StoreError, Tx};
use crate::rules::domains::status;
use crate::rules::domains::verify::{CheckedRecord, verified_elsewhere};

/// Updates the directory by the DNS responses for a domain.
///
/// A valid key claims the name, also from another organization without a valid key. An absent key releases the name.
/// Both domains are locked.
pub(super) async fn prove(
    app: &App,
    tx: &mut dyn Tx,
    domain: &Domain,
    holder: Option<Domain>,
    judged: &mut [CheckedRecord],
    answers: &[Asked],
) -> Result<(), Error> {
    let Some(dkim) = judged.iter_mut().find(|judged| judged.record.purpose == RecordPurpose::Dkim) else {
        return Ok(());
    };
    if dkim.record.status != RecordStatus::Valid {
        if dkim.answered {
            tx.domains().release(domain).await?;
        }
        return Ok(());
    }
    if tx.domains().claim(domain).await? {
        return Ok(());
    }
    // A claim by a concurrent process is not locked here. The next attempt reads and locks its domain.
    let holder = holder.ok_or(StoreError::Contention)?;
    if !loses(app, tx, &holder, answers).await? {
        dkim.record = verified_elsewhere(dkim.record.clone());
        return Ok(());
    }
    if tx.domains().claim(domain).await? { Ok(()) } else { Err(StoreError::Contention.into()) }
}

/// Releases the name of its holder if DNS proves that none of the holder's keys is published, waiting keys included.
///
/// The other records stay unchanged. A missing DNS response never releases a name.
async fn loses(app: &App, tx: &mut dyn Tx, holder: &Domain, answers: &[Asked]) -> Result<bool, Error> {
    let look = |record: DomainRecord| {
        if record.purpose.proves() { judged(record, answers) } else { CheckedRecord { record, answered: false } }
    };
    let found: Vec<CheckedRecord> = holder.records.iter().cloned().map(look).collect();
    let is_gone = |found: &CheckedRecord| found.answered && found.record.status != RecordStatus::Valid;
    if !found.iter().filter(|found| found.record.purpose.proves()).all(is_gone) {
        return Ok(false);
    }
    tx.domains().release(holder).await?;
    let after = status::after_check(holder.clone(), found, app.clock.now());
    settle(app, tx, holder, &after, None).await?;
    let change = AuditChange::updated(AuditAction::DomainChecked, holder, &after);
    audit::record_by(app, tx, holder.organization_id, audit::SERVICE, change).await?;
    Ok(true)
}
