use inboxd_core::Error;
use inboxd_core::app::webhooks::AttemptFilter;
use inboxd_core::model::{Caller, EventType, Page, PageRequest, Permission, Scope, WebhookAttempt};
use inboxd_core::ports::{AttemptQuery, AttemptResult, WebhookScope};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, id};
use time::Duration;

use super::attempts;
use crate::app::{paths, permissions, world};

fn attempt() -> WebhookAttempt {
    WebhookAttempt {
        organization_id: id(1),
        attempt_id: id(70),
        webhook_id: id(50),
        event_id: id(60),
        event_type: EventType::MessageSent,
        status_code: Some(500),
        duration_ms: 12,
        response_body: Some("no".to_owned()),
        error: None,
        attempted_at: NOW,
        next_attempt_at: Some(NOW + Duration::seconds(5)),
    }
}

#[tokio::test]
async fn attempt_log_query_is_limited_to_caller_scope() {
    let scope = || WebhookScope { organization_id: id(1), pod_id: None, inbox_id: None, among: None };
    let scout = fixtures::inbox().inbox_id;
    let filter = AttemptFilter {
        webhook_id: Some(id(50)),
        event_id: Some(id(60)),
        event_types: vec!["message.sent".to_owned()],
        result: Some(AttemptResult::Failed),
        status_code: Some(500),
        start: Some(NOW),
        end: Some(NOW),
        page: PageRequest { limit: 3, ..PageRequest::default() },
    };
    for (caller, within, scope) in [
        (fixtures::caller(), Scope::Organization, scope()),
        (fixtures::inbox_caller(), Scope::Organization, WebhookScope { inbox_id: Some(scout.clone()), ..scope() }),
        (fixtures::caller(), Scope::Inbox(scout.clone()), WebhookScope { inbox_id: Some(scout.clone()), ..scope() }),
    ] {
        let mut world = world();
        let expected = AttemptQuery {
            scope,
            webhook_id: Some(id(50)),
            event_id: Some(id(60)),
            event_types: vec![EventType::MessageSent],
            result: Some(AttemptResult::Failed),
            status_code: Some(500),
            start: Some(NOW),
            end: Some(NOW),
            page: PageRequest { limit: 3, ..PageRequest::default() },
        };
        world.store.expect_list_attempts().once().returning(move |query| {
            assert_eq!(*query, expected);
            Ok(Page { items: vec![attempt()], next: None })
        });
        assert_eq!(attempts(&world.app(), &caller, &within, filter.clone()).await.unwrap().items, [attempt()]);
    }
}

#[tokio::test]
async fn invalid_attempt_log_query_is_refused() {
    let app = World::default().app();
    let ask = async |caller: &Caller, filter| attempts(&app, caller, &Scope::Organization, filter).await.unwrap_err();
    let filter = AttemptFilter::default;
    let blind = Caller { permissions: permissions(&["webhook_update"]), ..fixtures::caller() };
    assert!(matches!(ask(&blind, filter()).await, Error::MissingPermission(Permission::WebhookRead)));
    let unknown = AttemptFilter { event_types: vec!["no.such".to_owned()], ..filter() };
    assert!(matches!(ask(&fixtures::caller(), unknown).await, Error::UnknownEventType(_)));
    let turned = AttemptFilter { start: Some(NOW), end: Some(NOW - Duration::SECOND), ..filter() };
    assert_eq!(paths(ask(&fixtures::caller(), turned).await), ["start"]);
}
