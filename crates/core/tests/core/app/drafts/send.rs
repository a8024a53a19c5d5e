use inboxd_core::app::SendResult;
use inboxd_core::model::{
    Caller, ClaimedDraft, Draft, DraftKind, EventType, Member, Permission, Role, Scope, SendCounts, SendStatus,
};
use inboxd_core::ports::{BindingPolicies, DraftContent};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, PolicyError};
use time::Duration;

use super::super::messages::{Outbox, expect_caps, expect_storing, sending_world};
use super::super::{holds_sending_inbox, paths, permissions, thread_of};
use super::{check_quota, check_send, expect_look, expect_write, send};

fn none() -> LabelChange {
    LabelChange::default()
}

async fn sent(world: World, caller: &Caller, change: &LabelChange) -> Result<SendResult, Error> {
    let draft = fixtures::draft().item;
    send(&world.app(), caller, &Scope::Organization, &draft.inbox_id, draft.draft_id, change, false, None).await
}

/// Sends a claimed draft in an environment. Returns the stored message and the deleted draft.
fn dispatching(draft: &Draft, contents: Vec<DraftContent>) -> (World, Outbox, Captured<ClaimedDraft>) {
    let mut world = sending_world();
    world.store.expect_draft_contents().returning(move |_, _| Ok(contents.clone()));
    expect_write(world.unit_of_work(), draft);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    let outbox = expect_storing(tx);
    let removed = Captured::default();
    let seen = removed.clone();
    tx.drafts.expect_remove().once().returning(move |claimed| {
        seen.push(*claimed);
        Ok(Some(0))
    });
    (world, outbox, removed)
}

#[tokio::test]
async fn send_deletes_draft_in_unit_of_work_of_message() {
    let mut draft = fixtures::draft();
    draft.item.attachments = vec![fixtures::attachment(7)];
    let content = DraftContent { attachment_id: fixtures::id(7), content: b"notes".to_vec(), blob: None };
    let (world, outbox, removed) = dispatching(&draft, vec![content]);
    let change = LabelChange { add: vec!["q4".to_owned()], remove: vec!["offers".to_owned()] };
    let sent = sent(world, &fixtures::caller(), &change).await.unwrap();
    let message = outbox.messages.only();
    assert_eq!(message.message.item.message_id, sent.message_id);
    assert_eq!(message.message.item.labels.to_vec(), ["q4", "sent"]);
    assert_eq!(message.message.item.sent_by, Some(fixtures::caller().actor));
    let mail = outbox.mail();
    assert_eq!(
        (mail.subject.as_deref(), mail.attachments[0].filename.as_deref()),
        (Some("An offer"), Some("notes.txt"))
    );
    assert_eq!(inboxd_mail::attachment_content(&message.raw, mail.attachments[0].part).unwrap(), b"notes");
    assert_eq!(removed.only().revision, 1, "the claimed revision is deleted");
}

#[tokio::test]
async fn reply_draft_is_sent_in_its_thread() {
    let draft = fixtures::reply_draft();
    let (mut world, outbox, _) = dispatching(&draft, Vec::new());
    world.store.expect_messages().once().returning(|_, _, _, _| Ok(vec![fixtures::message(fixtures::message_item())]));
    let thread = thread_of(&[fixtures::message_item()]);
    let locked = thread.clone();
    world.last_unit_of_work().threads.expect_lock_across().once().returning(move |_| Ok(vec![locked.clone()]));
    let sent = sent(world, &fixtures::caller(), &none()).await.unwrap();
    assert_eq!((sent.thread_id, outbox.joined.all().len()), (thread.thread_id, 1));
    let mail = outbox.mail();
    assert_eq!(
        (mail.in_reply_to, mail.references),
        (vec!["<question@example.org>".to_owned()], vec!["<question@example.org>".to_owned()])
    );
}

