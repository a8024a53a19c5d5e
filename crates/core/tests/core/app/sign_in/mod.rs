//! Sign-in: codes by mail, keys of people, and switches between organizations.

mod code_mail;
mod switch;
mod verify;

use inboxd_core::app::account::{SignInProof, identity, mail_sign_in_codes, sign_in, switch, verify_sign_in};
use inboxd_core::app::purge_sign_in_codes;
use inboxd_core::model::outgoing::{QueuedMail, RawMail};
use inboxd_core::model::{
    ApiKey, Caller, InboxId, Locality, Member, Membership, Organization, Reach, Role, SignInCode,
};
use inboxd_core::ports::{Destination, StoreError, Vault};
use inboxd_core::rules::sign_in::digits;
use inboxd_core::testing::fixtures::{self, NOW, address, id};
use inboxd_core::testing::{Captured, Happened, PlainVault, World};
use inboxd_core::{Error, Resource};
use inboxd_mail::EmailAddress;
use time::Duration;

use super::{locks, paths, permissions};

fn code() -> SignInCode {
    SignInCode { mail_due_at: None, ..SignInCode::fresh(address("maria@example.org"), [1; 32], NOW) }
}

fn membership() -> Membership {
    Membership { organization: fixtures::organization(), member: fixtures::member(), used_at: None }
}

fn right(world: &World) -> String {
    digits(&world.settings.signing_key, &code())
}

fn proof(otp_code: String) -> SignInProof {
    SignInProof { email: "Maria@Example.org".to_owned(), otp_code, ..SignInProof::default() }
}

/// Prepares a successful sign-in and returns its key.
fn succeeds(world: &mut World, organization: Organization, member: Member) -> Captured<ApiKey> {
    let made = Captured::default();
    let landed = Membership { organization: organization.clone(), member: member.clone(), used_at: None };
    let tx = world.unit_of_work();
    tx.sign_ins.expect_lock().once().return_once(|_| Ok(Some(code())));
    tx.members.expect_of_address().once().return_once(move |_, _| Ok(vec![landed]));
    locks(tx, organization);
    tx.members.expect_lock().once().return_once(move |_, _| Ok(Some(member)));
    let seen = made.clone();
    tx.api_keys.expect_insert().once().returning(move |key, _| {
        seen.push(key.clone());
        Ok(())
    });
    tx.members.expect_join().once().returning(|email, at| {
        assert_eq!((email, at), (&address("maria@example.org"), NOW));
        Ok(Vec::new())
    });
    tx.sign_ins.expect_end().once().returning(|_, at| {
        assert_eq!(at, NOW);
        Ok(())
    });
    made
}
