use std::sync::Arc;

use inboxd_core::app::downloads::{self, Download, Downloaded, LIFETIME, RawDownload, link, verify_link};
use inboxd_core::app::{App, BlobContents};
use inboxd_core::model::{BlobKind, Content, ContentFilter, HidingLabels, MessageItem, StoredBlob};
use inboxd_core::ports::{
    AttachedDocument, AttachmentText, BlobStore, ExtractedText, RawSource, TextFormat, TextRecognizer,
};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::testing::fixtures::{self, id};
use inboxd_core::testing::{MemoryBlobs, World};
use inboxd_core::{AttachmentTextRefusal, Error, Resource};
use time::Duration;

const RAW: &[u8] = b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhello";

fn source() -> RawSource {
    let part = inboxd_mail::parse(RAW).attachments[0].part;
    let attachments = vec![inboxd_core::model::Attachment { part, ..fixtures::attachment(20) }];
    RawSource { item: MessageItem { attachments, ..fixtures::message_item() }, raw: RAW.to_vec() }
}

fn download(attachment: Option<u128>) -> Download {
    Download {
        organization_id: id(1),
        inbox_id: fixtures::inbox().inbox_id,
        message_id: fixtures::message_item().message_id,
        attachment_id: attachment.map(id),
        text: None,
    }
}

/// An environment with or without the message.
fn world(source: Option<RawSource>) -> World {
    let mut world = World::default();
    let content = source.clone().map(|RawSource { item, raw }| (item, Content::Bytes(raw)));
    world.store.expect_raw_content().returning(move |organization_id, inbox_id, message_id, readable, filter| {
        assert_eq!((organization_id, inbox_id), (id(1), &fixtures::inbox().inbox_id));
        assert_eq!((message_id, readable), (&fixtures::message_item().message_id, HidingLabels::ALL));
        assert_eq!(filter, ContentFilter::All, "there are no objects");
        Ok(content.clone())
    });
    world.store.expect_raw_message().returning(move |organization_id, inbox_id, message_id, readable| {
        assert_eq!((organization_id, inbox_id), (id(1), &fixtures::inbox().inbox_id));
        assert_eq!((message_id, readable), (&fixtures::message_item().message_id, HidingLabels::ALL));
        Ok(source.clone())
    });
    world
}

async fn follow(app: &App, token: &str) -> Result<Downloaded, Error> {
    downloads::follow(app, verify_link(app, token)?).await
}

fn is_gone(answer: &Result<Downloaded, Error>) -> bool {
    matches!(answer, Err(Error::NotFound { resource: Resource::Download, .. }))
}

#[tokio::test]
async fn link_returns_raw_mail_or_attachment() {
    let app = world(Some(source())).app();
    let raw = link(&app, &download(None)).unwrap();
    assert_eq!(raw.expires_at, fixtures::NOW + LIFETIME);
    let RawSource { item, raw: bytes } = source();
    let expected = Downloaded::Raw(RawDownload { item, content: Content::Bytes(bytes) });
    assert_eq!(follow(&app, &raw.token).await.unwrap(), expected);
    let file = link(&app, &download(Some(20))).unwrap();
    let Downloaded::Attachment(file) = follow(&app, &file.token).await.unwrap() else { panic!("no attachment") };
    assert_eq!((file.content.as_slice(), file.attachment.attachment_id), (&b"hello"[..], id(20)));
}

/// An application with a store of objects.
fn with_blobs(world: World) -> App {
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(MemoryBlobs::default()))];
    let contents = BlobContents::new(stores, Some(BlobKind::File), 1_000, Duration::days(7));
    App { blobs: Arc::new(contents), ..world.app() }
}

#[tokio::test]
async fn raw_mail_outside_its_row_is_not_read() {
    let blob = StoredBlob {
        organization_id: id(1),
        blob_id: id(30),
        name: "an object".to_owned(),
        store: BlobKind::File,
        bytes: 9,
        sha256: [0; 32],
        stored_at: fixtures::NOW,
    };
    let mut world = World::default();
    let object = Content::Object(blob);
    let found = (source().item, object.clone());
    world.store.expect_raw_content().once().returning(move |_, _, _, readable, filter| {
        assert_eq!((readable, filter), (HidingLabels::ALL, ContentFilter::Objects));
        Ok(Some(found.clone()))
    });
    let app = with_blobs(world);
    let token = link(&app, &download(None)).unwrap().token;
    let expected = Downloaded::Raw(RawDownload { item: source().item, content: object });
    assert_eq!(follow(&app, &token).await.unwrap(), expected);
}

#[tokio::test]
async fn raw_mail_in_its_row_is_read_unless_there_is_an_object() {
    let mut world = World::default();
    world.store.expect_raw_content().times(2).returning(|_, _, _, _, filter| {
        let RawSource { item, raw } = source();
        Ok((filter == ContentFilter::All).then_some((item, Content::Bytes(raw))))
    });
    let app = with_blobs(world);
    let token = link(&app, &download(None)).unwrap().token;
    let RawSource { item, raw } = source();
    let expected = Downloaded::Raw(RawDownload { item, content: Content::Bytes(raw) });
    assert_eq!(follow(&app, &token).await.unwrap(), expected);
}

