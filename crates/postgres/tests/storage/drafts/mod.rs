mod lists;

use inboxd_core::model::{
    Actor, Attachment, AttachmentId, ClaimedDraft, Content, ContentFilter, Cursor, DelayedSend, Direction, Draft,
    DraftId, DraftItem, DraftKind, InboxId, MessageId, PageRequest, SendSchedule,
};
use inboxd_core::ports::{ClientIdKind, DraftContent, DraftQuery, DraftReads, DraftState, MadeDraft, StoreError};
use time::Duration;
use uuid::Uuid;

use crate::support::*;

const LEASE: Duration = Duration::milliseconds(100);

pub(crate) fn draft_id(number: i64) -> DraftId {
    Uuid::from_u128(u128::try_from(number).unwrap()).into()
}

fn attachment_id(number: u128) -> AttachmentId {
    Uuid::from_u128(number).into()
}

pub(crate) fn author(name: &str) -> Actor {
    Actor::ApiKey { api_key_id: Uuid::from_u128(5).into(), name: name.to_owned() }
}

/// A draft with its number as its time.
pub(crate) fn draft(world: &World, number: i64) -> Draft {
    let item = DraftItem {
        organization_id: world.organization_id(),
        pod_id: world.inbox.pod_id,
        inbox_id: world.inbox_id().clone(),
        draft_id: draft_id(number),
        client_id: None,
        kind: DraftKind::Plain,
        labels: ["draft"].into_iter().collect(),
        to: strings(&["Müller, Anna <anna@example.org>"]),
        cc: strings(&["ben@example.org"]),
        bcc: strings(&["cleo@example.org"]),
        reply_to: strings(&["office@example.org"]),
        subject: Some(format!("Offer {number}")),
        preview: Some("Dear Anna".to_owned()),
        attachments: vec![],
        dispatch: SendSchedule::default(),
        delayed: None,
        approval: None,
        created_by: author("One"),
        updated_by: author("Two"),
        agent: None,
        created_at: at(number),
        updated_at: at(number),
    };
    Draft { item, text: Some("Dear Anna".to_owned()), html: Some("<p>Dear Anna</p>".to_owned()) }
}

fn scheduled(world: &World, number: i64, send_at: i64) -> Draft {
    let draft = draft(world, number);
    Draft { item: DraftItem { dispatch: SendSchedule::default().at(Some(at(send_at))), ..draft.item }, ..draft }
}

fn attached(number: u128) -> (Attachment, DraftContent) {
    let attachment_id = attachment_id(number);
    let attachment = Attachment {
        attachment_id,
        part: 0,
        filename: Some(format!("{number}.txt")),
        content_type: Some("text/plain".to_owned()),
        content_disposition: None,
        content_id: None,
        size: 1,
    };
    (attachment, DraftContent { attachment_id, content: vec![u8::try_from(number).unwrap()], blob: None })
}

async fn insert(world: &World, draft: &Draft, contents: &[DraftContent]) -> Result<(), StoreError> {
    let mut tx = world.begin().await;
    if let DraftItem { organization_id, draft_id, client_id: Some(client_id), .. } = &draft.item {
        let made = draft_id.to_string();
        assert_eq!(tx.client_ids().spend(*organization_id, ClientIdKind::Draft, client_id, &made).await?, None);
    }
    tx.drafts().insert(draft, contents).await?;
    tx.commit().await
}

async fn add(world: &World, drafts: &[Draft]) {
    for draft in drafts {
        insert(world, draft, &[]).await.unwrap();
    }
}

async fn read(world: &World, number: i64) -> Option<Draft> {
    world.store.draft(world.organization_id(), draft_id(number)).await.unwrap()
}

fn query(world: &World) -> DraftQuery {
    DraftQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        labels: vec![],
        state: None,
        before: None,
        after: None,
        page: PageRequest::default(),
    }
}

/// Returns the numbers of the drafts of a query.
async fn listed(world: &World, query: &DraftQuery) -> (Vec<i64>, Option<Cursor>) {
    let page = world.store.list_drafts(query).await.unwrap();
    let number = |item: DraftItem| i64::try_from(item.draft_id.0.as_u128()).unwrap();
    (page.items.into_iter().map(number).collect(), page.next)
}

async fn claim(world: &World, now: i64, limit: u32) -> Vec<ClaimedDraft> {
    let mut tx = world.begin().await;
    let claimed = tx.drafts().claim_due(at(now), LEASE, limit).await.unwrap();
    tx.commit().await.unwrap();
    claimed
}

