use inboxd_core::model::{
    ApiKey, ApiKeyId, Approval, ApprovalStatus, ContactChange, ContactChanges, ContactDecision, ContactKey,
    HeldWarning, HidingLabels, InboxId, KnownRecipient, Member, NewMail, Policy, PolicyAction, PolicyLevel, PolicyRule,
    PolicyRules, PolicyVerdict, RecipientRules, SealedCodes,
};
use inboxd_core::ports::{BindingPolicies, DraftReads, MAX_CODE_MAILS, PolicyReads};
use inboxd_core::rules::trust::{Judgement, Verdict};
use inboxd_core::testing::fixtures;
use time::Duration;
use uuid::Uuid;

use crate::drafts::{author, draft, draft_id};
use crate::members::{add, member};
use crate::support::*;

fn policy(world: &World, level: PolicyLevel, first_contact: PolicyAction) -> Policy {
    let recipients = RecipientRules { first_contact, ..RecipientRules::default() };
    Policy {
        organization_id: world.organization_id(),
        level,
        rules: PolicyRules { recipients, ..PolicyRules::of_new_organization() },
        updated_by: Some(author("One")),
        updated_at: at(1),
    }
}

async fn put(world: &World, policy: &Policy) {
    let mut tx = world.begin().await;
    tx.policies().put(policy).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn policy_replaces_that_of_its_level() {
    let world = world().await;
    let api_key_id: ApiKeyId = Uuid::from_u128(5).into();
    let levels = [
        PolicyLevel::Organization,
        PolicyLevel::Pod(world.inbox.pod_id),
        PolicyLevel::Inbox(world.inbox_id().clone()),
        PolicyLevel::ApiKey(api_key_id),
    ];
    for level in levels.iter().rev() {
        put(&world, &policy(&world, level.clone(), PolicyAction::Refuse)).await;
    }
    let changed = policy(&world, levels[1].clone(), PolicyAction::Hold);
    put(&world, &changed).await;
    assert_eq!(world.store.policy(world.organization_id(), &levels[1]).await.unwrap(), Some(changed));
    let mut tx = world.begin().await;
    let bound = tx.policies().binding(world.organization_id(), &levels).await.unwrap();
    assert_eq!(bound.policies.iter().map(|policy| policy.level.clone()).collect::<Vec<_>>(), levels);
    let foreign = tx.policies().binding(Uuid::from_u128(99).into(), &levels).await.unwrap();
    assert_eq!(foreign.policies, []);
    for expected in [true, false] {
        let deleted = tx.policies().delete(world.organization_id(), &levels[0]).await.unwrap();
        assert_eq!(deleted.is_some(), expected);
    }
}

#[tokio::test]
async fn contacts_that_the_inbox_wrote_to_or_a_person_trusts_are_known() {
    let world = world().await;
    let key = |address: &str| ContactKey {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        address: address.to_owned(),
    };
    let mut contacts = ContactChanges::default();
    contacts.add(ContactChange::received(key("anna@example.org"), None, true, at(1)));
    contacts.add(ContactChange::received(key("dan@example.org"), None, true, at(1)));
    contacts.add(ContactChange::sent(key("bob@example.org"), at(1)));
    contacts.add(ContactChange::sent(key("eve@example.org"), at(1)));
    let new = NewMail { contacts: contacts.into_vec(), ..NewMail::default() };
    world.begin().await.commit_with(&new).await.unwrap();
    let mut tx = world.begin().await;
    tx.contacts().decide(&key("eve@example.org"), Some(ContactDecision::Blocked), at(2)).await.unwrap();
    tx.contacts().decide(&key("anna@example.org"), Some(ContactDecision::Trusted), at(2)).await.unwrap();
    let asked = ["Anna@example.org", "bob@example.org", "dan@example.org", "eve@example.org", "new@example.org"];
    let asked = asked.map(address);
    let mut known = tx.policies().known(world.organization_id(), world.inbox_id(), &asked).await.unwrap();
    known.sort_by(|one, other| one.address.cmp(&other.address));
    let expected = ["anna@example.org", "bob@example.org"];
    assert_eq!(known, expected.map(|address| KnownRecipient { address: address.to_owned(), is_member: false }));
    let elsewhere = tx
        .policies()
        .known(world.organization_id(), &InboxId::stored("x@example.com".to_owned()), &asked)
        .await
        .unwrap();
    assert_eq!(elsewhere, [], "another inbox knows none of them");
}

#[tokio::test]
async fn members_are_known_however_their_addresses_are_written() {
    let world = world().await;
    let maria = Member { joined_at: Some(at(1)), ..member(&world, 1, "Maria@Example.org") };
    let invited = member(&world, 2, "max@example.org");
    for member in [&maria, &invited] {
        add(&world, member).await;
    }
    let asked = ["MARIA@example.org", "max@example.org"].map(address);
    let known = async || {
        let mut tx = world.begin().await;
        tx.policies().known(world.organization_id(), world.inbox_id(), &asked).await.unwrap()
    };
    assert_eq!(known().await, [KnownRecipient { address: "maria@example.org".to_owned(), is_member: true }]);
    let mut tx = world.begin().await;
    tx.members().remove(&maria, at(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(known().await, []);
}

/// Returns the sealed codes of a message of a world.
fn sealed(world: &World, number: i64) -> SealedCodes {
    let item = world.mail(number).message.item;
    SealedCodes {
        organization_id: item.organization_id,
        inbox_id: item.inbox_id,
        message_id: item.message_id,
        received_at: at(number),
        sealed: vec![7; 3],
    }
}

#[tokio::test]
async fn received_codes_are_recent_readable_and_outlive_their_messages() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["received", "spam"])).await;
    let mut tx = world.begin().await;
    let codes = [sealed(&world, 1), sealed(&world, 2)];
    tx.policies().keep_codes(&codes).await.unwrap();
    let spam = HidingLabels::of(&["spam"].into_iter().collect());
    let [of_spam, of_gone] = codes;
    for (readable, after, expected) in [
        (HidingLabels::ALL, 0, vec![of_gone.clone(), of_spam.clone()]),
        (spam, 0, vec![of_gone.clone(), of_spam]),
        (HidingLabels::HELD, 0, vec![of_gone.clone()]),
        (HidingLabels::ALL, 1, vec![of_gone]),
        (HidingLabels::ALL, 2, vec![]),
    ] {
        let found = tx.policies().received_codes(world.organization_id(), world.inbox_id(), readable, at(after)).await;
        assert_eq!(found.unwrap(), expected, "{readable:?} {after}");
    }
    for (before, expected) in [(at(1), 0), (at(2), 1), (at(3), 1)] {
        assert_eq!(tx.policies().purge_codes(before, 10).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn newest_received_codes_of_an_inbox_remain() {
    let world = world().await;
    let mut tx = world.begin().await;
    let most = usize::try_from(MAX_CODE_MAILS).unwrap();
    let codes: Vec<SealedCodes> = (0..).take(most + 3).map(|number| sealed(&world, number)).collect();
    tx.policies().keep_codes(&codes).await.unwrap();
    let read = tx.policies().received_codes(world.organization_id(), world.inbox_id(), HidingLabels::ALL, at(-1));
    let found: Vec<SealedCodes> = read.await.unwrap().into_iter().rev().collect();
    assert_eq!(found, codes[3..]);
    assert_eq!(tx.policies().purge_codes(at(3), 10).await.unwrap(), 0, "older ones are deleted");
}

#[tokio::test]
async fn messages_are_counted_by_minute_and_purged() {
    let world = world().await;
    let now = at(3_600_000 * 5 + 30_000);
    let (one, other) = ("organization  ".to_owned(), "organization  anna@example.org".to_owned());
    let mut tx = world.begin().await;
    for (subjects, time) in [
        (vec![one.clone(), other.clone()], now),
        (vec![one.clone()], now),
        (vec![one.clone()], now - Duration::minutes(60)),
        (vec![one.clone()], now - Duration::minutes(61)),
    ] {
        tx.policies().count(world.organization_id(), &subjects, time).await.unwrap();
    }
    let asked = [one.clone(), other.clone(), "nothing".to_owned()];
    let counted = tx.policies().counted(world.organization_id(), &asked, now - Duration::HOUR).await;
    let mut counted = counted.unwrap();
    counted.sort();
    assert_eq!(counted, [(one, 3), (other, 1)]);
    for expected in [1, 1, 0] {
        let purged = tx.policies().purge_counts(now - Duration::minutes(59), 1).await.unwrap();
        assert_eq!(purged, expected);
    }
}

#[tokio::test]
async fn held_mail_ends_with_its_approval() {
    let world = world().await;
    let mut held = draft(&world, 1);
    held.item.approval = Some(Approval {
        status: ApprovalStatus::Awaiting,
        rule: PolicyVerdict {
            level: PolicyLevel::Organization,
            rule: PolicyRule::FirstContact,
            action: PolicyAction::Hold,
            found: Some("anna@example.org".to_owned()),
        },
        message_id: message_id("held"),
        thread_id: thread_id(1),
        author: author("One"),
        from: "Scout <scout@inboxd.example>".to_owned(),
        recipients: vec!["\"a b\"@example.org".to_owned()],
        warnings: vec![HeldWarning::HiddenContent],
        headers: vec![("X-Campaign".to_owned(), "spring".to_owned())],
        size: 4,
        held_at: at(1),
        expires_at: at(5),
        reason: None,
    });
    let mut tx = world.begin().await;
    tx.drafts().insert(&held, &[]).await.unwrap();
    tx.drafts().keep_held_mail(world.organization_id(), draft_id(1), b"mail", None).await.unwrap();
    tx.commit().await.unwrap();
    let stored = async || world.store.held_mail(world.organization_id(), draft_id(1)).await.unwrap();
    assert_eq!(world.store.draft(world.organization_id(), draft_id(1)).await.unwrap(), Some(held.clone()));
    assert_eq!(stored().await.as_deref(), Some(b"mail".as_slice()));
    for (before, count) in [(at(4), 0), (at(5), 1)] {
        assert_eq!(world.store.expired_approvals(before, 10).await.unwrap().len(), count);
    }
    for (status, is_kept) in [(ApprovalStatus::Awaiting, true), (ApprovalStatus::Rejected, false)] {
        if let Some(approval) = &mut held.item.approval {
            approval.status = status;
        }
        let mut tx = world.begin().await;
        tx.drafts().update(&held, &[]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(stored().await.is_some(), is_kept, "{status:?}");
    }
    assert_eq!(world.store.expired_approvals(at(9), 10).await.unwrap(), []);
}

#[tokio::test]
async fn policies_of_messages_name_revoked_keys() {
    let world = world().await;
    let api_key_id: ApiKeyId = Uuid::from_u128(5).into();
    let levels = [PolicyLevel::Organization, PolicyLevel::ApiKey(api_key_id)];
    let of_organization = policy(&world, levels[0].clone(), PolicyAction::Hold);
    put(&world, &of_organization).await;
    let key = fixtures::api_key();
    let mut tx = world.begin().await;
    let bound = tx.policies().binding(world.organization_id(), &levels).await.unwrap();
    assert_eq!(bound, BindingPolicies { policies: vec![of_organization.clone()], revoked: vec![api_key_id] });
    let key = ApiKey { organization_id: world.organization_id(), api_key_id, ..key };
    tx.api_keys().insert(&key, &[7; 32]).await.unwrap();
    let bound = tx.policies().binding(world.organization_id(), &levels).await.unwrap();
    assert_eq!(bound, BindingPolicies { policies: vec![of_organization.clone()], revoked: vec![] });
    tx.api_keys().revoke(world.organization_id(), api_key_id, at(3)).await.unwrap();
    let bound = tx.policies().binding(world.organization_id(), &levels).await.unwrap();
    assert_eq!(bound.revoked, [api_key_id]);
}

#[tokio::test]
async fn thread_is_suspicious_by_any_live_message() {
    let world = world().await;
    let mut mail = world.mail(1);
    mail.message.item.trust = Some(Judgement { verdict: Verdict::Suspicious, checks: None, reasons: vec![] });
    let thread_id = mail.message.item.thread_id;
    world.deliver(&mail).await;
    let other = world.mail(2);
    world.deliver(&other).await;
    let mut tx = world.begin().await;
    for (thread_id, expected) in
        [(thread_id, true), (other.message.item.thread_id, thread_id == other.message.item.thread_id)]
    {
        let found = tx.policies().has_suspicious(world.organization_id(), world.inbox_id(), thread_id).await.unwrap();
        assert_eq!(found, expected);
    }
    assert!(!tx.policies().has_suspicious(Uuid::from_u128(99).into(), world.inbox_id(), thread_id).await.unwrap());
}
