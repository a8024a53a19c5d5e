use inboxd_core::app::drafts::{DraftChange, problems_of_change};
use inboxd_core::app::{AttachmentSource, LetterAttachment};
use inboxd_core::model::{
    Caller, Connection, Draft, DraftItem, DraftKind, HidingLabels, Member, Permission, Role, Scope, SendSchedule,
    SendStatus,
};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::rules::oauth::bounds::bounded;
use inboxd_core::rules::oauth::scopes::parse;
use inboxd_core::testing::fixtures::{self, NOW, mailbox};
use inboxd_core::testing::{StubFetch, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use super::super::messages::expect_room;
use super::super::{paths, permissions};
use super::{delete, expect_look, expect_write, update, world_with};

async fn change(world: World, caller: &Caller, change: DraftChange) -> Result<Draft, Error> {
    let draft = fixtures::draft().item;
    update(&world.app(), caller, &Scope::Organization, &draft.inbox_id, draft.draft_id, change).await
}

/// The draft after a change by another author.
async fn changed(draft: &Draft, wanted: DraftChange) -> Draft {
    Box::pin(changed_by_other(draft, wanted)).await
}

async fn changed_by_other(draft: &Draft, wanted: DraftChange) -> Draft {
    let mut world = world_with(draft);
    let written = expect_write(world.unit_of_work(), draft);
    let actor = inboxd_core::model::Actor::ApiKey { api_key_id: fixtures::id(4), name: "Other".to_owned() };
    let answer = change(world, &Caller { actor: actor.clone(), ..fixtures::caller() }, wanted).await.unwrap();
    assert_eq!(written.only(), answer);
    assert_eq!((&answer.item.created_by, &answer.item.updated_by), (&fixtures::caller().actor, &actor));
    answer
}

fn sending() -> Draft {
    let mut draft = fixtures::draft();
    draft.item.dispatch.claimed_until = Some(NOW + Duration::SECOND);
    draft
}

#[tokio::test]
async fn omitted_draft_fields_stay() {
    let mut before = fixtures::scheduled(NOW + Duration::HOUR);
    before.item.attachments = vec![fixtures::attachment(7)];
    let after = changed(&before, DraftChange::default()).await;
    let mut expected = before.clone();
    expected.item.updated_by = after.item.updated_by.clone();
    expected.item.dispatch.revision = 1;
    assert_eq!(after, expected);
}

#[tokio::test]
async fn null_and_empty_list_clear_fields() {
    let mut before = fixtures::scheduled(NOW + Duration::HOUR);
    before.item.cc = before.item.to.clone();
    before.html = Some("<p>x</p>".to_owned());
    let after = changed(
        &before,
        DraftChange {
            to: Some(Vec::new()),
            cc: Some(Vec::new()),
            subject: Some(None),
            text: Some(None),
            html: Some(None),
            send_at: Some(None),
            ..DraftChange::default()
        },
    )
    .await;
    assert!(after.item.to.is_empty() && after.item.cc.is_empty());
    assert_eq!((after.text, after.html, after.item.subject, after.item.preview), (None, None, None, None));
    assert_eq!(
        (after.item.dispatch.send_at, after.item.labels.to_vec()),
        (None, vec!["draft".to_owned(), "offers".to_owned()])
    );
}

#[tokio::test]
async fn fields_labels_and_attachments_change() {
    let mut before = fixtures::draft();
    before.item.attachments = vec![fixtures::attachment(7), fixtures::attachment(8)];
    let add = LetterAttachment {
        filename: Some("new.txt".to_owned()),
        content_type: None,
        content_disposition: None,
        content_id: None,
        source: AttachmentSource::Content(b"new".to_vec()),
    };
    let after = changed(
        &before,
        DraftChange {
            to: Some(vec![mailbox("Bob <bob@example.org>")]),
            text: Some(Some("Dear Bob".to_owned())),
            send_at: Some(Some(NOW + Duration::HOUR)),
            add_attachments: vec![add],
            remove_attachments: vec![fixtures::id(7), fixtures::id(9)],
            labels: LabelChange { add: vec!["hot".to_owned()], remove: vec!["offers".to_owned()] },
            ..DraftChange::default()
        },
    )
    .await;
    assert_eq!(
        (after.item.to.as_slice(), after.item.preview.as_deref()),
        (["Bob <bob@example.org>".to_owned()].as_slice(), Some("Dear Bob"))
    );
    assert_eq!(after.item.labels.to_vec(), ["draft", "hot", "scheduled"]);
    let names: Vec<_> = after.item.attachments.iter().filter_map(|attachment| attachment.filename.as_deref()).collect();
    assert_eq!(names, ["notes.txt", "new.txt"]);
}

#[tokio::test]
async fn failed_draft_can_be_scheduled_again() {
    let mut before = fixtures::draft();
    before.item.dispatch =
        SendSchedule { send_at: Some(NOW - Duration::HOUR), has_failed: true, ..SendSchedule::default() };
    let after = changed(&before, DraftChange { text: Some(Some("x".to_owned())), ..DraftChange::default() }).await;
    assert_eq!(after.item.dispatch.status(NOW), Some(SendStatus::Failed));
    let send_at = Some(Some(NOW + Duration::HOUR));
    let after = changed(&before, DraftChange { send_at, ..DraftChange::default() }).await;
    assert_eq!(after.item.dispatch.status(NOW), Some(SendStatus::Scheduled));
}

#[tokio::test]
async fn claimed_draft_is_neither_changed_nor_deleted() {
    let draft = sending();
    let refused = change(world_with(&draft), &fixtures::caller(), DraftChange::default()).await;
    assert!(matches!(refused, Err(Error::DraftSending(_))), "{refused:?}");
    // The claim may occur between the read and the lock.
    let mut world = world_with(&fixtures::draft());
    expect_look(world.unit_of_work(), &draft);
    let refused = change(world, &fixtures::caller(), DraftChange::default()).await;
    assert!(matches!(refused, Err(Error::DraftSending(_))), "{refused:?}");

    let mut world = world_with(&draft);
    expect_look(world.unit_of_work(), &draft);
    let refused =
        delete(&world.app(), &fixtures::caller(), &Scope::Organization, &draft.item.inbox_id, draft.item.draft_id)
            .await;
    assert!(matches!(refused, Err(Error::DraftSending(_))), "{refused:?}");
}

#[tokio::test]
async fn draft_is_changed_in_the_expected_revision_alone() {
    let mut draft = fixtures::draft();
    draft.item.dispatch.revision = 7;
    let expecting = |revision| DraftChange { expected_revision: Some(revision), ..DraftChange::default() };
    assert_eq!(changed(&draft, expecting(7)).await.item.dispatch.revision, 8);
    let mut world = world_with(&draft);
    expect_look(world.unit_of_work(), &draft);
    let refused = change(world, &fixtures::caller(), expecting(6)).await;
    assert!(matches!(refused, Err(Error::DraftChanged(_))), "{refused:?}");
}

#[tokio::test]
async fn expired_claim_does_not_block_changes() {
    let mut draft = fixtures::draft();
    draft.item.dispatch.claimed_until = Some(NOW);
    assert_eq!(changed(&draft, DraftChange::default()).await.item.dispatch.claimed_until, None);
}

#[tokio::test]
async fn send_at_in_the_past_is_refused() {
    for at in [NOW, NOW - Duration::DAY] {
        let wanted = DraftChange { send_at: Some(Some(at)), ..DraftChange::default() };
        let refused = change(world_with(&fixtures::draft()), &fixtures::caller(), wanted).await.unwrap_err();
        assert_eq!(paths(refused), ["send_at"]);
    }
}

#[tokio::test]
async fn scheduled_draft_change_needs_send_permission() {
    let caller = Caller { permissions: permissions(&["draft_update"]), ..fixtures::caller() };
    let scheduled = fixtures::scheduled(NOW + Duration::HOUR);
    let mut world = world_with(&scheduled);
    expect_look(world.unit_of_work(), &scheduled);
    let text = Some(Some("pay me instead".to_owned()));
    let refused = change(world, &caller, DraftChange { text, ..DraftChange::default() }).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::DraftSend))), "{refused:?}");
    let wanted = DraftChange { send_at: Some(Some(NOW + Duration::HOUR)), ..DraftChange::default() };
    let refused = change(world_with(&fixtures::draft()), &caller, wanted).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::DraftSend))), "{refused:?}");
    // To unschedule it, the update permission is sufficient.
    let mut world = world_with(&scheduled);
    expect_write(world.unit_of_work(), &scheduled);
    change(world, &caller, DraftChange { send_at: Some(None), ..DraftChange::default() }).await.unwrap();
}

