//! Sends that a policy holds or refuses.

use inboxd_core::app::messages::send;
use inboxd_core::app::{Letter, SendResult};
use inboxd_core::model::{
    ApprovalStatus, Draft, Event, EventBody, EventType, KnownRecipient, Policy, PolicyAction, PolicyLevel, PolicyRule,
    PolicyRules, ReceivedCode, RecipientRules, SendCounts,
};
use inboxd_core::ports::BindingPolicies;
use inboxd_core::testing::fixtures::{self, NOW, mailbox};
use inboxd_core::testing::{Captured, MockTx, World};
use inboxd_core::{Error, PolicyError};
use time::Duration;

use super::{expect_caps, expect_storing, sending_world};
use crate::app::holds_sending_inbox;

fn policy(rules: PolicyRules) -> Policy {
    let organization_id = fixtures::organization().organization_id;
    Policy { organization_id, level: PolicyLevel::Organization, rules, updated_by: None, updated_at: NOW }
}

fn first_contacts(action: PolicyAction) -> PolicyRules {
    let recipients = RecipientRules { first_contact: action, ..RecipientRules::default() };
    PolicyRules { recipients, ..PolicyRules::default() }
}

/// Expects that a policy is read, of which the caller of the test knows the recipients that are known.
fn expect_policy(tx: &mut MockTx, rules: PolicyRules, known: &'static [&'static str]) {
    tx.policies.expect_binding_messages().once().returning(move |_, levels| {
        assert_eq!(levels.len(), 4, "organization, pod, inbox and key: {levels:?}");
        Ok(BindingPolicies { policies: vec![policy(rules.clone())], revoked: Vec::new() })
    });
    tx.policies.expect_known().times(..=1).returning(move |_, _, _| {
        let known = known.iter().map(|address| KnownRecipient { address: (*address).to_owned(), is_member: false });
        Ok(known.collect())
    });
}

fn letter(text: &str) -> Letter {
    Letter {
        to: vec![mailbox("Anna <anna@example.org>")],
        subject: Some("An offer".to_owned()),
        text: Some(text.to_owned()),
        labels: vec!["offers".to_owned()],
        ..Letter::default()
    }
}

async fn sent(world: World, text: &str) -> Result<SendResult, Error> {
    send(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, letter(text), None).await
}

#[tokio::test]
async fn held_message_is_stored_as_draft_with_its_bytes() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    expect_policy(tx, first_contacts(PolicyAction::Hold), &[]);
    let (drafts, mails, events) =
        (Captured::<Draft>::default(), Captured::<Vec<u8>>::default(), Captured::<Event>::default());
    let (draft, mail, event) = (drafts.clone(), mails.clone(), events.clone());
    tx.drafts.expect_insert().once().returning(move |stored, _| {
        draft.push(stored.clone());
        Ok(())
    });
    tx.drafts.expect_keep_held_mail().once().returning(move |_, _, raw| {
        mail.push(raw.to_vec());
        Ok(())
    });
    tx.events.expect_append().once().returning(move |appended| {
        event.push(appended[0].clone());
        Ok(())
    });
    let held = sent(world, "Here it is.").await.unwrap();
    let draft = drafts.only();
    assert_eq!(held.held, Some(draft.item.draft_id));
    assert_eq!(
        (draft.item.to, draft.text.as_deref()),
        (vec!["Anna <anna@example.org>".to_owned()], Some("Here it is."))
    );
    assert_eq!(draft.item.labels.to_vec(), ["awaiting_approval", "draft", "offers"]);
    let approval = draft.item.approval.unwrap();
    assert_eq!((approval.status, &approval.message_id), (ApprovalStatus::Awaiting, &held.message_id));
    assert_eq!(
        (approval.rule.rule, approval.rule.found.as_deref()),
        (PolicyRule::FirstContact, Some("anna@example.org"))
    );
    assert_eq!((approval.author, approval.expires_at), (fixtures::caller().actor, NOW + Duration::days(7)));
    let mail = inboxd_mail::parse(&mails.only());
    assert_eq!(mail.message_id.as_deref(), Some(held.message_id.as_str()));
    let event = events.only();
    assert_eq!((event.event_type, event.message_id), (EventType::MessageHeld, Some(held.message_id)));
    assert!(matches!(event.body, EventBody::Hold { recipients, .. } if recipients == ["anna@example.org"]));
}

#[tokio::test]
async fn refused_message_appends_rejection_with_the_rule() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    expect_policy(tx, first_contacts(PolicyAction::Refuse), &[]);
    world.unit_of_work().events.expect_append().once().returning(|events| {
        assert!(matches!(&events[0].body, EventBody::Reject { reason } if reason.contains("anna@example.org")));
        Ok(())
    });
    let refused = sent(world, "Here it is.").await;
    assert!(matches!(refused, Err(Error::Policy(PolicyError::Refused(_)))), "{refused:?}");
}

#[tokio::test]
async fn known_recipient_and_code_of_the_recipient_leave() {
    for (code_from, is_held) in [("anna@example.org", false), ("shop@example.com", true)] {
        let mut world = sending_world();
        let tx = world.unit_of_work();
        expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
        expect_policy(tx, PolicyRules::of_new_organization(), &["anna@example.org"]);
        tx.policies.expect_received_codes().once().returning(move |_, _, after, _| {
            assert_eq!(after, NOW - Duration::hours(24));
            Ok(vec![ReceivedCode { code: "482913".to_owned(), from: code_from.to_owned() }])
        });
        if is_held {
            holds_sending_inbox(tx);
            tx.drafts.expect_insert().once().returning(|_, _| Ok(()));
            tx.drafts.expect_keep_held_mail().once().returning(|_, _, _| Ok(()));
            tx.events.expect_append().once().returning(|_| Ok(()));
        } else {
            expect_storing(tx);
        }
        let sent = sent(world, "the code is 482-913").await.unwrap();
        assert_eq!(sent.held.is_some(), is_held, "{code_from}");
    }
}

#[tokio::test]
async fn key_that_was_revoked_meanwhile_sends_nothing() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    tx.policies.expect_binding_messages().once().returning(|_, levels| {
        let revoked = levels.iter().filter_map(|level| match level {
            PolicyLevel::ApiKey(api_key_id) => Some(*api_key_id),
            _ => None,
        });
        Ok(BindingPolicies { policies: Vec::new(), revoked: revoked.collect() })
    });
    let refused = sent(world, "Here it is.").await;
    assert!(matches!(refused, Err(Error::UnknownApiKey)), "{refused:?}");
}