#[tokio::test]
async fn link_is_valid_for_fifteen_minutes() {
    let world = world(Some(source()));
    let clock = world.clock.clone();
    let app = world.app();
    let token = link(&app, &download(None)).unwrap().token;
    clock.advance(Duration::minutes(15) - Duration::SECOND);
    assert!(follow(&app, &token).await.is_ok());
    clock.advance(Duration::SECOND);
    assert!(is_gone(&follow(&app, &token).await));
}

#[tokio::test]
async fn forged_link_is_refused() {
    let world = World::default();
    let clock = world.clock.clone();
    let app = world.app();
    let token = link(&app, &download(None)).unwrap().token;
    clock.advance(Duration::minutes(10));
    let later = link(&app, &download(None)).unwrap().token;
    let half = token.len() / 2;
    let prolonged = format!("{}{}", &later[..half], &token[half..]);
    assert_ne!(prolonged, token);
    let other_purpose = app.settings.signing_key.sign("page", b"payload");
    let other_content = app.settings.signing_key.sign("download", b"no download");
    let payload = serde_json::to_vec(&(i64::MAX, download(None))).unwrap();
    let other_key = SigningKey::new([8; 32]).sign("download", &payload);
    for forged in [prolonged, other_purpose, other_content, other_key, token[1..].to_owned(), String::new()] {
        assert!(is_gone(&follow(&app, &forged).await), "{forged}");
    }
}

#[tokio::test]
async fn link_to_deleted_message_is_not_found() {
    let app = world(None).app();
    let token = link(&app, &download(None)).unwrap().token;
    assert!(is_gone(&follow(&app, &token).await));
    let app = world(Some(source())).app();
    let token = link(&app, &download(Some(21))).unwrap().token;
    assert!(matches!(follow(&app, &token).await, Err(Error::NotFound { resource: Resource::Attachment, .. })));
}

/// A reader of documents and pictures: it finds `picture` in no document.
struct StubReader;

#[async_trait::async_trait]
impl AttachmentText for StubReader {
    async fn extract(
        &self,
        document: AttachedDocument,
        format: TextFormat,
    ) -> Result<ExtractedText, AttachmentTextRefusal> {
        match document.content.as_slice() {
            b"picture" => Err(AttachmentTextRefusal::NoText),
            b"locked!" => Err(AttachmentTextRefusal::Encrypted),
            content => Ok(ExtractedText { text: format!("{format:?} {}", content.len()), is_cut: false }),
        }
    }
}

#[async_trait::async_trait]
impl TextRecognizer for StubReader {
    async fn recognize(&self, document: AttachedDocument) -> Result<ExtractedText, AttachmentTextRefusal> {
        Ok(ExtractedText { text: format!("seen {:?}", document.filename), is_cut: true })
    }
}

fn with_content(content: &str) -> RawSource {
    let raw = String::from_utf8_lossy(RAW).replace("hello", content).into_bytes();
    RawSource { raw, ..source() }
}

/// An environment with a reader and an attachment of this content.
fn reading(content: &str) -> World {
    let mut world = world(Some(with_content(content)));
    world.attachment_text = Some(Arc::new(StubReader));
    world
}

/// An environment that also reads pictures.
fn seeing(content: &str) -> World {
    let mut world = reading(content);
    world.text_recognizer = Some(Arc::new(StubReader));
    world
}

async fn text_of(world: World) -> Result<String, Error> {
    let app = world.app();
    let link = link(&app, &Download { text: Some(TextFormat::Markdown), ..download(Some(20)) }).unwrap();
    match follow(&app, &link.token).await? {
        Downloaded::Text(text) => Ok(text.extracted.text),
        other => panic!("no text: {other:?}"),
    }
}

#[tokio::test]
async fn text_link_returns_text_or_reason() {
    assert_eq!(text_of(reading("hello")).await.unwrap(), "Markdown 5");
    let refused = text_of(reading("locked!")).await;
    assert!(matches!(refused, Err(Error::AttachmentText(AttachmentTextRefusal::Encrypted))), "{refused:?}");
    let refused = text_of(world(Some(source()))).await;
    assert!(matches!(refused, Err(Error::AttachmentText(AttachmentTextRefusal::Unsupported))), "{refused:?}");
}

#[tokio::test]
async fn pictures_are_read_where_a_recognizer_exists() {
    let refused = text_of(reading("picture")).await;
    assert!(matches!(refused, Err(Error::AttachmentText(AttachmentTextRefusal::NoText))), "{refused:?}");
    assert!(text_of(seeing("picture")).await.unwrap().starts_with("seen "));
    assert!(text_of(seeing("locked!")).await.is_err(), "a password is no picture");
}