/// An environment with this draft, which forwards a message that is visible only with the spam permission.
fn passing_on(draft: &Draft) -> World {
    let mut world = world_with(draft);
    world.store.expect_message().times(..=1).returning(|organization_id, inbox_id, id, readable| {
        assert_eq!((organization_id, inbox_id), (fixtures::id(1), &fixtures::inbox().inbox_id));
        let message = fixtures::message(fixtures::message_item());
        let is_there = *id == message.item.message_id && HidingLabels::NONE.with(0).shown_to(readable);
        Ok(is_there.then_some(message))
    });
    world
}

#[tokio::test]
async fn scheduled_forward_change_needs_readable_message() {
    let forward = |mut draft: Draft| {
        draft.item.kind = DraftKind::Forward { forward_of: fixtures::message_item().message_id };
        draft
    };
    let (written, scheduled) = (forward(fixtures::draft()), forward(fixtures::scheduled(NOW + Duration::HOUR)));
    let holding = |more: &[&str]| {
        let names = [&["draft_update", "draft_send"], more].concat();
        Caller { permissions: permissions(&names), ..fixtures::calling(&fixtures::member()) }
    };
    let to_mallory = || DraftChange { to: Some(vec![mailbox("mallory@example.org")]), ..DraftChange::default() };
    let send_at = Some(Some(NOW + Duration::HOUR));
    for (before, wanted) in [(&written, DraftChange { send_at, ..to_mallory() }), (&scheduled, to_mallory())] {
        let refused = async |more: &[&str]| {
            let mut world = passing_on(before);
            expect_look(world.unit_of_work(), before);
            change(world, &holding(more), wanted.clone()).await.unwrap_err()
        };
        let unread = Box::pin(refused(&["label_spam_read"])).await;
        assert!(matches!(unread, Error::MissingPermission(Permission::MessageRead)), "{unread:?}");
        let hidden = Box::pin(refused(&["message_read"])).await;
        assert!(matches!(hidden, Error::NotFound { resource: Resource::Message, .. }), "{hidden:?}");
        let mut world = passing_on(before);
        expect_write(world.unit_of_work(), before);
        change(world, &holding(&["message_read", "label_spam_read"]), wanted).await.unwrap();
    }
    // An unscheduled forward can be written without reading the message, and unscheduled.
    for (before, wanted) in
        [(&written, to_mallory()), (&scheduled, DraftChange { send_at: Some(None), ..to_mallory() })]
    {
        let mut world = passing_on(before);
        expect_write(world.unit_of_work(), before);
        change(world, &holding(&[]), wanted).await.unwrap();
    }
}