#[tokio::test]
async fn reply_draft_outlives_its_thread() {
    let draft = fixtures::reply_draft();
    let (mut world, outbox, _) = dispatching(&draft, Vec::new());
    world.store.expect_messages().once().returning(|_, _, _, _| Ok(Vec::new()));
    world.last_unit_of_work().threads.expect_lock_across().once().returning(|_| Ok(Vec::new()));
    let sent = sent(world, &fixtures::caller(), &none()).await.unwrap();
    assert_eq!(outbox.begun.only().thread_id, sent.thread_id);
    assert_ne!(Some(sent.thread_id), draft.item.thread_id());
}

#[tokio::test]
async fn forward_draft_send_needs_readable_message() {
    let mut draft = fixtures::draft();
    draft.item.kind = DraftKind::Forward { forward_of: fixtures::message_item().message_id };
    let mut world = sending_world();
    world.store.expect_draft_contents().returning(|_, _| Ok(Vec::new()));
    expect_write(world.unit_of_work(), &draft);
    let mut claimed = draft.clone();
    claimed.item.dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    expect_write(world.unit_of_work(), &claimed);
    let caller = Caller { permissions: permissions(&["draft_send"]), ..fixtures::caller() };
    let refused = sent(world, &caller, &none()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MessageRead))), "{refused:?}");
}

#[tokio::test]
async fn refused_draft_stays_and_can_be_sent_again() {
    let mut draft = fixtures::draft();
    draft.item.to = Vec::new();
    let mut world = sending_world();
    world.store.expect_draft_contents().returning(|_, _| Ok(Vec::new()));
    let claimed = expect_write(world.unit_of_work(), &draft);
    let mut left = draft.clone();
    left.item.dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    let released = expect_write(world.unit_of_work(), &left);
    let refused = sent(world, &fixtures::caller(), &none()).await.unwrap_err();
    assert_eq!(super::super::paths(refused), ["to"]);
    assert_eq!(claimed.only().item.dispatch.status(NOW), Some(SendStatus::Sending));
    assert_eq!(released.only().item.dispatch.status(NOW), None);
}

#[tokio::test]
async fn draft_refused_for_recipient_stays_with_one_message_rejected() {
    let draft = fixtures::draft();
    let mut world = super::super::world();
    world.store.expect_draft_contents().returning(|_, _| Ok(Vec::new()));
    expect_write(world.unit_of_work(), &draft);
    let mut left = draft.clone();
    left.item.dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    expect_write(world.unit_of_work(), &left);
    world.unit_of_work().events.expect_append().once().returning(|events| {
        let [event] = events else { panic!("{events:?}") };
        assert_eq!(event.event_type, EventType::MessageRejected);
        Ok(())
    });
    let caller = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let refused = sent(world, &caller, &none()).await;
    assert!(matches!(refused, Err(Error::OrganizationUnverified { .. })), "{refused:?}");
}

#[tokio::test]
async fn refusal_of_content_of_revoked_key_names_the_key_and_not_the_person() {
    let draft = fixtures::draft();
    let mut world = sending_world();
    world.store.expect_draft_contents().returning(|_, _| Ok(Vec::new()));
    expect_write(world.unit_of_work(), &draft);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    let revoked = fixtures::api_key().api_key_id;
    tx.policies
        .expect_binding()
        .once()
        .returning(move |_, _| Ok(BindingPolicies { policies: Vec::new(), revoked: vec![revoked] }));
    let mut left = draft.clone();
    left.item.dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    expect_write(world.unit_of_work(), &left);
    world.unit_of_work().events.expect_append().once().returning(|_| Ok(()));
    let person = fixtures::calling(&Member { role: Role::Owner, ..fixtures::member() });
    let refused = sent(world, &person, &none()).await;
    assert!(matches!(refused, Err(Error::Policy(PolicyError::AuthorRevoked(_)))), "{refused:?}");
}

