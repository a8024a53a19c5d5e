use std::sync::Arc;

use inboxd_core::app::drafts::NewDraft;
use inboxd_core::app::{App, AttachmentSource, BlobContents, Letter, LetterAttachment};
use inboxd_core::model::{
    BlobKind, Caller, Connection, Draft, DraftKind, Member, MessageItem, Permission, Role, Scope, SendStatus,
};
use inboxd_core::ports::{BlobStore, DraftContent, MadeDraft, StoreError};
use inboxd_core::rules::oauth::bounds::bounded;
use inboxd_core::rules::oauth::scopes::parse;
use inboxd_core::testing::fixtures::{self, NOW, mailbox, message_id};
use inboxd_core::testing::{Captured, MemoryBlobs, StubFetch, World};
use inboxd_core::{Error, FieldError, Resource};
use time::Duration;

use super::super::messages::expect_room;
use super::super::{holds_inbox, paths, permissions, world};
use super::{create, propose};

fn letter() -> Letter {
    Letter {
        to: vec![mailbox("Anna <anna@example.org>")],
        subject: Some("An offer".to_owned()),
        text: Some("Dear  Anna".to_owned()),
        labels: vec!["Offers".to_owned()],
        ..Letter::default()
    }
}

fn file(source: AttachmentSource) -> LetterAttachment {
    LetterAttachment {
        filename: Some("offer.pdf".to_owned()),
        content_type: None,
        content_disposition: None,
        content_id: None,
        source,
    }
}

/// Expects one stored draft.
fn expect_insert(world: &mut World) -> Captured<(Draft, Vec<DraftContent>)> {
    let stored = Captured::default();
    let seen = stored.clone();
    let tx = world.unit_of_work();
    holds_inbox(tx);
    tx.drafts.expect_insert().once().returning(move |draft, contents| {
        seen.push((draft.clone(), contents.to_vec()));
        Ok(())
    });
    stored
}

fn expect_message(world: &mut World, item: MessageItem) {
    world.store.expect_message().returning(move |_, _, id, _| {
        let message = fixtures::message(item.clone());
        Ok(Some(message).filter(|message| message.item.message_id == *id))
    });
}

async fn write(world: World, caller: &Caller, new: NewDraft) -> Result<Draft, Error> {
    create(&world.app(), caller, &Scope::Organization, &fixtures::inbox().inbox_id, new).await
}

#[tokio::test]
async fn plain_draft_is_stored_with_its_fields_and_authors() {
    let mut world = world();
    let stored = expect_insert(&mut world);
    let draft = write(world, &fixtures::caller(), NewDraft { letter: letter(), ..NewDraft::default() }).await.unwrap();
    assert_eq!(stored.only(), (draft.clone(), Vec::new()));
    let item = &draft.item;
    assert_eq!(item.labels.to_vec(), ["draft", "offers"]);
    assert_eq!((&item.kind, item.dispatch.status(NOW)), (&DraftKind::Plain, None));
    assert_eq!(
        (item.to.as_slice(), item.preview.as_deref()),
        (["Anna <anna@example.org>".to_owned()].as_slice(), Some("Dear Anna"))
    );
    assert_eq!((&item.created_by, &item.updated_by), (&fixtures::caller().actor, &fixtures::caller().actor));
    assert_eq!((item.created_at, item.updated_at), (NOW, NOW));
}

#[tokio::test]
async fn draft_may_be_empty() {
    let mut world = world();
    expect_insert(&mut world);
    let draft = write(world, &fixtures::caller(), NewDraft::default()).await.unwrap();
    assert_eq!((draft.text, draft.item.preview, draft.item.subject), (None, None, None));
}

#[tokio::test]
async fn reply_draft_is_stored_with_derived_recipients_and_subject() {
    let item = MessageItem {
        cc: vec!["bob@example.org".to_owned()],
        references: vec![message_id("<first@example.org>")],
        ..fixtures::message_item()
    };
    for (reply_all, cc) in [(false, vec![]), (true, vec!["bob@example.org".to_owned()])] {
        let mut world = world();
        expect_message(&mut world, item.clone());
        expect_insert(&mut world);
        let new = NewDraft { in_reply_to: Some(item.message_id.clone()), reply_all, ..NewDraft::default() };
        let draft = write(world, &fixtures::caller(), new).await.unwrap();
        assert_eq!(draft.item.to, ["Anna <anna@example.org>"]);
        assert_eq!((draft.item.cc, draft.item.subject.as_deref()), (cc, Some("Re: A question")));
        let references = vec![message_id("<first@example.org>"), item.message_id.clone()];
        let (in_reply_to, thread_id) = (item.message_id.clone(), item.thread_id);
        assert_eq!(draft.item.kind, DraftKind::Reply { in_reply_to, thread_id, references });
    }
}

