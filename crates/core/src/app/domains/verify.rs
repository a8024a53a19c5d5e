//! Looking a domain's records up.

use futures_util::future::join_all;

use super::find::{find, lock_with_holder};
use super::prove::prove;
use super::settle::settle;
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::domain::{Domain, DomainRecord, Purpose};
use crate::model::{Caller, DomainId, Permission};
use crate::ports::Dns;
use crate::rules::access;
use crate::rules::domains::status;
use crate::rules::domains::verify::{Answer, Judged, judge};

/// Looks every record of a domain up, and stores what was found.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn verify(app: &App, caller: &Caller, domain_id: DomainId) -> Result<Domain, Error> {
    access::require(caller, Permission::DomainUpdate)?;
    let domain = find(app, caller, domain_id).await?;
    let answers = join_all(domain.records.iter().map(|record| ask(app.dns.as_ref(), record))).await;
    retried(is_contention, || record(app, caller, domain_id, &answers)).await
}

async fn ask(dns: &dyn Dns, record: &DomainRecord) -> (Purpose, Answer) {
    let answer = match record.purpose {
        Purpose::Mx | Purpose::WildcardMx => Answer::Mx(dns.mx(&record.name).await),
        Purpose::Spf | Purpose::Dkim | Purpose::Dmarc => Answer::Txt(dns.txt(&record.name).await),
    };
    (record.purpose, answer)
}

/// Judges the domain as it is now, which may have changed while DNS was asked.
async fn record(
    app: &App,
    caller: &Caller,
    domain_id: DomainId,
    answers: &[(Purpose, Answer)],
) -> Result<Domain, Error> {
    let mut tx = app.store.begin().await?;
    let (before, holder) = lock_with_holder(tx.as_mut(), caller, domain_id).await?;
    let mut judged: Vec<Judged> = before.records.iter().cloned().map(|record| judged(record, answers)).collect();
    prove(app, tx.as_mut(), &before, holder, &mut judged, answers).await?;
    let after = status::after_check(before.clone(), judged, app.clock.now());
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