#[tokio::test]
async fn send_is_checked_without_a_claim() {
    let inbox_id = fixtures::inbox().inbox_id;
    let check = async |world: World, caller: &Caller, draft: &Draft| {
        check_send(&world.app(), caller, &Scope::Organization, &inbox_id, &draft.item).await
    };
    let draft = fixtures::draft();
    check(sending_world(), &fixtures::caller(), &draft).await.unwrap();

    let mut unaddressed = draft.clone();
    unaddressed.item.to.clear();
    let refused = check(sending_world(), &fixtures::caller(), &unaddressed).await.unwrap_err();
    assert_eq!(paths(refused), ["to"]);

    let mut world = super::super::world();
    world.unit_of_work().events.expect_append().once().returning(|_| Ok(()));
    let unverified = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let refused = check(world, &unverified, &draft).await;
    assert!(matches!(refused, Err(Error::OrganizationUnverified { .. })), "{refused:?}");
}

#[tokio::test]
async fn quota_is_checked_without_a_send() {
    for (sent, is_free) in [(0, true), (99, true), (100, false)] {
        let mut world = super::super::world();
        let free = fixtures::organization();
        expect_caps(world.unit_of_work(), free, SendCounts { today: sent, this_month: sent }, 0);
        let journal = world.journal.clone();
        let checked = check_quota(&world.app(), &fixtures::caller(), &Scope::Organization).await;
        assert_eq!(checked.is_ok(), is_free, "{sent}: {checked:?}");
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn claimed_draft_is_not_sent_again() {
    let mut draft = fixtures::draft();
    draft.item.dispatch.claimed_until = Some(NOW + Duration::SECOND);
    let mut world = sending_world();
    expect_look(world.unit_of_work(), &draft);
    let refused = sent(world, &fixtures::caller(), &none()).await;
    assert!(matches!(refused, Err(Error::DraftSending(_))), "{refused:?}");
}

#[tokio::test]
async fn draft_changed_after_lease_expiry_is_not_sent_in_old_revision() {
    let draft = fixtures::draft();
    let mut world = sending_world();
    world.store.expect_draft_contents().returning(|_, _| Ok(Vec::new()));
    expect_write(world.unit_of_work(), &draft);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    tx.inboxes.expect_lock_sending().returning(|wanted| Ok(wanted.to_vec()));
    tx.drafts.expect_remove().once().returning(|_| Ok(None));
    let mut changed = draft.clone();
    changed.item.dispatch.revision = 5;
    expect_look(world.unit_of_work(), &changed);
    let journal = world.journal.clone();
    let refused = sent(world, &fixtures::caller(), &none()).await;
    assert!(matches!(refused, Err(Error::DraftSending(_))), "{refused:?}");
    assert_eq!(journal.commits(), 1, "only the claim was committed");
}

#[tokio::test]
async fn sending_needs_draft_send() {
    let caller = Caller { permissions: permissions(&["draft_update", "message_send"]), ..fixtures::caller() };
    let refused = sent(sending_world(), &caller, &none()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::DraftSend))), "{refused:?}");
}

#[tokio::test]
async fn draft_of_an_agent_is_judged_as_such_when_a_person_sends_it() {
    let person = fixtures::calling(&Member { role: Role::Owner, ..fixtures::member() });
    let agent = fixtures::caller().actor;
    let mut relabelled = fixtures::draft();
    relabelled.item.updated_by = person.actor.clone();
    let own = relabelled.clone();
    relabelled.item.agent = Some(agent.clone());
    for (draft, levels) in [(fixtures::draft(), 4), (relabelled, 4), (own, 3)] {
        let (mut world, outbox, _) = dispatching(&draft, Vec::new());
        let asked = Captured::default();
        let seen = asked.clone();
        world.last_unit_of_work().policies.expect_binding().once().returning(move |_, levels| {
            seen.push(levels.len());
            Ok(inboxd_core::ports::BindingPolicies::default())
        });
        sent(world, &person, &none()).await.unwrap();
        assert_eq!(asked.only(), levels, "the key has a policy of its own");
        assert_eq!(outbox.messages.only().message.item.sent_by.as_ref(), Some(&person.actor));
    }
}
