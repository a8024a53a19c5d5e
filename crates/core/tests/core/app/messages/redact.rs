use inboxd_core::app::messages::redact;
use inboxd_core::model::{
    AuditEntry, Caller, Event, LegalHold, LegalHoldScope, Message, MessageItem, Permission, Thread, UsageChange,
};
use inboxd_core::rules::trust::{InstructionKind, Judgement, MessageField, Reason, Verdict};
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, RedactionRefusal};
use serde_json::json;

use crate::app::{holds_inbox, permissions, thread_of, world};

type Fields = Vec<(String, String)>;

fn question() -> MessageItem {
    let reasons = vec![
        Reason::TrustedContact,
        Reason::MachineInstruction {
            kind: InstructionKind::Override,
            field: MessageField::Text,
            start: 7,
            end: 99,
            is_hidden: true,
        },
        Reason::MisleadingLink { shown_host: "bank.example".to_owned(), target_host: "evil.example".to_owned() },
    ];
    MessageItem {
        attachments: vec![fixtures::attachment(1)],
        trust: Some(Judgement { verdict: Verdict::Suspicious, checks: None, reasons }),
        ..fixtures::message_item()
    }
}

/// What a redaction stores.
#[derive(Default)]
struct Stored {
    redacted: Captured<(MessageItem, Fields)>,
    threads: Captured<Thread>,
    usage: Captured<UsageChange>,
    events: Captured<Event>,
    audit: Captured<AuditEntry>,
}

/// An environment with one message, of which a copy may wait in the queue.
fn world_with(item: &MessageItem, is_queued: bool) -> (World, Stored) {
    let (mut world, stored) = (world(), Stored::default());
    let mut message: Message = fixtures::message(item.clone());
    message.body.headers = ["message-id", "X-Secret", "Date"].map(|name| (name.to_owned(), "v".to_owned())).to_vec();
    world.store.expect_message().times(..=1).return_once(move |_, _, _, _| Ok(Some(message)));
    let tx = world.unit_of_work();
    holds_inbox(tx);
    let found = item.clone();
    tx.messages.expect_items().times(..=2).returning(move |_, _, _| Ok(vec![found.clone()]));
    let thread = thread_of(std::slice::from_ref(item));
    tx.threads.expect_lock().times(..=1).return_once(move |_, _, _| Ok(vec![thread]));
    tx.outgoing.expect_holds_message().times(..=1).returning(move |_| Ok(is_queued));
    let (seen, left) = (stored.redacted.clone(), stored.redacted.clone());
    tx.messages.expect_redact().times(..=1).returning(move |item, fields| {
        seen.push((item.clone(), fields.to_vec()));
        Ok(())
    });
    tx.messages.expect_of_thread().times(..=1).returning(move |_, _, _, _, _| Ok(vec![left.only().0]));
    let seen = stored.threads.clone();
    tx.threads.expect_update().times(..=1).returning(move |threads| {
        for thread in threads {
            seen.push(thread.clone());
        }
        Ok(())
    });
    let seen = stored.usage.clone();
    tx.usage.expect_change().times(..=1).returning(move |changes| {
        for (_, _, change) in changes {
            seen.push(*change);
        }
        Ok(())
    });
    let seen = stored.events.clone();
    tx.events.expect_append().times(..=1).returning(move |events| {
        for event in events {
            seen.push(event.clone());
        }
        Ok(())
    });
    let seen = stored.audit.clone();
    tx.audit.checkpoint();
    tx.audit.expect_append().times(..=1).returning(move |entry: &AuditEntry, _| {
        seen.push(entry.clone());
        Ok(true)
    });
    (world, stored)
}

async fn redact_as(world: World, caller: &Caller) -> Result<MessageItem, Error> {
    redact(&world.app(), caller, &fixtures::inbox().inbox_id, &question().message_id).await
}

