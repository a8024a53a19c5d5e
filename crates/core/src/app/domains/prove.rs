//! The directory of proven domains: whose a name is.
//!
//! The key was made for one domain of one organization alone, and whoever publishes it controls the name. There is room
//! for one key at the name of the selector, so that who publishes another has taken the name from whoever had it.

use super::settle::settle;
use super::verify::judged;
use crate::Error;
use crate::app::App;
use crate::model::domain::{Domain, Purpose, RecordStatus};
use crate::ports::{StoreError, Tx};
use crate::rules::domains::status;
use crate::rules::domains::verify::{Answer, Judged, verified_elsewhere};

/// Notes in the directory what the answers of DNS say of a domain: a key that stands claims the name, also from another
/// organization whose key is gone, and a key that is gone lets the name go. Both domains are locked.
pub(super) async fn prove(
    app: &App,
    tx: &mut dyn Tx,
    domain: &Domain,
    holder: Option<Domain>,
    judged: &mut [Judged],
    answers: &[(Purpose, Answer)],
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

/// Takes the name from its holder if the same answers say that the holder's key is gone. Nothing else was asked for the
/// holder, so that all other records stay as they were. Silence takes nothing from anybody.
async fn loses(app: &App, tx: &mut dyn Tx, holder: &Domain, answers: &[(Purpose, Answer)]) -> Result<bool, StoreError> {
    let of_key: Vec<_> = answers.iter().filter(|(purpose, _)| *purpose == Purpose::Dkim).cloned().collect();
    let found: Vec<Judged> = holder.records.iter().cloned().map(|record| judged(record, &of_key)).collect();
    let is_gone = |found: &Judged| {
        found.record.purpose == Purpose::Dkim && found.answered && found.record.status != RecordStatus::Valid
    };
    if !found.iter().any(is_gone) {
        return Ok(false);
    }
    tx.domains().release(holder).await?;
    let after = status::after_check(holder.clone(), found, app.clock.now());
    settle(app, tx, holder, &after).await?;
    Ok(true)
}
