use std::sync::Arc;

use inboxd_core::app::search::{inboxes_to_index, index_some, merge_some, organization_to_read, read_attachments};
use inboxd_core::model::{Attachment, HidingLabels, MessageItem};
use inboxd_core::ports::{
    AttachedDocument, AttachmentClaim, AttachmentText, ExtractedText, IndexedInbox, MessageKey, RawSource, StoreError,
    TextFormat,
};
use inboxd_core::rules::attachment_text::{MAX_INDEXED_BYTES, MAX_READ_ATTACHMENTS};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Captured, FixedClock, World};
use inboxd_core::{AttachmentTextRefusal, Error};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

fn indexed() -> IndexedInbox {
    let inbox = fixtures::inbox();
    IndexedInbox { organization_id: inbox.organization_id, inbox_id: inbox.inbox_id }
}

/// Returns the time in an id, in seconds.
fn made_at(id: Uuid) -> OffsetDateTime {
    let (seconds, _) = id.get_timestamp().unwrap().to_unix();
    OffsetDateTime::from_unix_timestamp(i64::try_from(seconds).unwrap()).unwrap()
}

#[tokio::test]
async fn segment_ids_are_unique_and_contain_time() {
    let mut world = World::default();
    let ids = Captured::default();
    let (flushed, merged) = (ids.clone(), ids.clone());
    world.store.expect_index_some().times(1).returning(move |inbox, segment_id| {
        assert_eq!(*inbox, indexed());
        flushed.push(segment_id);
        Ok(true)
    });
    world.store.expect_merge_some().times(1).returning(move |inbox, segment_id, rest| {
        assert_eq!((inbox.clone(), rest), (indexed(), 3));
        merged.push(segment_id);
        Ok(false)
    });
    let app = world.app();
    assert!(index_some(&app, &indexed()).await.unwrap());
    assert!(!merge_some(&app, &indexed(), 3).await.unwrap());
    let ids = ids.all();
    assert_ne!(ids[0], ids[1]);
    assert!(ids.into_iter().all(|id| made_at(id) == NOW.replace_nanosecond(0).unwrap()));
}

#[tokio::test]
async fn storage_failure_is_returned() {
    let mut world = World::default();
    let outage = || StoreError::Unavailable("away".to_owned());
    world.store.expect_index_some().returning(move |_, _| Err(outage()));
    world.store.expect_merge_some().returning(move |_, _, _| Err(outage()));
    world.store.expect_inboxes_to_index().returning(move |_, _| Err(outage()));
    let app = world.app();
    let said = [
        index_some(&app, &indexed()).await.map(drop),
        merge_some(&app, &indexed(), 0).await.map(drop),
        inboxes_to_index(&app, None, 1).await.map(drop),
    ];
    for said in said {
        assert!(matches!(&said, Err(Error::Store(error)) if *error == outage()), "{said:?}");
    }
}

/// A reader of documents that say what becomes of them; a slow one takes eight seconds.
struct StubReader(FixedClock);

#[async_trait::async_trait]
impl AttachmentText for StubReader {
    async fn extract(&self, document: AttachedDocument, _: TextFormat) -> Result<ExtractedText, AttachmentTextRefusal> {
        match document.content.as_slice() {
            b"bomb" => Err(AttachmentTextRefusal::TooLarge),
            b"lock" => Err(AttachmentTextRefusal::Encrypted),
            content => {
                if content == b"slow" {
                    self.0.advance(Duration::seconds(8));
                }
                Ok(ExtractedText { text: String::from_utf8_lossy(content).into_owned(), is_cut: false })
            }
        }
    }
}

