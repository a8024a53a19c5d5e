//! The directory of proven domains: whose a name is.
//!
//! The key was made for one domain of one organization alone, and whoever publishes it controls the name. Every domain is
//! born with the same selector, whose name has room for one key, so that who publishes another there takes the name from
//! whoever had it; a holder whose key has followed another since keeps the name while that one stands.

use super::settle::settle;
use super::verify::{Asked, judged};
use crate::Error;
use crate::app::App;
use crate::model::domain::{Domain, DomainRecord, Purpose, RecordStatus};
use crate::ports::{StoreError, Tx};
use crate::rules::domains::status;
use crate::rules::domains::verify::{Judged, verified_elsewhere};

/// Notes in the directory what the answers of DNS say of a domain: a key that stands claims the name, also from another
/// organization whose key is gone, and a key that is gone lets the name go. Both domains are locked.
pub(super) async fn prove(
    app: &App,
    tx: &mut dyn Tx,
    domain: &Domain,
    holder: Option<Domain>,
    judged: &mut [Judged],
    answers: &[Asked],
) -> Result<(), Error> {
    let Some(dkim) = judged.iter_mut().find(|judged| judged.record.purpose == Purpose::Dkim) else { return Ok(()) };
    if dkim.record.status != RecordStatus::Valid {
        if dkim.answered {
            tx.domains().release(domain).await?;
        }
        return Ok(());
    }
    if tx.domains().claim(domain).await? {
        return Ok(());
    }
    // Who claimed it a moment ago is not locked: the next attempt sees them.
    let holder = holder.ok_or(StoreError::Contention)?;
    if !loses(app, tx, &holder, answers).await? {
        dkim.record = verified_elsewhere(dkim.record.clone());
        return Ok(());
    }
    if tx.domains().claim(domain).await? { Ok(()) } else { Err(StoreError::Contention.into()) }
}

/// Takes the name from its holder if DNS says that the holder's key is gone, and none waits there to follow it. All other
/// records stay as they were. Silence takes nothing from anybody.
async fn loses(app: &App, tx: &mut dyn Tx, holder: &Domain, answers: &[Asked]) -> Result<bool, StoreError> {
    let look = |record: DomainRecord| {
        if record.purpose.proves() { judged(record, answers) } else { Judged { record, answered: false } }
    };
    let found: Vec<Judged> = holder.records.iter().cloned().map(look).collect();
    let is_gone = |found: &Judged| found.answered && found.record.status != RecordStatus::Valid;
    if !found.iter().filter(|found| found.record.purpose.proves()).all(is_gone) {
        return Ok(false);
    }
    tx.domains().release(holder).await?;
    let after = status::after_check(holder.clone(), found, app.clock.now());
    settle(app, tx, holder, &after).await?;
    Ok(true)
}
