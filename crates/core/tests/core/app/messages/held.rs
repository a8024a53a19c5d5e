//! Sends that a policy holds or refuses.

use std::sync::Arc;

use inboxd_core::app::messages::send;
use inboxd_core::app::{App, AttachmentSource, BlobContents, Letter, LetterAttachment, SendResult};
use inboxd_core::model::{
    ApprovalStatus, BlobKind, ContentRules, Draft, Event, EventBody, EventType, HidingLabels, KnownRecipient, Policy,
    PolicyAction, PolicyLevel, PolicyRule, PolicyRules, RecipientRules, SealedCodes, SendCounts,
};
use inboxd_core::ports::{BindingPolicies, BlobStore, StoreError, Vault};
use inboxd_core::testing::fixtures::{self, NOW, id, mailbox};
use inboxd_core::testing::{Captured, MemoryBlobs, MockTx, PlainVault, World};
use inboxd_core::{Error, PolicyError};
use time::Duration;

use super::{expect_caps, expect_storing, expect_trial, sending_world, submission_event};
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
    tx.policies.expect_binding().once().returning(move |_, levels| {
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
    tx.drafts.expect_keep_held_mail().once().returning(move |_, _, raw, _| {
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

/// Expects a unit of work in which a policy holds a message.
fn expect_hold(world: &mut World) -> &mut MockTx {
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    expect_policy(tx, first_contacts(PolicyAction::Hold), &[]);
    tx
}

/// Sends a message with a large attachment. Contents above 1000 bytes are objects.
async fn sent_with_attachment(world: World, blobs: &MemoryBlobs) -> Result<SendResult, Error> {
    let attachment = LetterAttachment {
        filename: Some("a.bin".to_owned()),
        content_type: None,
        content_disposition: None,
        content_id: None,
        source: AttachmentSource::Content(vec![7; 5_000]),
    };
    let letter = Letter { attachments: vec![attachment], ..letter("Here it is.") };
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(blobs.clone()))];
    let contents = BlobContents::new(stores, Some(BlobKind::File), 1_000, Duration::days(7));
    let app = App { blobs: Arc::new(contents), ..world.app() };
    send(&app, &fixtures::caller(), &fixtures::inbox().inbox_id, letter, None).await
}

#[tokio::test]
async fn undecided_commit_of_held_message_is_verified() {
    // A person may have approved, changed or deleted the draft since then.
    for held in [Some(id(9)), None] {
        let mut world = sending_world();
        // The attachment is uploaded behind the first unit of work, which finds that a policy holds the message.
        expect_hold(&mut world);
        let tx = expect_hold(&mut world);
        tx.drafts.expect_insert().once().returning(|_, _| Ok(()));
        tx.drafts.expect_keep_held_mail().once().returning(|_, _, _, _| Ok(()));
        tx.events.expect_append().once().returning(|_| Ok(()));
        tx.commit_fails = Some(StoreError::Undecided("broken".to_owned()));
        world.store.expect_submission_events().once().returning(move |_, keys| {
            let [key] = keys else { panic!("{} submissions", keys.len()) };
            Ok(vec![held.is_some().then(|| submission_event(&key.message_id, held))])
        });
        let blobs = MemoryBlobs::default();
        let sent = sent_with_attachment(world, &blobs).await;
        if held.is_some() {
            assert_eq!(sent.unwrap().held, held);
        } else {
            assert!(matches!(sent, Err(Error::Store(StoreError::Unavailable(_)))), "{sent:?}");
        }
        // After an undecided commit the search for objects without rows decides about them.
        assert_eq!(blobs.names().len(), 2, "message and attachment");
    }
}

#[tokio::test]
async fn large_attachment_of_held_message_is_object_unless_the_message_leaves() {
    for is_held in [true, false] {
        let mut world = sending_world();
        // The attachment is uploaded behind the first unit of work, which finds that a policy holds the message.
        expect_hold(&mut world);
        if is_held {
            let tx = expect_hold(&mut world);
            tx.drafts.expect_insert().once().returning(|draft, contents| {
                let [content] = contents else { panic!("{} contents", contents.len()) };
                assert_eq!(draft.item.attachments[0].attachment_id, content.attachment_id);
                assert!(content.content == [7_u8; 5_000] && content.blob.is_some());
                Ok(())
            });
            tx.drafts.expect_keep_held_mail().once().returning(|_, _, _, blob| {
                assert!(blob.is_some());
                Ok(())
            });
            tx.events.expect_append().once().returning(|_| Ok(()));
        } else {
            let tx = world.unit_of_work();
            expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
            expect_storing(tx);
        }
        let blobs = MemoryBlobs::default();
        let sent = sent_with_attachment(world, &blobs).await.unwrap();
        assert_eq!((sent.held.is_some(), blobs.names().len()), (is_held, 1 + usize::from(is_held)));
    }
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
        tx.policies.expect_received_codes().once().returning(move |organization_id, inbox_id, readable, after| {
            assert_eq!(readable, HidingLabels::ALL);
            assert_eq!(after, NOW - Duration::hours(24));
            let message_id = fixtures::message_id("<code@example.org>");
            let seal = |key: &[u8]| PlainVault.seal(key, format!("{code_from}\n482913").as_bytes()).unwrap();
            let (inbox_id, received_at) = (inbox_id.clone(), NOW);
            let sealed = seal(message_id.as_str().as_bytes());
            let codes = SealedCodes { organization_id, inbox_id, message_id, received_at, sealed };
            // Codes that were sealed with another key do not count.
            Ok(vec![SealedCodes { sealed: seal(b"another"), ..codes.clone() }, codes])
        });
        if is_held {
            holds_sending_inbox(tx);
            tx.drafts.expect_insert().once().returning(|_, _| Ok(()));
            tx.drafts.expect_keep_held_mail().once().returning(|_, _, _, _| Ok(()));
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
    tx.policies.expect_binding().once().returning(|_, levels| {
        let revoked = levels.iter().filter_map(|level| match level {
            PolicyLevel::ApiKey(api_key_id) => Some(*api_key_id),
            _ => None,
        });
        Ok(BindingPolicies { policies: Vec::new(), revoked: revoked.collect() })
    });
    let refused = sent(world, "Here it is.").await;
    assert!(matches!(refused, Err(Error::UnknownApiKey)), "{refused:?}");
}

#[tokio::test]
async fn url_that_a_policy_does_not_let_leave_is_not_fetched() {
    let secrets = |action| PolicyRules {
        content: ContentRules { secrets: action, ..ContentRules::default() },
        ..PolicyRules::default()
    };
    for (rules, is_refused) in [
        (first_contacts(PolicyAction::Hold), false),
        (first_contacts(PolicyAction::Refuse), true),
        (secrets(PolicyAction::Hold), false),
        (secrets(PolicyAction::Refuse), true),
    ] {
        let mut world = sending_world();
        expect_trial(&mut world);
        expect_policy(world.unit_of_work(), rules, &["anna@example.org"]);
        if is_refused {
            world.unit_of_work().events.expect_append().once().returning(|_| Ok(()));
        }
        let attachment = LetterAttachment {
            filename: None,
            content_type: None,
            content_disposition: None,
            content_id: None,
            source: AttachmentSource::Url("https://files.example/?k=AKIAIOSFODNN7ABCDEFG".to_owned()),
        };
        let letter = Letter { attachments: vec![attachment], ..letter("Here it is.") };
        match send(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, letter, None).await {
            Err(Error::Policy(PolicyError::Refused(_))) => assert!(is_refused),
            Err(Error::Invalid(problems)) => {
                assert!(!is_refused);
                assert_eq!(problems[0].path, "attachments[0].url");
                assert!(problems[0].message.contains("not fetched without an approval"), "{problems:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}
