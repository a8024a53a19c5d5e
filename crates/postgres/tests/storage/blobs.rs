//! Contents outside the rows: mail, attachments of drafts and files as objects.

mod lookups;
mod stores;

use std::sync::Arc;

use inboxd_core::app::blobs::{MoveProgress, move_contents, remove_blobs, sweep_blobs};
use inboxd_core::app::{App, BlobContents, IncomingMail, NotReceived, purge_deleted_inboxes, receive, recipient};
use inboxd_core::model::{BlobKind, Content, ContentFilter, HidingLabels, InboxFile, MessageId, StoredBlob};
use inboxd_core::ports::{
    BlobName, BlobRows, BlobStore, BlobTotals, ContentKind, DraftContent, DraftReads, FileReads, MessageQuery,
    MessageReads, OutgoingReads, StoreError,
};
use inboxd_core::rules::redaction;
use inboxd_core::testing::MemoryBlobs;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::drafts::{draft, draft_id};
use crate::outgoing::{enqueue, of_message, outgoing_id};
use crate::support::*;

const THRESHOLD: usize = 64 * 1024;
const DAY: i64 = 24 * 60 * 60 * 1000;

fn contents(blobs: &MemoryBlobs, target: Option<BlobKind>) -> Arc<BlobContents> {
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(blobs.clone()))];
    Arc::new(BlobContents::new(stores, target, THRESHOLD, Duration::days(7)))
}

/// A world with large contents as objects.
async fn world_with_blobs() -> (World, MemoryBlobs) {
    let blobs = MemoryBlobs::default();
    let mut world = world().await;
    world.store = world.store.clone().with_blobs(contents(&blobs, Some(BlobKind::File)));
    (world, blobs)
}

fn filled(byte: u8, bytes: usize) -> Vec<u8> {
    vec![byte; bytes]
}

fn text(bytes: usize) -> String {
    let lines: Vec<String> = (0..bytes / 10).map(|number| format!("{number:08}\r\n")).collect();
    lines.concat()
}

/// Receives a mail with a text of this size.
async fn deliver_text(app: &App, world: &World, number: u32, bytes: usize) -> Result<MessageId, NotReceived> {
    let recipient = recipient(app, &address(world.inbox_id().as_str())).await.unwrap();
    let raw = format!("Message-ID: <{number}@x>\r\nFrom: anna@example.org\r\nSubject: hi\r\n\r\n{}", text(bytes));
    let (envelope_from, recipients, raw) = (Some(address("anna@example.org")), vec![recipient], raw.into_bytes());
    let received = receive(app, IncomingMail { envelope_from, recipients, raw, client: None }).await?;
    Ok(received.messages.into_iter().next().map_or(MessageId::stored(String::new()), |(_, id)| id))
}

async fn raw(world: &World, id: &MessageId) -> Result<Vec<u8>, StoreError> {
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    let source = world.store.raw_message(organization_id, inbox_id, id, HidingLabels::ALL).await?;
    Ok(source.unwrap().raw)
}

async fn delete(world: &World, id: &MessageId) {
    let mut tx = world.begin().await;
    tx.messages().delete(world.organization_id(), world.inbox_id(), std::slice::from_ref(id)).await.unwrap();
    tx.commit().await.unwrap();
}

/// Stores a content as an object, as use cases do before a unit of work.
async fn upload(world: &World, number: u128, content: &[u8]) -> StoredBlob {
    let place = (world.organization_id(), Uuid::from_u128(number), at(0));
    world.store.blobs().store(place, content, Sha256::digest(content).into()).await.unwrap()
}

/// Stores a draft with a large attachment.
async fn add_draft(world: &World, content: &[u8]) {
    let blob = Some(upload(world, 77, content).await);
    let mut tx = world.begin().await;
    let content = DraftContent { attachment_id: Uuid::from_u128(5).into(), content: content.to_vec(), blob };
    tx.drafts().insert(&draft(world, 1), &[content]).await.unwrap();
    tx.commit().await.unwrap();
}