#[tokio::test]
async fn proposed_content_is_that_of_the_draft_and_stores_nothing() {
    let inbox_id = fixtures::inbox().inbox_id;
    for (reply, forward, to, subject) in [
        (true, false, vec!["Anna <anna@example.org>".to_owned()], Some("Re: A question")),
        (false, true, vec![], Some("Fwd: A question")),
        (false, false, vec![], None),
    ] {
        let mut world = world();
        expect_message(&mut world, fixtures::message_item());
        let id = |is_meant: bool| is_meant.then(|| fixtures::message_item().message_id);
        let new = NewDraft { in_reply_to: id(reply), forward_of: id(forward), ..NewDraft::default() };
        let caller = fixtures::caller();
        let letter = propose(&world.app(), &caller, &Scope::Organization, &inbox_id, new).await.unwrap();
        assert_eq!(letter.to.iter().map(ToString::to_string).collect::<Vec<_>>(), to);
        assert_eq!(letter.subject.as_deref(), subject);
    }
}

#[tokio::test]
async fn forward_draft_has_subject_and_no_thread() {
    let mut world = world();
    expect_message(&mut world, fixtures::message_item());
    expect_insert(&mut world);
    let forward_of = fixtures::message_item().message_id;
    let new = NewDraft { forward_of: Some(forward_of.clone()), ..NewDraft::default() };
    let draft = write(world, &fixtures::caller(), new).await.unwrap();
    assert_eq!((draft.item.subject.as_deref(), draft.item.thread_id()), (Some("Fwd: A question"), None));
    assert_eq!(draft.item.kind, DraftKind::Forward { forward_of });
}

