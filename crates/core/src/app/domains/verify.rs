//! Looking a domain's records up.

use futures_util::future::join_all;

use super::find::{find, lock_with_holder};
use super::prove::prove;
use super::settle::settle;
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::domain::{Domain, DomainRecord, Purpose};
use crate::model::{Caller, DkimKey, DomainId, Permission};
use crate::ports::Dns;
use crate::rules::access;
use crate::rules::domains::verify::{Answer, Judged, judge};
use crate::rules::domains::{rotation, status};

/// Looks every record of a domain up, and stores what was found.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn verify(app: &App, caller: &Caller, domain_id: DomainId) -> Result<Domain, Error> {
    access::require(caller, Permission::DomainUpdate)?;
    let domain = find(app, caller, domain_id).await?;
    let answers = join_all(domain.records.iter().map(|record| ask(app.dns.as_ref(), record))).await;
    // Most domains have none but the key that they were born with.
    let has_others = domain.records.iter().any(|record| !record.purpose.is_required());
    let keys = if has_others {
        app.store.dkim_keys(Some(domain.organization_id), domain.name.as_str()).await?
    } else {
        Vec::new()
    };
    retried(is_contention, || record(app, caller, domain_id, &answers, &keys)).await
}

async fn ask(dns: &dyn Dns, record: &DomainRecord) -> (Purpose, Answer) {
    let answer = match record.purpose {
        Purpose::Mx | Purpose::WildcardMx => Answer::Mx(dns.mx(&record.name).await),
        Purpose::Spf | Purpose::Dkim | Purpose::NextDkim | Purpose::RetiredDkim | Purpose::Dmarc => {
            Answer::Txt(dns.txt(&record.name).await)
        }
    };
    (record.purpose, answer)
}

/// Judges the domain as it is now, which may have changed while DNS was asked.
async fn record(
    app: &App,
    caller: &Caller,
    domain_id: DomainId,
    answers: &[(Purpose, Answer)],
    keys: &[DkimKey],
) -> Result<Domain, Error> {
    let mut tx = app.store.begin().await?;
    let (before, holder) = lock_with_holder(tx.as_mut(), caller, domain_id).await?;
    let mut judged: Vec<Judged> = before.records.iter().cloned().map(|record| judged(record, answers)).collect();
    prove(app, tx.as_mut(), &before, holder, &mut judged, answers).await?;
    let now = app.clock.now();
    let (after, promoted) = rotation::advanced(status::after_check(before.clone(), judged, now), keys, now);
    if let Some(key) = promoted {
        tx.domains().promote_dkim_key(key, now).await?;
    }
    settle(app, tx.as_mut(), &before, &after).await?;
    tx.commit().await?;
    Ok(after)
}

/// Judges a record by the answer to its own question; one that was not asked about stands as it was.
pub(super) fn judged(record: DomainRecord, answers: &[(Purpose, Answer)]) -> Judged {
    match answers.iter().find(|(purpose, _)| *purpose == record.purpose) {
        Some((_, answer)) => judge(record, answer),
        None => Judged { record, answered: false },
    }
}
