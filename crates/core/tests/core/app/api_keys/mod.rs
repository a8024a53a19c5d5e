//! Creation, listing, revocation and changes of API keys.

mod change;
mod create;
mod people;
mod revoke;

use std::collections::BTreeSet;

use inboxd_core::app::App;
use inboxd_core::app::api_keys::{self, KeyChange, MadeKey, NewKey};
use inboxd_core::model::{
    ApiKey, ApiKeyId, Caller, Inbox, Member, Page, PageRequest, Permission, Policy, PolicyLevel, PolicyRules, Reach,
    Role, Scope,
};
use inboxd_core::ports::{ApiKeyQuery, BindingPolicies};
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, FixedClock, MockTx, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use super::{paths, permissions, world};

authorizing! { api_keys:
    create(new: NewKey) -> MadeKey;
    list(page: PageRequest) -> Page<ApiKey>;
    revoke(api_key_id: ApiKeyId) -> ();
    update(api_key_id: ApiKeyId, change: KeyChange) -> ApiKey;
}

/// The scope of the fixture inbox.
fn pinned() -> Scope {
    Scope::Inbox(fixtures::inbox().inbox_id)
}

fn new_key() -> NewKey {
    NewKey { name: None, permissions: None, expires_at: None, client_id: None }
}

/// A unit of work that may lock the organization.
fn unit(world: &mut World) -> &mut MockTx {
    let tx = world.unit_of_work();
    tx.accounts.expect_lock().times(..=1).returning(|_| Ok(Some(fixtures::organization())));
    tx
}

fn inbox_reach() -> Reach {
    Reach::Inbox { pod_id: id(2), inbox_id: fixtures::inbox().inbox_id }
}

/// Requires that all threads of the changed key become unassigned.
fn expect_unassigned(tx: &mut MockTx) {
    let whose = id::<ApiKeyId>(30).to_string();
    tx.threads.expect_unassign().once().returning(move |organization_id, assignee, keep, _| {
        assert_eq!((organization_id, assignee, keep.is_empty()), (id(1), whose.as_str(), true));
        Ok(())
    });
}