#[tokio::test]
async fn reply_or_forward_of_unknown_message_is_not_found() {
    for is_reply in [true, false] {
        let mut world = world();
        expect_message(&mut world, fixtures::message_item());
        let id = Some(message_id("<other@example.org>"));
        let new = if is_reply {
            NewDraft { in_reply_to: id, ..NewDraft::default() }
        } else {
            NewDraft { forward_of: id, ..NewDraft::default() }
        };
        let refused = write(world, &fixtures::caller(), new).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Message, .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn scheduled_draft_has_label_and_status() {
    let mut world = world();
    expect_insert(&mut world);
    let send_at = Some(NOW + Duration::HOUR);
    let new = NewDraft { letter: letter(), send_at, ..NewDraft::default() };
    let draft = write(world, &fixtures::caller(), new).await.unwrap();
    assert_eq!(draft.item.labels.to_vec(), ["draft", "offers", "scheduled"]);
    assert_eq!(draft.item.dispatch.status(NOW), Some(SendStatus::Scheduled));
    assert_eq!(draft.item.dispatch.due_at(), send_at);
}

#[tokio::test]
async fn contradicting_fields_are_refused_with_all_names() {
    let id = || Some(message_id("<question@example.org>"));
    let everyone = Letter { cc: letter().to, bcc: letter().to, ..letter() };
    for (new, expected) in [
        (NewDraft { in_reply_to: id(), forward_of: id(), ..NewDraft::default() }, vec!["forward_of"]),
        (NewDraft { reply_all: true, ..NewDraft::default() }, vec!["reply_all"]),
        (
            NewDraft { in_reply_to: id(), reply_all: true, letter: everyone, ..NewDraft::default() },
            vec!["to", "cc", "bcc"],
        ),
        (
            NewDraft { send_at: Some(NOW), client_id: Some("ü".to_owned()), ..NewDraft::default() },
            vec!["send_at", "client_id"],
        ),
        (NewDraft { send_at: Some(NOW - Duration::SECOND), ..NewDraft::default() }, vec!["send_at"]),
        (
            NewDraft { letter: Letter { labels: vec!["a,b".to_owned()], ..letter() }, ..NewDraft::default() },
            vec!["labels[0]"],
        ),
        (
            NewDraft { letter: Letter { subject: Some("a\r\nBcc: b".to_owned()), ..letter() }, ..NewDraft::default() },
            vec!["subject"],
        ),
        (NewDraft { letter: Letter { text: Some("\0".to_owned()), ..letter() }, ..NewDraft::default() }, vec!["text"]),
        (
            NewDraft {
                letter: Letter {
                    to: vec![mailbox("a@example.org"); 1]
                        .into_iter()
                        .chain((0..50).map(|n| mailbox(&format!("r{n}@example.org"))))
                        .collect(),
                    ..letter()
                },
                ..NewDraft::default()
            },
            vec!["to"],
        ),
    ] {
        let refused = write(world(), &fixtures::caller(), new).await.unwrap_err();
        assert_eq!(paths(refused), expected);
    }
}

#[tokio::test]
async fn draft_and_scheduled_labels_are_system_labels() {
    for label in ["draft", "Scheduled"] {
        let letter = Letter { labels: vec![label.to_owned()], ..letter() };
        let refused = write(world(), &fixtures::caller(), NewDraft { letter, ..NewDraft::default() }).await;
        let Err(Error::Invalid(problems)) = refused else { panic!("{refused:?}") };
        assert_eq!(problems, [FieldError::system_label("labels[0]", &label.to_lowercase())]);
    }
}

#[tokio::test]
async fn attachments_are_stored_separately_and_urls_are_fetched_at_creation() {
    let mut world = world();
    world.fetch = StubFetch::default().with("https://example.org/a.pdf", b"%PDF", Some("application/pdf"));
    expect_room(&mut world);
    let stored = expect_insert(&mut world);
    let attachments = vec![
        file(AttachmentSource::Content(b"offer".to_vec())),
        file(AttachmentSource::Url("https://example.org/a.pdf".to_owned())),
    ];
    let new = NewDraft { letter: Letter { attachments, ..letter() }, ..NewDraft::default() };
    let draft = write(world, &fixtures::caller(), new).await.unwrap();
    let (_, contents) = stored.only();
    let ids: Vec<_> = draft.item.attachments.iter().map(|attachment| attachment.attachment_id).collect();
    assert_eq!(contents.iter().map(|content| content.attachment_id).collect::<Vec<_>>(), ids);
    assert_eq!(
        contents.into_iter().map(|content| content.content).collect::<Vec<_>>(),
        [b"offer".to_vec(), b"%PDF".to_vec()]
    );
    let sizes: Vec<_> = draft.item.attachments.iter().map(|attachment| attachment.size).collect();
    assert_eq!(sizes, [5, 4]);
    assert_eq!(draft.item.attachments[1].content_type.as_deref(), Some("application/pdf"));
}

#[tokio::test]
async fn failed_upload_of_attachment_leaves_no_object() {
    let blobs = MemoryBlobs::default();
    let stores: Vec<(BlobKind, Arc<dyn BlobStore>)> = vec![(BlobKind::File, Arc::new(blobs.clone()))];
    let contents = BlobContents::new(stores, Some(BlobKind::File), 1_000, Duration::days(7));
    let app = App { blobs: Arc::new(contents), ..world().app() };
    for max_objects in 0..3 {
        blobs.set_max_objects(max_objects);
        let attachments = vec![file(AttachmentSource::Content(vec![7; 5_000])); 3];
        let new = NewDraft { letter: Letter { attachments, ..letter() }, ..NewDraft::default() };
        let failed = create(&app, &fixtures::caller(), &Scope::Organization, &fixtures::inbox().inbox_id, new).await;
        assert!(matches!(failed, Err(Error::Store(StoreError::ContentUnavailable(_)))), "{failed:?}");
        assert_eq!(blobs.names(), Vec::<String>::new(), "{max_objects}");
    }
}

#[tokio::test]
async fn url_is_not_fetched_for_connection_that_cannot_send() {
    let owner = fixtures::calling(&Member { role: Role::Owner, ..fixtures::member() });
    let caller = |scope| {
        let permissions = parse(Some(scope)).unwrap();
        bounded(owner.clone(), &Connection { permissions, ..fixtures::connection() }).unwrap()
    };
    let url = "https://example.org/a.pdf";
    let prepared = || {
        let mut world = world();
        world.fetch = StubFetch::default().with(url, b"%PDF", Some("application/pdf"));
        let attachments =
            vec![file(AttachmentSource::Content(b"offer".to_vec())), file(AttachmentSource::Url(url.to_owned()))];
        (world, NewDraft { letter: Letter { attachments, ..letter() }, ..NewDraft::default() })
    };
    // The environment permits no unit of work, and each fetch begins with one.
    let (world, new) = prepared();
    let refused = write(world, &caller("mail:read mail:draft"), new).await.unwrap_err();
    assert_eq!(paths(refused), ["attachments[1].url"]);
    let (mut world, new) = prepared();
    expect_room(&mut world);
    expect_insert(&mut world);
    write(world, &caller("mail:draft mail:send"), new).await.unwrap();
}

#[tokio::test]
async fn draft_above_message_size_is_refused() {
    let mut world = world();
    world.settings.max_message_bytes = 10_000;
    let attachments = vec![file(AttachmentSource::Content(vec![0; 8_000]))];
    let new = NewDraft { letter: Letter { attachments, ..letter() }, ..NewDraft::default() };
    let refused = write(world, &fixtures::caller(), new).await;
    assert!(matches!(refused, Err(Error::TooLarge { limit: 10_000, .. })), "{refused:?}");
}

#[tokio::test]
async fn draft_creation_needs_permission_of_each_part() {
    let id = || Some(message_id("<question@example.org>"));
    let plain = NewDraft::default;
    for (held, new, missing) in [
        (vec!["draft_update"], plain(), Permission::DraftCreate),
        (vec!["draft_create"], NewDraft { in_reply_to: id(), ..plain() }, Permission::MessageRead),
        (vec!["draft_create"], NewDraft { forward_of: id(), ..plain() }, Permission::MessageRead),
        (vec!["draft_create"], NewDraft { send_at: Some(NOW + Duration::DAY), ..plain() }, Permission::DraftSend),
    ] {
        let caller = Caller { permissions: permissions(&held), ..fixtures::caller() };
        let refused = write(world(), &caller, new).await;
        assert!(matches!(refused, Err(Error::MissingPermission(permission)) if permission == missing), "{refused:?}");
    }
}

fn named() -> NewDraft {
    NewDraft { letter: letter(), client_id: Some("offer-1".to_owned()), ..NewDraft::default() }
}

#[tokio::test]
async fn repeated_client_id_returns_original_draft() {
    let mut world = world();
    world
        .store
        .expect_draft_of_client_id()
        .once()
        .returning(|_, _| Ok(Some(MadeDraft::Here(Box::new(fixtures::draft())))));
    assert_eq!(write(world, &fixtures::caller(), named()).await.unwrap(), fixtures::draft());
}

#[tokio::test]
async fn client_id_of_deleted_or_foreign_draft_conflicts() {
    let mut elsewhere = fixtures::draft();
    elsewhere.item.inbox_id = fixtures::inbox_id("other@inboxd.example");
    for made in [MadeDraft::Gone, MadeDraft::Here(Box::new(elsewhere))] {
        let mut world = world();
        world.store.expect_draft_of_client_id().once().returning(move |_, _| Ok(Some(made.clone())));
        let refused = write(world, &fixtures::inbox_caller(), named()).await;
        assert!(matches!(refused, Err(Error::ClientIdSpent(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn concurrent_equal_client_ids_return_first_draft() {
    let mut world = world();
    let mut asked = 0;
    world.store.expect_draft_of_client_id().times(2).returning(move |_, _| {
        asked += 1;
        Ok((asked == 2).then(|| MadeDraft::Here(Box::new(fixtures::draft()))))
    });
    let tx = world.unit_of_work();
    holds_inbox(tx);
    let first = fixtures::draft().item.draft_id.to_string();
    tx.client_ids.expect_spend().once().returning(move |_, _, _, _| Ok(Some(first.clone())));
    assert_eq!(write(world, &fixtures::caller(), named()).await.unwrap(), fixtures::draft());
}
