mod change;
mod create;
mod read;
mod verify;

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::domains::{self, ZoneFile};
use inboxd_core::model::{Caller, Domain, DomainId, Page, PageRequest, Scope};
use inboxd_core::testing::{Captured, MockTx};

authorizing! { domains:
    create(new: domains::NewDomain) -> Domain;
    get(domain_id: DomainId) -> Domain;
    list(page: PageRequest) -> Page<Domain>;
    zone_file(domain_id: DomainId) -> ZoneFile;
    update(domain_id: DomainId, change: domains::DomainChange) -> Domain;
    verify(domain_id: DomainId) -> Domain;
    delete(domain_id: DomainId) -> ();
}

/// Expects that the domain is locked once.
pub(super) fn locks_domain(tx: &mut MockTx, domain: Domain) {
    tx.domains.expect_lock().once().return_once(move |_, _| Ok(Some(domain)));
}

/// Expects one change of a domain.
fn expect_update(tx: &mut MockTx) -> Captured<Domain> {
    let updated = Captured::default();
    let seen = updated.clone();
    tx.domains.expect_update().once().returning(move |domain| {
        seen.push(domain.clone());
        Ok(())
    });
    updated
}
