//! Stores of objects: moves, ownership, searches and failures.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use inboxd_core::app::BlobOwner;
use inboxd_core::ports::{BlobError, ListedBlob};

use super::*;

#[tokio::test]
async fn redacted_mail_leaves_both_stores_after_its_move() {
    let (mut world, before) = world_with_blobs().await;
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    let after = MemoryBlobs::default();
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> =
        vec![(BlobKind::S3, Arc::new(after.clone())), (BlobKind::File, Arc::new(before.clone()))];
    let both = Arc::new(BlobContents::new(stores, Some(BlobKind::S3), THRESHOLD, Duration::days(7)));
    world.store = world.store.clone().with_blobs(Arc::clone(&both));
    let app = App { blobs: both, ..app.clone() };
    let moved = move_contents(&app, &world.store, 10, |_| ()).await.unwrap();
    assert_eq!((moved.contents, before.names().len(), after.names().len()), (1, 1, 1));
    redact(&world, &large).await;
    remove_at(&world, at(0)).await;
    assert_eq!((before.names(), after.names()), (Vec::new(), Vec::new()));
}

async fn claim(world: &World, contents: &BlobContents) -> BlobOwner {
    contents.claim(BlobKind::File, &world.store).await.unwrap()
}

#[tokio::test]
async fn store_without_the_objects_of_the_rows_gets_no_mark() {
    let (world, blobs) = world_with_blobs().await;
    let mark = "inboxd/store/owner".to_owned();
    assert_eq!(claim(&world, &world.store.blobs()).await, BlobOwner::Own);
    assert_eq!(blobs.names(), [mark.as_str()]);
    deliver_text(&world.app(at(0)), &world, 1, 100_000).await.unwrap();
    let unmounted = MemoryBlobs::default();
    assert_eq!(claim(&world, &contents(&unmounted, Some(BlobKind::File))).await, BlobOwner::Unknown);
    assert_eq!(unmounted.names(), [""; 0]);
    // As after a copy of the objects alone.
    blobs.delete(&[BlobName(mark)]).await.unwrap();
    assert_eq!(claim(&world, &world.store.blobs()).await, BlobOwner::Own);
    assert_eq!(blobs.names().len(), 2);
}

#[tokio::test]
async fn list_of_objects_is_complete_during_a_move() {
    let (world, blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    for number in [1, 2] {
        deliver_text(&app, &world, number, 100_000).await.unwrap();
    }
    let first = world.store.blobs_after(None, 1).await.unwrap().remove(0);
    assert!(!first.is_removed);
    let rows = App { blobs: contents(&blobs, None), ..app.clone() };
    assert_eq!(move_contents(&rows, &world.store, 10, |_| ()).await.unwrap().contents, 2);
    let key = (first.blob.organization_id, first.blob.blob_id);
    let rest = world.store.blobs_after(Some(key), 10).await.unwrap();
    assert!(rest.len() == 1 && rest[0].is_removed, "{rest:?}");
    for blob in [&first.blob, &rest[0].blob] {
        app.blobs.get(blob).await.unwrap();
    }
}

#[tokio::test]
async fn search_for_objects_without_rows_continues_over_pages() {
    let (world, blobs) = world_with_blobs().await;
    blobs.set_time(at(0));
    for number in 0..1500 {
        let name = StoredBlob::name_of(world.organization_id(), Uuid::from_u128(number), at(0));
        blobs.put(&BlobName(name), b"orphan").await.unwrap();
    }
    for (has_more, left) in [(true, 500), (false, 0)] {
        assert_eq!(sweep_blobs(&world.app(at(2 * DAY)), &world.store).await.unwrap(), has_more);
        assert_eq!(blobs.names().len(), left);
    }
}

/// Store that fails at its third upload.
struct FailingBlobs {
    blobs: MemoryBlobs,
    uploads: AtomicUsize,
}

#[async_trait]
impl BlobStore for FailingBlobs {
    async fn put(&self, name: &BlobName, content: &[u8]) -> Result<(), BlobError> {
        if self.uploads.fetch_add(1, Ordering::SeqCst) == 2 {
            return Err(BlobError::Unavailable("away".to_owned()));
        }
        self.blobs.put(name, content).await
    }

    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Vec<u8>, BlobError> {
        self.blobs.get(name, range).await
    }

    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError> {
        self.blobs.delete(names).await
    }

    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError> {
        self.blobs.list(after, limit).await
    }
}

#[tokio::test]
async fn failed_upload_of_one_copy_leaves_no_object() {
    let (mut world, blobs) = world_with_blobs().await;
    let failing = FailingBlobs { blobs: blobs.clone(), uploads: AtomicUsize::default() };
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(failing))];
    let contents = BlobContents::new(stores, Some(BlobKind::File), THRESHOLD, Duration::days(7));
    world.store = world.store.clone().with_blobs(Arc::new(contents));
    let app = world.app(at(0));
    let domain = world.inbox_id().domain().to_owned();
    let mut recipients = Vec::new();
    for number in 0..5 {
        let copied = format!("copy-{number}@{domain}");
        add_inbox(&world.store, &inbox(&world.organization, &copied)).await;
        recipients.push(recipient(&app, &address(&copied)).await.unwrap());
    }
    let raw = format!("From: anna@example.org\r\nSubject: hi\r\n\r\n{}", text(100_000)).into_bytes();
    let mail = IncomingMail { envelope_from: Some(address("anna@example.org")), recipients, raw, client: None };
    let refused = receive(&app, mail).await;
    assert!(matches!(refused, Err(NotReceived::Store(StoreError::ContentUnavailable(_)))), "{refused:?}");
    assert_eq!(totals(&world).await, (0, 0));
    assert_eq!(blobs.names(), [""; 0]);
}