/// An environment with a message of these attachments, in an attempt to read them.
fn reading(attempt: u16, contents: &[&str]) -> World {
    let mut world = World::default();
    world.attachment_text = Some(Arc::new(StubReader(world.clock.clone())));
    let parts = contents
        .iter()
        .map(|content| format!("--x\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n{content}\r\n"))
        .collect::<Vec<_>>()
        .concat();
    let raw = format!("Content-Type: multipart/mixed; boundary=x\r\n\r\n{parts}--x--").into_bytes();
    let attachments = inboxd_mail::parse(&raw).attachments;
    let attachments = attachments.iter().map(|parsed| Attachment { part: parsed.part, ..fixtures::attachment(7) });
    let item = MessageItem { attachments: attachments.collect(), ..fixtures::message_item() };
    world.store.expect_raw_message().times(..=1).returning(move |_, _, _, readable| {
        assert_eq!(readable, HidingLabels::ALL);
        Ok(Some(RawSource { item: item.clone(), raw: raw.clone() }))
    });
    world.store.expect_claim_attachments().times(1).returning(move |organization_id, now, lease_until| {
        assert!(now == NOW && lease_until > NOW + Duration::MINUTE);
        let item = fixtures::message_item();
        let (inbox_id, message_id) = (item.inbox_id, item.message_id);
        Ok(Some(AttachmentClaim { message: MessageKey { organization_id, inbox_id, message_id }, attempt }))
    });
    world
}

/// Reads attachments and returns the stored texts and the number of the others; `None` for a further attempt.
async fn stored(attempt: u16, contents: &[&str]) -> Option<(Vec<String>, usize)> {
    let mut world = reading(attempt, contents);
    let results = Captured::default();
    let (stores, retries) = (results.clone(), results.clone());
    world.store.expect_store_attachment_texts().returning(move |claim, texts, unread| {
        assert_eq!(claim.attempt, attempt);
        stores.push(Some((texts.to_vec(), unread)));
        Ok(true)
    });
    world.store.expect_retry_attachments().returning(move |claim, at| {
        assert!(claim.attempt == 1 && at > NOW);
        retries.push(None);
        Ok(())
    });
    let reading = read_attachments(&world.app(), fixtures::inbox().organization_id).await.unwrap().unwrap();
    let results = results.all();
    assert_eq!((results.len(), reading.is_retried), (1, results[0].is_none()));
    results.into_iter().next().unwrap()
}

#[tokio::test]
async fn attachments_that_fail_twice_are_given_up() {
    let some = |texts: &[&str], unread| Some((texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>(), unread));
    assert_eq!(stored(1, &["one", "lock", " ", "two"]).await, some(&["one", "two"], 0));
    assert_eq!(stored(1, &["one", "bomb", "two"]).await, None);
    assert_eq!(stored(2, &["one", "bomb", "two"]).await, some(&["one", "two"], 1));
    assert_eq!(stored(2, &["slow", "slow", "three", "four"]).await, some(&["slow", "slow"], 2), "the time is over");
    assert_eq!(stored(3, &["one"]).await, some(&[], 1), "two attempts never ended");
    assert_eq!(stored(1, &["a"; 30]).await, some(&["a"; MAX_READ_ATTACHMENTS], 0));
    let long = "b".repeat(MAX_INDEXED_BYTES / 2);
    let cut = "b".repeat(MAX_INDEXED_BYTES - MAX_INDEXED_BYTES / 2);
    assert_eq!(stored(2, &[&long, &format!("{long}bb"), "bomb"]).await, some(&[&long, &cut], 0));
}

#[tokio::test]
async fn deleted_message_has_nothing_to_read() {
    let mut world = World::default();
    world.store.expect_organization_to_read().times(1).returning(|after, now| {
        assert_eq!((after, now), (None, NOW));
        Ok(Some(fixtures::inbox().organization_id))
    });
    world.store.expect_claim_attachments().times(1).returning(|organization_id, _, _| {
        let item = fixtures::message_item();
        let (inbox_id, message_id) = (item.inbox_id, item.message_id);
        Ok(Some(AttachmentClaim { message: MessageKey { organization_id, inbox_id, message_id }, attempt: 1 }))
    });
    world.store.expect_raw_message().times(1).returning(|_, _, _, _| Ok(None));
    world.store.expect_store_attachment_texts().times(1).returning(|_, texts, unread| {
        assert_eq!((texts.len(), unread), (0, 0));
        Ok(false)
    });
    let app = world.app();
    let organization_id = organization_to_read(&app, None).await.unwrap().unwrap();
    let reading = read_attachments(&app, organization_id).await.unwrap().unwrap();
    assert_eq!((reading.texts, reading.unread, reading.is_retried), (0, 0, false));
}