fn file(world: &World, content: &[u8]) -> InboxFile {
    InboxFile {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        file_id: Uuid::from_u128(6).into(),
        path: "a/b.bin".to_owned(),
        content_type: "application/octet-stream".to_owned(),
        size: content.len() as u64,
        sha256: Sha256::digest(content).into(),
        is_ready: true,
        created_by: "key".to_owned(),
        expires_at: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

async fn add_file(world: &World, content: &[u8]) {
    let (file, blob) = (file(world, content), upload(world, 78, content).await);
    let mut tx = world.begin().await;
    tx.files().insert(&file).await.unwrap();
    tx.files().insert_content(file.organization_id, file.file_id, content, Some(blob)).await.unwrap();
    tx.commit().await.unwrap();
}

async fn read_draft_and_file(world: &World) -> (Vec<DraftContent>, Option<Vec<u8>>) {
    let organization_id = world.organization_id();
    let drafts = world.store.draft_contents(organization_id, draft_id(1)).await.unwrap();
    (drafts, world.store.file_bytes(organization_id, Uuid::from_u128(6).into()).await.unwrap())
}

async fn totals(world: &World) -> (u64, u64) {
    let totals = world.store.blob_totals().await.unwrap();
    totals.first().map_or((0, 0), |totals| (totals.objects, totals.removals))
}

/// Sets the time from which the retention of removed objects counts to [`at`] 0, unless they go at once.
async fn set_removal_time(world: &World) {
    let time = at(0).unix_timestamp();
    let text = format!("UPDATE blob_removals SET removed_at = to_timestamp({time}) WHERE removed_at > to_timestamp(0)");
    world.database.execute(&text).await;
}

async fn remove_at(world: &World, now: OffsetDateTime) {
    assert!(!remove_blobs(&world.app(now), &world.store).await.unwrap(), "one batch suffices");
}

#[tokio::test]
async fn large_mail_is_object_until_its_retention_ends_and_its_queue_is_empty() {
    let (world, blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let small = deliver_text(&app, &world, 1, 1_000).await.unwrap();
    assert_eq!(blobs.names(), [""; 0]);
    let large = deliver_text(&app, &world, 2, 300_000).await.unwrap();
    let (names, sent) = (blobs.names(), text(300_000).into_bytes());
    assert_eq!(names.len(), 1);
    let is_apart =
        "SELECT 1 / (count(*) = 1)::integer FROM message_bodies b JOIN blobs USING (organization_id, blob_id)
        WHERE large_raw IS NULL AND octet_length(body) < bytes / 2";
    world.database.execute(is_apart).await;
    let stored = raw(&world, &large).await.unwrap();
    assert!(stored.ends_with(&sent) && stored.starts_with(b"Return-Path:"), "{} bytes", stored.len());
    assert!(raw(&world, &small).await.unwrap().ends_with(&text(1_000).into_bytes()));
    assert_eq!(deliver_text(&app, &world, 2, 300_000).await.unwrap(), MessageId::stored(String::new()));
    assert_eq!(blobs.names(), names, "a repeated mail leaves no object");

    let mut queued = of_message(&world, 1);
    queued.message.as_mut().unwrap().message_id = large.clone();
    enqueue(&world, &[queued]).await;
    for is_deleted in [false, true] {
        if is_deleted {
            delete(&world, &large).await;
        }
        let size = world.store.size_of_outgoing(outgoing_id(1)).await.unwrap();
        assert_eq!(size, Some(stored.len() as u64), "{is_deleted}");
        assert!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap().as_ref() == Some(&stored), "{is_deleted}");
    }
    assert_eq!(totals(&world).await, (0, 1));
    set_removal_time(&world).await;
    remove_at(&world, at(8 * DAY)).await;
    assert_eq!(blobs.names(), names, "queued mail needs it");
    world.database.execute("DELETE FROM outgoing").await;
    remove_at(&world, at(6 * DAY)).await;
    assert_eq!(blobs.names(), names, "a backup of the database may need it");
    remove_at(&world, at(8 * DAY)).await;
    assert_eq!((blobs.names(), totals(&world).await), (Vec::new(), (0, 0)));
}

#[tokio::test]
async fn small_mail_is_received_while_store_is_away() {
    let (world, blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    blobs.set_away(true);
    let refused = deliver_text(&app, &world, 2, 100_000).await;
    assert!(matches!(refused, Err(NotReceived::Store(StoreError::ContentUnavailable(_)))), "{refused:?}");
    let small = deliver_text(&app, &world, 3, 1_000).await.unwrap();
    raw(&world, &small).await.unwrap();
    let message = world.store.message(world.organization_id(), world.inbox_id(), &large, HidingLabels::ALL).await;
    assert!(message.unwrap().unwrap().body.text.unwrap().len() > 80_000, "texts are in the row");
    assert!(matches!(raw(&world, &large).await, Err(StoreError::ContentUnavailable(_))));
    blobs.set_away(false);
    raw(&world, &large).await.unwrap();
    deliver_text(&app, &world, 2, 100_000).await.unwrap();
}

#[tokio::test]
async fn changed_object_is_not_returned() {
    let (world, blobs) = world_with_blobs().await;
    let large = deliver_text(&world.app(at(0)), &world, 1, 100_000).await.unwrap();
    add_file(&world, &filled(7, 100_000)).await;
    let file_id = Uuid::from_u128(6).into();
    let content = world.store.file_content(world.organization_id(), file_id, ContentFilter::All).await.unwrap();
    let Some(Content::Object(blob)) = content else { panic!("the file is no object") };
    let part = world.store.blobs().read_range(&blob, 99_000..100_000).await.unwrap();
    assert_eq!(part, filled(7, 1000));
    blobs.change_contents(|content| content[50_000] ^= 1);
    assert!(matches!(raw(&world, &large).await, Err(StoreError::ContentLost(_))));
    blobs.change_contents(|content| content.truncate(99_500));
    assert!(matches!(raw(&world, &large).await, Err(StoreError::ContentLost(_))));
    let cut = world.store.blobs().read_range(&blob, 99_000..100_000).await;
    assert!(matches!(cut, Err(StoreError::ContentLost(_))), "{cut:?}");
}

async fn redact(world: &World, id: &MessageId) {
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    let item = world.store.message_item(organization_id, inbox_id, id, HidingLabels::ALL).await.unwrap().unwrap();
    let mut tx = world.begin().await;
    tx.messages().redact(&redaction::redacted(item, at(1)), &[]).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn redacted_mail_leaves_the_store_at_once() {
    let (world, blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    deliver_text(&app, &world, 2, 100_000).await.unwrap();
    redact(&world, &large).await;
    assert_eq!(raw(&world, &large).await.unwrap(), b"");
    assert_eq!(totals(&world).await, (1, 1));
    remove_at(&world, at(0)).await;
    assert_eq!((blobs.names().len(), totals(&world).await), (1, (1, 0)));
}

#[tokio::test]
async fn deleted_inbox_releases_all_its_objects() {
    let (world, blobs) = world_with_blobs().await;
    deliver_text(&world.app(at(0)), &world, 1, 100_000).await.unwrap();
    add_draft(&world, &filled(1, 70_000)).await;
    add_file(&world, &filled(2, 70_000)).await;
    let (drafts, file) = read_draft_and_file(&world).await;
    assert_eq!((drafts[0].content.as_slice(), file), (filled(1, 70_000).as_slice(), Some(filled(2, 70_000))));
    assert_eq!(totals(&world).await, (3, 0));
    delete_inbox(&world.store, &world.inbox).await;
    while purge_deleted_inboxes(&world.app(at(0))).await.unwrap() {}
    assert_eq!((totals(&world).await, blobs.names().len()), ((0, 3), 3));
    set_removal_time(&world).await;
    remove_at(&world, at(8 * DAY)).await;
    assert_eq!(blobs.names(), [""; 0]);
}

#[tokio::test]
async fn contents_move_in_both_directions_and_continue_after_an_interruption() {
    let (world, blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 300_000).await.unwrap();
    let small = deliver_text(&app, &world, 2, 1_000).await.unwrap();
    add_draft(&world, &filled(1, 70_000)).await;
    add_file(&world, &filled(2, 70_000)).await;
    let before = (raw(&world, &large).await.unwrap(), read_draft_and_file(&world).await);

    let rows = App { blobs: contents(&blobs, None), ..world.app(at(0)) };
    let mut steps = 0;
    let moved = move_contents(&rows, &world.store, 1, |_| steps += 1).await.unwrap();
    assert_eq!((moved.contents, moved.has_more, steps), (1, true, 1));
    assert_eq!(totals(&world).await, (2, 1));
    // The store fails in the middle.
    blobs.set_away(true);
    move_contents(&rows, &world.store, 10, |_| ()).await.unwrap_err();
    blobs.set_away(false);
    let moved = move_contents(&rows, &world.store, 10, |_| ()).await.unwrap();
    assert_eq!(moved, MoveProgress { contents: 2, bytes: 140_000, lost: 0, has_more: false });
    assert_eq!(totals(&world).await, (0, 3));
    set_removal_time(&world).await;
    remove_at(&world, at(8 * DAY)).await;
    assert_eq!(blobs.names(), [""; 0]);
    assert_eq!((raw(&world, &large).await.unwrap(), read_draft_and_file(&world).await), before);

    let moved = move_contents(&app, &world.store, 10, |_| ()).await.unwrap();
    let bytes = 140_000 + before.0.len() as u64;
    assert_eq!(moved, MoveProgress { contents: 3, bytes, lost: 0, has_more: false });
    assert_eq!(move_contents(&app, &world.store, 10, |_| ()).await.unwrap(), MoveProgress::default());
    let totals = world.store.blob_totals().await.unwrap();
    let expected = BlobTotals { store: BlobKind::File, objects: 3, bytes, removals: 0, removal_bytes: 0 };
    assert_eq!(totals, [expected]);
    assert_eq!((raw(&world, &large).await.unwrap(), read_draft_and_file(&world).await), before);
    raw(&world, &small).await.unwrap();
    let left = "SELECT 1 / (count(*) = 0)::integer FROM message_bodies WHERE large_raw IS NOT NULL";
    world.database.execute(left).await;
}

#[tokio::test]
async fn objects_are_listed_page_by_page_and_assigned_to_another_store() {
    let (world, _blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let deleted = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    deliver_text(&app, &world, 2, 100_000).await.unwrap();
    delete(&world, &deleted).await;
    let (mut ids, mut listed) = (Vec::new(), Vec::new());
    while let Some(object) = world.store.blobs_after(ids.last().copied(), 1).await.unwrap().into_iter().next() {
        ids.push((object.blob.organization_id, object.blob.blob_id));
        listed.push(object.is_removed);
    }
    listed.sort_unstable();
    assert_eq!(listed, [false, true]);
    world.store.assign_blobs(BlobKind::S3, &ids).await.unwrap();
    let totals = world.store.blob_totals().await.unwrap();
    let counts: Vec<_> = totals.iter().map(|totals| (totals.store, totals.objects, totals.removals)).collect();
    assert_eq!(counts, [(BlobKind::S3, 1, 1)]);
}

#[tokio::test]
async fn content_that_changed_during_its_move_stays() {
    let (world, blobs) = world_with_blobs().await;
    let app = App { blobs: contents(&blobs, None), ..world.app(at(0)) };
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    let page = world.store.misplaced_contents(ContentKind::Mail, Some(BlobKind::File), 0, None);
    let page = page.await.unwrap();
    let [key] = page.misplaced.as_slice() else { panic!("{page:?}") };
    let from = world.store.placed_content(key).await.unwrap().unwrap();
    let blob = upload(&world, 9, &from.content).await;
    world.database.execute("UPDATE message_bodies SET large_raw = large_raw || '\\x00'").await;
    assert!(!world.store.replace_content(key, &from, Some(&blob)).await.unwrap());
    assert_eq!(totals(&world).await, (0, 0));
    delete(&world, &large).await;
    assert!(!world.store.replace_content(key, &from, Some(&blob)).await.unwrap());
    assert_eq!(world.store.placed_content(key).await.unwrap(), None);
}

#[tokio::test]
async fn objects_without_rows_go_after_a_day() {
    let (world, blobs) = world_with_blobs().await;
    blobs.set_time(at(0));
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    deliver_text(&app, &world, 2, 100_000).await.unwrap();
    delete(&world, &large).await;
    let used = blobs.names();
    // Killed between the upload and the commit, and in the middle of an upload.
    let orphan = upload(&world, 9, b"orphan").await;
    let remains = BlobName(format!("{}-new", StoredBlob::name_of(world.organization_id(), Uuid::from_u128(10), at(0))));
    blobs.put(&remains, b"rem").await.unwrap();
    blobs.put(&BlobName("others/file".to_owned()), b"theirs").await.unwrap();
    let sweep = async |now| sweep_blobs(&world.app(now), &world.store).await.unwrap();
    assert!(!sweep(at(DAY)).await);
    assert_eq!(blobs.names().len(), 5);
    assert!(!sweep(at(DAY + 60_000)).await);
    assert!(blobs.names().contains(&orphan.name), "the next search is a day later");
    assert!(!sweep(at(2 * DAY)).await);
    let left = blobs.names();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(used.iter().all(|name| left.contains(name)) && left.contains(&"others/file".to_owned()));
}

#[tokio::test]
async fn every_mail_is_an_object_with_threshold_zero() {
    let (mut world, blobs) = world_with_blobs().await;
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(blobs.clone()))];
    let every = BlobContents::new(stores, Some(BlobKind::File), 0, Duration::days(7));
    world.store = world.store.clone().with_blobs(Arc::new(every));
    let app = world.app(at(0));
    let small = deliver_text(&app, &world, 1, 1_000).await.unwrap();
    assert_eq!(blobs.names().len(), 1);
    let before = raw(&world, &small).await.unwrap();
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    let message = world.store.message(organization_id, inbox_id, &small, HidingLabels::ALL).await.unwrap().unwrap();
    blobs.set_away(true);
    let without = world.store.message(organization_id, inbox_id, &small, HidingLabels::ALL).await.unwrap();
    assert_eq!(without, Some(message), "a read of texts needs no store");
    let all = MessageQuery { included: HidingLabels::ALL, ..world.messages() };
    assert_eq!(world.store.list_messages(&all).await.unwrap().items.len(), 1);
    blobs.set_away(false);
    let rows = App { blobs: Arc::new(app.blobs.for_rows()), ..app.clone() };
    assert_eq!(move_contents(&rows, &world.store, 10, |_| ()).await.unwrap().contents, 1);
    assert_eq!(raw(&world, &small).await.unwrap(), before);
    assert_eq!(move_contents(&app, &world.store, 10, |_| ()).await.unwrap().contents, 1);
    assert_eq!(raw(&world, &small).await.unwrap(), before);
}
