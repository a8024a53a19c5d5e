use std::collections::BTreeSet;

use inboxd_core::Error;
use inboxd_core::app::SendResult;
use inboxd_core::model::{
    Approval, ApprovalStatus, Caller, Draft, DraftItem, EventType, InboxId, Member, MessageId, PolicyAction,
    PolicyLevel, PolicyRule, PolicyVerdict, Role, Scope, SendCounts,
};
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{MockTx, World};
use inboxd_mail::{Composition, compose};
use time::Duration;

use super::super::holds_sending_inbox;
use super::super::messages::{expect_caps, expect_storing, sending_world};
use super::{approve, expect_write, reject};

const HELD: &str = "<held@inboxd.example>";

fn owner() -> Member {
    Member { role: Role::Owner, ..fixtures::member() }
}

/// A held message of an agent, to an address that a header field shows differently.
fn held() -> Draft {
    let mut draft = fixtures::draft();
    draft.item.to = vec!["\"ab\"@example.org".to_owned()];
    draft.item.approval = Some(Approval {
        status: ApprovalStatus::Awaiting,
        rule: PolicyVerdict {
            level: PolicyLevel::Organization,
            rule: PolicyRule::FirstContact,
            action: PolicyAction::Hold,
            found: None,
        },
        message_id: MessageId::stored(HELD.to_owned()),
        thread_id: id(60),
        author: fixtures::caller().actor,
        from: "scout@inboxd.example".to_owned(),
        recipients: vec!["\"a b\"@example.org".to_owned()],
        headers: Vec::new(),
        warnings: Vec::new(),
        size: 4,
        held_at: NOW,
        expires_at: NOW + Duration::DAY,
        reason: None,
    });
    draft
}

fn claimed(draft: &Draft) -> Draft {
    let dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    Draft { item: DraftItem { dispatch, ..draft.item.clone() }, ..draft.clone() }
}

/// The approver as a unit of work finds them; `None` for a removed one.
fn present(tx: &mut MockTx, member: Option<Member>) {
    tx.members.expect_hold().once().returning(move |_, _| Ok(member.clone()));
}

/// An environment in which the approver may claim the held message.
fn claiming(draft: &Draft) -> World {
    let mut world = sending_world();
    let from = "Scout <scout@inboxd.example>".parse().unwrap();
    let text = Some("Here it is.".to_owned());
    let raw = compose(&Composition { text, ..Composition::new(from, HELD.to_owned()) }).unwrap();
    world.store.expect_held_mail().returning(move |_, _| Ok(Some(raw.clone())));
    let tx = world.unit_of_work();
    present(tx, Some(owner()));
    expect_write(tx, draft);
    world
}

async fn approved(world: World, draft: &Draft) -> Result<SendResult, Error> {
    let message_id = MessageId::stored(HELD.to_owned());
    let caller: Caller = fixtures::calling(&owner());
    let item = &draft.item;
    approve(&world.app(), &caller, &Scope::Inbox(item.inbox_id.clone()), &item.inbox_id, item.draft_id, &message_id)
        .await
}

#[tokio::test]
async fn approved_message_leaves_to_the_addresses_for_which_it_was_held() {
    let draft = held();
    let mut world = claiming(&draft);
    let tx = world.unit_of_work();
    present(tx, Some(owner()));
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    let outbox = expect_storing(tx);
    tx.drafts.expect_remove().once().returning(|_| Ok(Some(0)));
    approved(world, &draft).await.unwrap();
    let to: Vec<String> =
        outbox.queued.only().iter().flat_map(|mail| &mail.recipients).map(ToString::to_string).collect();
    assert_eq!(to, ["\"a b\"@example.org"]);
    assert_eq!(outbox.messages.only().message.item.sent_by, Some(fixtures::caller().actor));
}

#[tokio::test]
async fn approved_reply_outlives_its_thread_in_all_events() {
    let draft = Draft { item: DraftItem { kind: fixtures::reply_draft().item.kind, ..held().item }, ..held() };
    let mut world = claiming(&draft);
    let tx = world.unit_of_work();
    present(tx, Some(owner()));
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    let outbox = expect_storing(tx);
    tx.drafts.expect_remove().once().returning(|_| Ok(Some(0)));
    tx.threads.expect_lock_across().once().returning(|_| Ok(Vec::new()));
    let sent = approved(world, &draft).await.unwrap();
    assert_ne!(Some(sent.thread_id), draft.item.thread_id());
    let told: Vec<_> = outbox.events.only().into_iter().map(|event| (event.event_type, event.thread_id)).collect();
    let expected = [EventType::MessageApproved, EventType::MessageSent].map(|kind| (kind, Some(sent.thread_id)));
    assert_eq!(told, expected);
}

#[tokio::test]
async fn removed_member_claims_and_rejects_nothing() {
    let draft = held();
    let message_id = MessageId::stored(HELD.to_owned());
    let mut world = sending_world();
    present(world.unit_of_work(), None);
    let refused = approved(world, &draft).await;
    assert!(matches!(refused, Err(Error::UnknownApiKey)), "{refused:?}");

    let mut world = sending_world();
    present(world.unit_of_work(), None);
    let (caller, item) = (fixtures::calling(&owner()), &draft.item);
    let refused =
        reject(&world.app(), &caller, &Scope::Organization, &item.inbox_id, item.draft_id, &message_id, None).await;
    assert!(matches!(refused, Err(Error::UnknownApiKey)), "{refused:?}");
}

#[tokio::test]
async fn approver_without_the_right_when_the_message_is_stored_sends_nothing() {
    let inbox_ids = BTreeSet::from([InboxId::stored("other@inboxd.example".to_owned())]);
    let elsewhere = Member { role: Role::Member, inbox_ids, ..owner() };
    for member in [None, Some(elsewhere)] {
        let draft = held();
        let mut world = claiming(&draft);
        let tx = world.unit_of_work();
        present(tx, member);
        expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
        holds_sending_inbox(tx);
        expect_write(world.unit_of_work(), &claimed(&draft));
        let journal = world.journal.clone();
        let refused = approved(world, &draft).await;
        assert!(matches!(refused, Err(Error::UnknownApiKey | Error::NotTheirInbox { .. })), "{refused:?}");
        assert_eq!(journal.commits(), 2, "the claim and its release");
    }
}