#[tokio::test]
async fn draft_of_every_kind_survives_round_trip() {
    let world = world().await;
    let mut reply = draft(&world, 1);
    reply.item.kind = DraftKind::Reply {
        in_reply_to: message_id("1"),
        thread_id: thread_id(1),
        references: vec![message_id("0"), message_id("1")],
    };
    let mut forward = draft(&world, 2);
    forward.item.kind = DraftKind::Forward { forward_of: message_id("1") };
    let mut plain = scheduled(&world, 3, 50);
    let (attachment, content) = attached(7);
    plain.item.attachments = vec![attachment];
    plain.item.client_id = Some("offer-3".to_owned());
    plain.item.dispatch =
        SendSchedule { has_failed: true, claimed_until: Some(at(9)), revision: 4, ..plain.item.dispatch };
    for draft in [&reply, &forward] {
        insert(&world, draft, &[]).await.unwrap();
    }
    insert(&world, &plain, std::slice::from_ref(&content)).await.unwrap();
    for (number, expected) in [(1, reply), (2, forward), (3, plain.clone())] {
        assert_eq!(read(&world, number).await, Some(expected));
    }
    assert_eq!(read(&world, 4).await, None);
    let store = &world.store;
    let organization_id = world.organization_id();
    assert_eq!(store.draft_contents(organization_id, draft_id(3)).await.unwrap(), [content]);
    let found = async |organization_id, draft_id| {
        store.draft_content(organization_id, draft_id, attachment_id(7), ContentFilter::All).await.unwrap()
    };
    assert_eq!(found(organization_id, draft_id(3)).await, Some(Content::Bytes(vec![7])));
    assert_eq!(found(organization_id, draft_id(2)).await, None);
    let other = Uuid::from_u128(99).into();
    assert_eq!(store.draft(other, draft_id(3)).await.unwrap(), None);
    assert_eq!(found(other, draft_id(3)).await, None);
}

#[tokio::test]
async fn update_completes_forward_and_deletes_removed_attachments() {
    let world = world().await;
    let mut before = draft(&world, 1);
    before.item.kind = DraftKind::Forward { forward_of: MessageId::stored("<a@example.org>".to_owned()) };
    let (kept, kept_content) = attached(7);
    let (gone, gone_content) = attached(8);
    before.item.attachments = vec![kept.clone(), gone];
    insert(&world, &before, &[kept_content.clone(), gone_content]).await.unwrap();

    let (come, come_content) = attached(9);
    let item = DraftItem {
        kind: DraftKind::Plain,
        labels: ["draft", "hot"].into_iter().collect(),
        to: vec![],
        subject: None,
        preview: None,
        attachments: vec![kept, come],
        dispatch: SendSchedule::default().at(Some(at(70))).claimed(at(90)),
        updated_by: author("Three"),
        agent: Some(author("Two")),
        updated_at: at(5),
        ..before.item.clone()
    };
    let after = Draft { item, text: None, html: None };
    let mut tx = world.begin().await;
    assert_eq!(tx.drafts().lock(world.organization_id(), draft_id(1)).await.unwrap(), Some(before));
    tx.drafts().update(&after, std::slice::from_ref(&come_content)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1).await, Some(after));
    let mut contents = world.store.draft_contents(world.organization_id(), draft_id(1)).await.unwrap();
    contents.sort_by_key(|content| content.attachment_id);
    assert_eq!(contents, [kept_content, come_content]);
    assert_eq!(world.store.next_due_draft().await.unwrap(), Some(at(90)));
}

