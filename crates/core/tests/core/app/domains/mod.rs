mod change;
mod create;
mod read;
mod verify;

use inboxd_core::model::Domain;
use inboxd_core::testing::{Captured, MockTx};

/// The domain is there to be locked, once.
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