#[tokio::test]
async fn invalid_attachment_is_named_by_its_index() {
    let mut draft = fixtures::draft();
    draft.item.attachments = vec![fixtures::attachment(7)];
    let adding = |content_type: Option<&str>, source| LetterAttachment {
        filename: None,
        content_type: content_type.map(str::to_owned),
        content_disposition: None,
        content_id: None,
        source,
    };
    let fine = || adding(None, AttachmentSource::Content(Vec::new()));
    let wanted = |bad| DraftChange { add_attachments: vec![fine(), bad], ..DraftChange::default() };

    let bad = adding(Some("nonsense"), AttachmentSource::Content(Vec::new()));
    let refused = change(world_with(&draft), &fixtures::caller(), wanted(bad)).await.unwrap_err();
    assert_eq!(paths(refused), ["add_attachments[1].content_type"]);

    // A connection that cannot send may name no URL. The environment permits no unit of work, so nothing is fetched.
    let owner = fixtures::calling(&Member { role: Role::Owner, ..fixtures::member() });
    let permissions = parse(Some("mail:draft")).unwrap();
    let drafter = bounded(owner, &Connection { permissions, ..fixtures::connection() }).unwrap();
    let bad = adding(None, AttachmentSource::Url("https://files.example/a".to_owned()));
    let refused = change(world_with(&draft), &drafter, wanted(bad)).await.unwrap_err();
    assert_eq!(paths(refused), ["add_attachments[1].url"]);

    // A fetched URL may have an invalid content type.
    let mut world = world_with(&draft);
    world.fetch = StubFetch::default().with("https://files.example/a", b"from afar", Some("nonsense"));
    expect_room(&mut world);
    expect_look(world.unit_of_work(), &draft);
    let bad = adding(None, AttachmentSource::Url("https://files.example/a".to_owned()));
    let refused = change(world, &fixtures::caller(), wanted(bad)).await.unwrap_err();
    assert_eq!(paths(refused), ["add_attachments[1].content_type"]);
}