#[tokio::test]
async fn delayed_send_is_found_by_id_of_its_message() {
    let world = world().await;
    let delayed = DelayedSend {
        message_id: MessageId::stored("<later@inboxd.example>".to_owned()),
        thread_id: Some(uuid::Uuid::from_u128(7).into()),
        headers: vec![("X-Ticket".to_owned(), "7".to_owned())],
        allow_automatic: true,
        was_held: false,
    };
    let draft = scheduled(&world, 1, 70);
    let draft = Draft { item: DraftItem { delayed: Some(delayed.clone()), ..draft.item }, ..draft };
    insert(&world, &draft, &[]).await.unwrap();
    insert(&world, &scheduled(&world, 2, 70), &[]).await.unwrap();
    let mut tx = world.begin().await;
    let found = tx.drafts().lock_delayed(world.organization_id(), world.inbox_id(), &delayed.message_id).await;
    assert_eq!(found.unwrap(), Some(draft));
    let other = InboxId::stored("other@inboxd.example".to_owned());
    let found = tx.drafts().lock_delayed(world.organization_id(), &other, &delayed.message_id).await;
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn client_id_creates_one_draft_permanently() {
    let world = world().await;
    let named = |number| {
        let draft = draft(&world, number);
        Draft { item: DraftItem { client_id: Some("offer".to_owned()), ..draft.item }, ..draft }
    };
    let made = async || world.store.draft_of_client_id(world.organization_id(), "offer").await.unwrap();
    assert_eq!(made().await, None);
    insert(&world, &named(1), &[]).await.unwrap();
    assert_eq!(made().await, Some(MadeDraft::Here(Box::new(named(1)))));
    let mut tx = world.begin().await;
    assert!(tx.drafts().remove(&ClaimedDraft::from(&named(1).item)).await.unwrap().is_some());
    tx.commit().await.unwrap();
    assert_eq!(made().await, Some(MadeDraft::Gone));
    assert_eq!(world.store.draft_of_client_id(Uuid::from_u128(99).into(), "offer").await.unwrap(), None);
}

#[tokio::test]
async fn due_drafts_are_claimed_longest_due_first() {
    let world = world().await;
    let mut failed = scheduled(&world, 4, 1);
    failed.item.dispatch.has_failed = true;
    add(&world, &[scheduled(&world, 1, 30), scheduled(&world, 2, 10), draft(&world, 3), failed]).await;
    assert_eq!(world.store.next_due_draft().await.unwrap(), Some(at(10)));
    assert_eq!(claim(&world, 9, 10).await, []);
    let claimed = claim(&world, 40, 1).await;
    let organization_id = world.organization_id();
    assert_eq!(claimed, [ClaimedDraft { organization_id, draft_id: draft_id(2), revision: 1 }]);
    let dispatch = read(&world, 2).await.unwrap().item.dispatch;
    assert_eq!((dispatch.claimed_until, dispatch.revision, dispatch.send_at), (Some(at(140)), 1, Some(at(10))));
    assert_eq!(claim(&world, 40, 10).await[0].draft_id, draft_id(1));
    assert_eq!(claim(&world, 139, 10).await, []);
    // A dead worker loses no draft.
    let again = claim(&world, 140, 10).await;
    assert_eq!(again.iter().map(|claimed| claimed.revision).collect::<Vec<_>>(), [2, 2]);
}

#[tokio::test]
async fn concurrent_workers_claim_different_drafts() {
    let world = world().await;
    add(&world, &[scheduled(&world, 1, 1), scheduled(&world, 2, 2), scheduled(&world, 3, 3)]).await;
    let mut first = world.begin().await;
    let mut second = world.begin().await;
    let one = first.drafts().claim_due(at(10), LEASE, 2).await.unwrap();
    let two = second.drafts().claim_due(at(10), LEASE, 2).await.unwrap();
    first.commit().await.unwrap();
    second.commit().await.unwrap();
    let mut ids: Vec<DraftId> = one.iter().chain(&two).map(|claimed| claimed.draft_id).collect();
    ids.sort();
    assert_eq!(ids, [draft_id(1), draft_id(2), draft_id(3)]);
}

#[tokio::test]
async fn draft_is_deleted_only_in_claimed_revision() {
    let world = world().await;
    let mut one = scheduled(&world, 1, 1);
    let (attachment, content) = attached(7);
    one.item.attachments = vec![attachment];
    insert(&world, &one, &[content]).await.unwrap();
    let late = claim(&world, 10, 1).await.remove(0);
    let now = claim(&world, 110, 1).await.remove(0);
    let mut tx = world.begin().await;
    assert!(tx.drafts().remove(&late).await.unwrap().is_none());
    assert!(tx.drafts().remove(&now).await.unwrap().is_some());
    assert!(tx.drafts().remove(&now).await.unwrap().is_none());
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1).await, None);
    assert_eq!(world.store.draft_contents(world.organization_id(), draft_id(1)).await.unwrap(), []);
}

#[tokio::test]
async fn drafts_of_deleted_inbox_disappear_immediately_and_are_purged() {
    let world = world().await;
    let mut one = scheduled(&world, 1, 1);
    one.item.client_id = Some("offer".to_owned());
    let (attachment, content) = attached(7);
    one.item.attachments = vec![attachment];
    insert(&world, &one, &[content]).await.unwrap();
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(read(&world, 1).await, None);
    assert_eq!(listed(&world, &query(&world)).await.0, Vec::<i64>::new());
    let mut tx = world.begin().await;
    assert_eq!(tx.drafts().lock(world.organization_id(), draft_id(1)).await.unwrap(), None);
    drop(tx);
    let mut tx = world.begin().await;
    tx.inboxes().purge_deleted(10).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.next_due_draft().await.unwrap(), None);
    assert_eq!(world.store.draft_contents(world.organization_id(), draft_id(1)).await.unwrap(), []);
    let made = world.store.draft_of_client_id(world.organization_id(), "offer").await.unwrap();
    assert_eq!(made, Some(MadeDraft::Gone));
}

#[tokio::test]
async fn many_drafts_of_deleted_inbox_are_purged_in_steps() {
    let world = world().await;
    for number in 1..=25 {
        let mut draft = draft(&world, number);
        let (attachment, content) = attached(u128::try_from(number).unwrap());
        draft.item.attachments = vec![attachment];
        insert(&world, &draft, &[content]).await.unwrap();
    }
    delete_inbox(&world.store, &world.inbox).await;
    let mut left = Vec::new();
    for purged in [10, 0] {
        let mut tx = world.begin().await;
        assert_eq!(tx.inboxes().purge_deleted(10).await.unwrap(), purged);
        tx.commit().await.unwrap();
        let mut contents = 0;
        for number in 1..=25 {
            contents += world.store.draft_contents(world.organization_id(), draft_id(number)).await.unwrap().len();
        }
        left.push(contents);
    }
    assert_eq!(left, [5, 0]);
}
