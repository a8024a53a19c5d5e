use inboxd_core::app::drafts::DraftFilter;
use inboxd_core::model::{Caller, Page, Permission, Reach, Scope};
use inboxd_core::testing::Captured;
use inboxd_core::testing::fixtures;
use inboxd_core::{Error, Resource};

use super::super::permissions;
use super::{get, list, world_with};

#[tokio::test]
async fn draft_within_scope_is_read_by_id_alone() {
    let draft = fixtures::draft();
    for caller in [fixtures::caller(), fixtures::inbox_caller()] {
        let read = get(&world_with(&draft).app(), &caller, &Scope::Organization, draft.item.draft_id).await.unwrap();
        assert_eq!(read, draft);
    }
    let elsewhere = Reach::Inbox { pod_id: fixtures::id(2), inbox_id: fixtures::inbox_id("other@inboxd.example") };
    let caller = Caller { reach: elsewhere, ..fixtures::caller() };
    let refused = get(&world_with(&draft).app(), &caller, &Scope::Organization, draft.item.draft_id).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Draft, .. })), "{refused:?}");
    let caller = Caller { reach: Reach::Pod(fixtures::id(99)), ..fixtures::caller() };
    let refused = get(&world_with(&draft).app(), &caller, &Scope::Organization, draft.item.draft_id).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Draft, .. })), "{refused:?}");
}

#[tokio::test]
async fn reading_needs_draft_read() {
    let draft = fixtures::draft();
    let caller = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let refused = get(&world_with(&draft).app(), &caller, &Scope::Organization, draft.item.draft_id).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::DraftRead))), "{refused:?}");
    let refused = list(&world_with(&draft).app(), &caller, &Scope::Organization, DraftFilter::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::DraftRead))), "{refused:?}");
}

#[tokio::test]
async fn draft_list_across_inboxes_is_limited_to_key_scope() {
    let (pod, inbox) = (fixtures::id(2), fixtures::inbox().inbox_id);
    for (reach, expected) in [
        (Reach::Organization, (None, None)),
        (Reach::Pod(pod), (Some(pod), None)),
        (Reach::Inbox { pod_id: pod, inbox_id: inbox.clone() }, (None, Some(inbox))),
    ] {
        let mut world = world_with(&fixtures::draft());
        let asked = Captured::default();
        let seen = asked.clone();
        world.store.expect_list_drafts().returning(move |query| {
            seen.push((query.pod_id, query.inbox_id.clone()));
            Ok(Page { items: Vec::new(), next: None })
        });
        list(&world.app(), &Caller { reach, ..fixtures::caller() }, &Scope::Organization, DraftFilter::default())
            .await
            .unwrap();
        assert_eq!(asked.only(), expected);
    }
}
