use inboxd_core::Error;
use inboxd_core::app::drafts::{Due, claim_due_drafts, send_due_draft};
use inboxd_core::model::{
    AccountIds, Actor, ApiKey, ClaimedDraft, DelayedSend, Draft, DraftItem, Event, EventBody, EventType, Organization,
    OrganizationOverview, Reach, SendCounts, SendStatus, Suppression, SuppressionReason,
};
use inboxd_core::ports::{RecipientPolicy, StoreError};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Captured, Happened, World};
use time::Duration;

use super::super::messages::{expect_caps, expect_storing};
use super::super::permissions;
use super::world_with;

/// A due draft that a worker has claimed.
fn due() -> Draft {
    let mut draft = fixtures::scheduled(NOW);
    draft.item.dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    draft
}

fn claim(draft: &Draft) -> ClaimedDraft {
    ClaimedDraft::from(&draft.item)
}

/// An environment with a claimed draft, the current key of its author, and these suppressions.
fn world_of(draft: &Draft, key: Option<ApiKey>, organization: Organization, suppressed: bool) -> World {
    let mut world = world_without_contents(draft, key, organization, suppressed);
    world.store.expect_draft_contents().returning(|_, _| Ok(Vec::new()));
    world
}

fn world_without_contents(draft: &Draft, key: Option<ApiKey>, organization: Organization, suppressed: bool) -> World {
    let mut world = world_with(draft);
    world.store.expect_api_key().returning(move |_, id| Ok(key.clone().filter(|key| key.api_key_id == id)));
    world.store.expect_overview().returning(move |_| {
        let organization = organization.clone();
        Ok(Some(OrganizationOverview {
            organization,
            inbox_count: 1,
            domain_count: 0,
            pod_count: 1,
            webhook_count: 0,
            storage_bytes: 0,
            account: AccountIds::default(),
        }))
    });
    world.store.expect_recipient_policy().returning(move |query| {
        let suppression = Suppression {
            organization_id: query.organization_id,
            address: query.recipients[0].clone(),
            reason: SuppressionReason::Bounce,
            created_at: NOW,
        };
        let suppressed = Some(suppression).filter(|_| suppressed).into_iter().collect();
        Ok(RecipientPolicy { suppressed, ..RecipientPolicy::default() })
    });
    world
}

fn expect_failure(world: &mut World, draft: &Draft) -> (Captured<Draft>, Captured<Vec<Event>>) {
    let tx = world.unit_of_work();
    let written = super::expect_write(tx, draft);
    let events = Captured::default();
    let seen = events.clone();
    tx.events.expect_append().once().returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    (written, events)
}

