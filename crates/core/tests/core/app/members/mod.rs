//! Invitations, changes and removals of members.

mod change;
mod invite;
mod rights;

use std::collections::BTreeSet;

use inboxd_core::app::members::{MemberChange, NewMember, invite, remove, update};
use inboxd_core::model::outgoing::{QueuedMail, RawMail};
use inboxd_core::model::{ApiKey, Caller, Locality, Member, Membership, Organization, Permission, Role};
use inboxd_core::ports::{RevokedCredentials, StoreError, Vault};
use inboxd_core::rules::roles;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, Happened, MockTx, PlainVault, World};
use inboxd_core::{Error, LimitReached, Resource};

use mockall::Sequence;

use super::{locks, paths};

fn maria() -> NewMember {
    NewMember { email: " Maria@Example.org ".to_owned(), role: "member".to_owned(), ..NewMember::default() }
}

fn max() -> Member {
    Member { role: Role::Admin, member_id: id(41), ..fixtures::member() }
}

/// Max, an admin.
fn admin() -> Caller {
    fixtures::calling(&max())
}

/// An environment in which an invitation reaches its mail.
fn inviting(members: u64) -> (World, Captured<Member>, Captured<Vec<QueuedMail>>) {
    let (inserted, mailed) = (Captured::default(), Captured::default());
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.members.expect_hold().returning(|_, _| Ok(Some(max())));
    tx.members.expect_of_address().returning(|_, _| Ok(Vec::new()));
    tx.members.expect_count().returning(move |_| Ok(members));
    let seen = inserted.clone();
    tx.members.expect_insert().times(..=1).returning(move |member| {
        seen.push(member.clone());
        Ok(())
    });
    let seen = mailed.clone();
    tx.outgoing.expect_enqueue().times(..=1).returning(move |mails| {
        seen.push(mails.to_vec());
        Ok(())
    });
    (world, inserted, mailed)
}

/// An environment with this member. The organization is not locked, so that no other request waits.
fn with(member: Member) -> World {
    let mut world = World::default();
    world.unit_of_work().members.expect_lock().return_once(move |_, _| Ok(Some(member)));
    world
}

/// The same for Max, who is an admin at that time.
fn with_max(member: Member) -> World {
    let mut world = with(member);
    world.last_unit_of_work().members.expect_hold().returning(|_, _| Ok(Some(max())));
    world
}