#[test]
fn invalid_draft_fields_are_named_together() {
    let bad = DraftChange {
        to: Some((0..51).map(|number| mailbox(&format!("n{number}@example.org"))).collect()),
        subject: Some(Some("a\nb".to_owned())),
        html: Some(Some("\0".to_owned())),
        send_at: Some(Some(NOW)),
        ..DraftChange::default()
    };
    let found: Vec<String> = problems_of_change(&bad, NOW).into_iter().map(|problem| problem.path).collect();
    assert_eq!(found, ["to", "subject", "html", "send_at"]);
}

#[tokio::test]
async fn draft_of_other_inbox_is_not_found() {
    let mut draft = fixtures::draft();
    draft.item.inbox_id = fixtures::inbox_id("other@inboxd.example");
    let refused = change(world_with(&draft), &fixtures::caller(), DraftChange::default()).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Draft, .. })), "{refused:?}");
}

#[tokio::test]
async fn content_of_an_agent_stays_that_of_the_agent_until_a_person_names_the_revision() {
    let agent = fixtures::caller().actor;
    let person = fixtures::calling(&Member { role: Role::Owner, ..fixtures::member() });
    let relabelled =
        DraftItem { updated_by: person.actor.clone(), agent: Some(agent.clone()), ..fixtures::draft().item };
    let relabelled = Draft { item: relabelled, ..fixtures::draft() };
    let labels = LabelChange { add: vec!["seen".to_owned()], remove: Vec::new() };
    for (before, caller, expected_revision, kept) in [
        (fixtures::draft(), &person, None, Some(&agent)),
        (relabelled.clone(), &person, None, Some(&agent)),
        (relabelled.clone(), &person, Some(0), None),
        (relabelled.clone(), &fixtures::caller(), None, None),
    ] {
        let mut world = world_with(&before);
        let tx = world.unit_of_work();
        let written = expect_write(tx, &before);
        change(world, caller, DraftChange { labels: labels.clone(), expected_revision, ..DraftChange::default() })
            .await
            .unwrap();
        let item = written.only().item;
        assert_eq!((item.agent.as_ref(), &item.updated_by), (kept, &caller.actor), "{expected_revision:?}");
    }
}