#[tokio::test]
async fn content_goes_and_identity_stays() {
    let (world, stored) = world_with(&question(), false);
    let journal = world.journal.clone();
    let redacted = redact_as(world, &fixtures::caller()).await.unwrap();
    let (item, fields) = stored.redacted.only();
    assert_eq!(item, redacted);
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["message-id", "Date"]);
    let reasons = vec![
        Reason::TrustedContact,
        Reason::MachineInstruction {
            kind: InstructionKind::Override,
            field: MessageField::Text,
            start: 0,
            end: 0,
            is_hidden: true,
        },
        Reason::MisleadingLink { shown_host: String::new(), target_host: String::new() },
    ];
    let expected = MessageItem {
        subject: None,
        preview: None,
        attachments: Vec::new(),
        size: 0,
        trust: Some(Judgement { verdict: Verdict::Suspicious, checks: None, reasons }),
        redacted_at: Some(NOW),
        updated_at: NOW,
        ..question()
    };
    assert_eq!(item, expected);
    let thread = stored.threads.only();
    assert_eq!((thread.subject, thread.preview, thread.attachments.len(), thread.size), (None, None, 0, 0));
    assert_eq!(stored.usage.only(), UsageChange { storage_bytes: -1000, ..UsageChange::default() });
    let event = stored.events.only();
    assert_eq!((event.event_type.as_str(), event.message_id), ("message.redacted", Some(item.message_id.clone())));
    let entry = stored.audit.only();
    assert_eq!((entry.action.as_str(), entry.resource_id), ("message.redacted", item.message_id.to_string()));
    let after = json!({"inbox_id": item.inbox_id, "thread_id": item.thread_id.to_string()});
    assert_eq!((entry.before, json!(entry.after)), (None, after));
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn repeat_changes_nothing() {
    let item = MessageItem { subject: None, redacted_at: Some(NOW), ..question() };
    let (world, stored) = world_with(&item, false);
    let journal = world.journal.clone();
    assert_eq!(redact_as(world, &fixtures::caller()).await.unwrap(), item);
    assert_eq!((journal.commits(), stored.redacted.all().len()), (0, 0));
}

#[tokio::test]
async fn waiting_held_and_hidden_messages_are_refused() {
    let (world, stored) = world_with(&question(), true);
    let refused = redact_as(world, &fixtures::caller()).await;
    assert!(matches!(refused, Err(Error::Redaction(RedactionRefusal::Queued(_)))));
    assert_eq!(stored.redacted.all().len(), 0);

    let (mut world, stored) = world_with(&question(), false);
    let tx = world.last_unit_of_work();
    tx.legal_holds.checkpoint();
    let hold = LegalHold {
        scope: LegalHoldScope { organization_id: id(1), inbox_id: None },
        reason: "case 7".to_owned(),
        placed_by: fixtures::caller().actor,
        placed_at: NOW,
    };
    tx.legal_holds.expect_covering().once().return_once(move |_| Ok(Some(hold)));
    assert!(matches!(redact_as(world, &fixtures::caller()).await, Err(Error::LegalHold(None))));
    assert_eq!(stored.redacted.all().len(), 0);

    // It became hidden after the first read.
    let trashed = MessageItem { labels: ["received", "trash"].into_iter().collect(), ..question() };
    let (world, stored) = world_with(&trashed, false);
    let blind = Caller { permissions: permissions(&["message_delete"]), ..fixtures::caller() };
    assert!(matches!(redact_as(world, &blind).await, Err(Error::NotFound { .. })));
    assert_eq!(stored.redacted.all().len(), 0);
}

#[tokio::test]
async fn delayed_send_is_refused_and_unknown_message_not_found() {
    for delayed in [Some(fixtures::draft()), None] {
        let mut world = world();
        world.store.expect_message().once().return_once(|_, _, _, _| Ok(None));
        let is_delayed = delayed.is_some();
        world.unit_of_work().drafts.expect_lock_delayed().once().return_once(move |_, _, _| Ok(delayed));
        match redact_as(world, &fixtures::caller()).await {
            Err(Error::Redaction(RedactionRefusal::Delayed(refused))) => {
                assert!(is_delayed && refused == message_id("<question@example.org>"));
            }
            Err(Error::NotFound { .. }) => assert!(!is_delayed),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn redaction_needs_the_permission_to_delete() {
    let writer = Caller { permissions: permissions(&["message_read", "message_update"]), ..fixtures::caller() };
    let refused = redact_as(world(), &writer).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MessageDelete))));
}