#[tokio::test]
async fn due_draft_is_sent_as_last_author() {
    let mut draft = due();
    // The creator has no influence on later versions.
    draft.item.created_by = Actor::ApiKey { api_key_id: fixtures::id(4), name: "Somebody else".to_owned() };
    let mut world = world_of(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    let outbox = expect_storing(tx);
    let expected = claim(&draft);
    tx.drafts.expect_remove().once().returning(move |claimed| Ok((*claimed == expected).then_some(0)));
    let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
    let item = outbox.messages.only().message.item;
    assert!(matches!(done, Due::Sent(sent) if sent.message_id == item.message_id));
    assert_eq!(item.sent_by, Some(fixtures::caller().actor));
    assert_eq!(item.labels.to_vec(), ["offers", "sent"]);
}

#[tokio::test]
async fn refused_due_draft_fails_with_message_rejected() {
    let elsewhere = Reach::Inbox { pod_id: fixtures::id(2), inbox_id: fixtures::inbox_id("other@inboxd.example") };
    let key = fixtures::api_key;
    for (key, organization, suppressed, reason) in [
        // A revoked key is not found.
        (None, fixtures::organization(), false, "the API key, the person or the connection that scheduled it is gone"),
        (Some(ApiKey { expires_at: Some(NOW), ..key() }), fixtures::organization(), false, "expired"),
        (
            Some(ApiKey { permissions: permissions(&["draft_read"]), ..key() }),
            fixtures::organization(),
            false,
            "draft_send",
        ),
        (Some(ApiKey { reach: elsewhere, ..key() }), fixtures::organization(), false, "other@inboxd.example only"),
        (Some(ApiKey { reach: Reach::Pod(fixtures::id(99)), ..key() }), fixtures::organization(), false, "one pod"),
        (Some(key()), fixtures::unverified(), false, "unverified"),
        (Some(key()), fixtures::organization(), true, "anna@example.org is suppressed"),
    ] {
        let draft = due();
        let mut world = world_of(&draft, key, organization, suppressed);
        let (written, events) = expect_failure(&mut world, &draft);
        let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
        assert!(matches!(&done, Due::Refused(said) if said.contains(reason)), "{done:?}");
        let failed = written.only().item;
        assert_eq!((failed.dispatch.status(NOW), failed.dispatch.due_at()), (Some(SendStatus::Failed), None));
        assert_eq!(failed.labels.to_vec(), ["draft", "offers"]);
        let events = events.only();
        let [event] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(
            (event.event_type, event.inbox_id.as_ref()),
            (EventType::MessageRejected, Some(&draft.item.inbox_id))
        );
        assert!(matches!(&event.body, EventBody::Reject { reason: said } if said.contains(reason)), "{event:?}");
        assert!(event.message_id.as_ref().unwrap().as_str().ends_with("@inboxd.example>"));
    }
}

#[tokio::test]
async fn refused_delayed_send_names_the_message_of_its_response() {
    let message_id = fixtures::message_item().message_id;
    let thread_id = Some(fixtures::id(71));
    for (mut draft, of_delay, was_held) in [
        (due(), thread_id, false),
        (
            Draft { item: DraftItem { dispatch: due().item.dispatch, ..fixtures::reply_draft().item }, ..due() },
            None,
            false,
        ),
        // Another send of a held draft has another id.
        (due(), thread_id, true),
    ] {
        let message_id = message_id.clone();
        let delayed =
            DelayedSend { message_id, thread_id: of_delay, headers: Vec::new(), allow_automatic: false, was_held };
        draft.item.delayed = Some(delayed.clone());
        let mut world = world_of(&draft, None, fixtures::organization(), false);
        let (_, events) = expect_failure(&mut world, &draft);
        let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
        assert!(matches!(done, Due::Refused(_)), "{done:?}");
        let event = events.only().remove(0);
        assert_eq!(event.message_id.as_ref() == Some(&delayed.message_id), !was_held, "{event:?}");
        let expected = delayed.thread_id.or(draft.item.thread_id());
        assert_eq!(event.thread_id == expected, !was_held, "{event:?}");
    }
}

#[tokio::test]
async fn due_draft_of_unknown_author_is_not_sent() {
    let mut draft = due();
    let (name, email) = ("Anna".to_owned(), "anna@example.org".to_owned());
    draft.item.updated_by = Actor::Member { member_id: fixtures::id(50), name, email, connection_id: None };
    let mut world = world_of(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    world.store.expect_member().returning(|_, _| Ok(None));
    let (written, _) = expect_failure(&mut world, &draft);
    let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
    assert!(matches!(done, Due::Refused(_)), "{done:?}");
    assert_eq!(written.only().item.dispatch.status(NOW), Some(SendStatus::Failed));
}

#[tokio::test]
async fn due_draft_without_recipients_fails_with_reason() {
    let mut draft = due();
    draft.item.to = Vec::new();
    let mut world = world_of(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    expect_failure(&mut world, &draft);
    let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
    assert!(matches!(&done, Due::Refused(reason) if reason.contains("to: at least one recipient")), "{done:?}");
}

#[tokio::test]
async fn due_draft_over_cap_fails() {
    let draft = due();
    let mut world = world_of(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts { today: 100, this_month: 100 }, 0);
    let (_, events) = expect_failure(&mut world, &draft);
    let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
    assert!(matches!(done, Due::Refused(reason) if reason.contains("limit of 100")));
    assert_eq!(events.only().len(), 1);
}

#[tokio::test]
async fn due_draft_waits_for_retry_after_storage_failure() {
    let draft = due();
    let mut world = world_of(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    let tx = world.unit_of_work();
    tx.accounts.expect_lock().returning(|_| Err(StoreError::Unavailable("gone".to_owned())));
    let failed = send_due_draft(&world.app(), &claim(&draft)).await;
    assert!(matches!(failed, Err(Error::Store(StoreError::Unavailable(_)))), "{failed:?}");
}

#[tokio::test]
async fn due_draft_with_lost_attachment_fails_instead_of_being_claimed_for_ever() {
    let draft = due();
    let mut world = world_without_contents(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    let lost = || StoreError::ContentLost("0123".to_owned());
    world.store.expect_draft_contents().returning(move |_, _| Err(lost()));
    expect_failure(&mut world, &draft);
    let done = send_due_draft(&world.app(), &claim(&draft)).await.unwrap();
    assert!(
        matches!(&done, Due::Refused(reason) if reason.contains("is lost") && !reason.contains("0123")),
        "{done:?}"
    );
}

#[tokio::test]
async fn draft_with_other_claim_is_left_unchanged() {
    let draft = due();
    let stale = ClaimedDraft { revision: 0, ..claim(&draft) };
    assert_eq!(send_due_draft(&world_with(&draft).app(), &stale).await.unwrap(), Due::Gone);
    let unknown = ClaimedDraft { draft_id: fixtures::id(99), ..claim(&draft) };
    assert_eq!(send_due_draft(&world_with(&draft).app(), &unknown).await.unwrap(), Due::Gone);
    // The claim may change during the send: then nothing is committed.
    let mut world = world_of(&draft, Some(fixtures::api_key()), fixtures::organization(), false);
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    tx.inboxes.expect_lock_sending().returning(|wanted| Ok(wanted.to_vec()));
    tx.drafts.expect_remove().once().returning(|_| Ok(None));
    let journal = world.journal.clone();
    assert_eq!(send_due_draft(&world.app(), &claim(&draft)).await.unwrap(), Due::Gone);
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn draft_claim_is_journaled_and_committed_before_send() {
    let mut world = World::default();
    let claimed = claim(&due());
    world.unit_of_work().drafts.expect_claim_due().once().returning(move |now, lease, limit| {
        assert_eq!((now, lease, limit), (NOW, Duration::MINUTE, 8));
        Ok(vec![claimed])
    });
    let journal = world.journal.clone();
    assert_eq!(claim_due_drafts(&world.app(), &journal, 8).await.unwrap(), [claimed]);
    assert_eq!(journal.entries(), [Happened::Begun, Happened::Committed]);
}
