//! Shapes of responses, and the way of request fields to the use cases.

use inboxd_core::model::domain::{DomainRecord, RecordStatus};
use inboxd_core::model::{
    AccountIds, Actor, ApiKey, ApiKeyId, Domain, DomainStatus, HidingLabels, LabelEvent, LabelEventType, Message,
    MessageItem, OrganizationOverview, Page, Reach, Thread,
};
use inboxd_core::rules::trust::{
    AttachmentRisk, HiddenTextKind, ImitatedIdentity, InstructionKind, Judgement, MassMailKind, MessageField, Reason,
    Resemblance, Verdict,
};
use inboxd_core::testing::{Captured, World, fixtures};
use serde_json::{Value, json};

use super::{answer, schema, with_key, world};

fn item() -> MessageItem {
    MessageItem {
        attachments: vec![fixtures::attachment(7)],
        sent_by: Some(Actor::ApiKey { api_key_id: fixtures::id(3), name: "Sign-up".to_owned() }),
        ..fixtures::message_item()
    }
}

/// Returns a received message with every reason.
fn received() -> MessageItem {
    let text = || "a.example".to_owned();
    let reasons = vec![
        Reason::AuthenticatedDomain { domain: text() },
        Reason::UnauthenticatedDomain { domain: text() },
        Reason::LostAuthentication { domain: text() },
        Reason::TrustedContact,
        Reason::BlockedContact,
        Reason::UnprovedListing,
        Reason::OrganizationMember,
        Reason::KnownCorrespondent {
            received: 1,
            sent: 2,
            organization_received: 3,
            organization_sent: 4,
            since: Some(fixtures::NOW),
        },
        Reason::ImitatedName { display_name: text(), imitates: ImitatedIdentity::Member, address: Some(text()) },
        Reason::LookalikeDomain { domain: text(), known_domain: Some(text()), resemblance: Resemblance::OneEdit },
        Reason::ReplyToElsewhere { address: text() },
        Reason::MisleadingLink { shown_host: text(), target_host: text() },
        Reason::HiddenText { kind: HiddenTextKind::Styled },
        Reason::MachineInstruction {
            kind: InstructionKind::Override,
            field: MessageField::Text,
            start: 1,
            end: 9,
            is_hidden: false,
        },
        Reason::RiskyAttachment { filename: Some(text()), risk: AttachmentRisk::Executable },
        Reason::MassMail { kind: MassMailKind::Bulk },
        Reason::ScannerFinding {
            category: text(),
            score: Some(97),
            field: Some(MessageField::Html),
            start: Some(2),
            end: Some(7),
        },
    ];
    MessageItem {
        trust: Some(Judgement { verdict: Verdict::Suspicious, checks: None, reasons }),
        ..fixtures::message_item()
    }
}

/// Returns a thread whose newest message is received.
pub(super) fn thread() -> Thread {
    Thread::started_by(&received())
}

fn prepared() -> World {
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    world
}

#[actix_web::test]
async fn message_response_shape() {
    let mut world = prepared();
    world.store.expect_message().returning(|_, _, _, _| {
        let mut message = fixtures::message(item());
        message.body.headers = vec![("Subject".to_owned(), "A question".to_owned())];
        Ok(Some(message))
    });
    let uri = "/v0/inboxes/scout@inboxd.example/messages/question@example.org";
    let answered = answer(world, with_key("get", uri)).await;
    assert_described("/v0/inboxes/{inbox_id}/messages/{message_id}", &answered.json());
    insta::assert_snapshot!(answered.pretty());
}

#[actix_web::test]
async fn thread_response_shape() {
    let mut world = prepared();
    world.store.expect_thread().returning(|_, _, _, _| Ok(Some(thread())));
    world.store.expect_notes_of_thread().returning(|_, _, _| Ok(Vec::new()));
    world.store.expect_messages_of_thread().returning(|_, _, _, _, limit, after| {
        assert_eq!((limit, after), (50, None));
        Ok(Page { items: vec![fixtures::message(received())], next: None })
    });
    world.store.expect_drafts_of_thread().returning(|_, _, _, _, _| Ok(vec![fixtures::draft()]));
    let uri = format!("/v0/inboxes/scout@inboxd.example/threads/{}", thread().thread_id);
    let answered = answer(world, with_key("get", &uri)).await;
    assert_described("/v0/inboxes/{inbox_id}/threads/{thread_id}", &answered.json());
    insta::assert_snapshot!(answered.pretty());
}

#[actix_web::test]
async fn organization_response_shape() {
    let mut world = world();
    world.store.expect_overview().returning(|_| {
        let organization = fixtures::organization();
        Ok(Some(OrganizationOverview {
            organization,
            inbox_count: 2,
            domain_count: 1,
            pod_count: 1,
            webhook_count: 0,
            storage_bytes: 3000,
            account: AccountIds::default(),
        }))
    });
    let answered = answer(world, with_key("get", "/v0/organizations")).await;
    assert_described("/v0/organizations", &answered.json());
    insta::assert_snapshot!(answered.pretty());
}

#[actix_web::test]
async fn domain_list_response_shape() {
    let mut world = world();
    let faulty = DomainRecord {
        status: RecordStatus::Invalid,
        reason: Some("value_mismatch: mail goes to other hosts".to_owned()),
        found: Some("10 mx.example.net".to_owned()),
        ..fixtures::domain().records[0].clone()
    };
    let domain = Domain {
        pod_id: Some(fixtures::id(2)),
        client_id: Some("one".to_owned()),
        status: DomainStatus::Invalid,
        records: vec![faulty],
        ..fixtures::domain()
    };
    world.store.expect_list_domains().returning(move |_| Ok(Page { items: vec![domain.clone()], next: None }));
    insta::assert_snapshot!(answer(world, with_key("get", "/v0/domains")).await.pretty());
}

#[actix_web::test]
async fn inbox_and_key_list_response_shapes() {
    let mut world = world();
    world.store.expect_list_inboxes().returning(|_| Ok(Page { items: vec![fixtures::inbox()], next: None }));
    let answered = answer(world, with_key("get", "/v0/inboxes")).await;
    assert_described("/v0/inboxes", &answered.json());
    insta::assert_snapshot!("inboxes", answered.pretty());
    let mut world = super::world();
    world.store.expect_list_api_keys().returning(|_| Ok(Page { items: vec![fixtures::api_key()], next: None }));
    let answered = answer(world, with_key("get", "/v0/api-keys")).await;
    assert_described("/v0/api-keys", &answered.json());
    insta::assert_snapshot!("api_keys", answered.pretty());
}

/// The response to a GET matches the OpenAPI document.
pub(super) fn assert_described(path: &str, json: &Value) {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let described = schema::answered(&document, "get", path);
    assert!(described.is_object(), "{path}");
    assert_eq!(schema::problems(&document, described, json), [""; 0], "{path}");
}

#[actix_web::test]
async fn filters_are_passed_to_store() {
    let mut world = prepared();
    let asked = Captured::default();
    let seen = asked.clone();
    world.store.expect_list_messages().returning(move |query| {
        seen.push(query.clone());
        Ok(Page { items: Vec::new(), next: None })
    });
    let uri = "/v0/inboxes/scout@inboxd.example/messages?labels=a,b&labels=%5B%22c%22%5D&from=Smith,%20Anna\
        &subject=%5Burgent%5D&to=%5B%22x%22%2C%22y%22%5D&before=2026-11-20T12:00:00+02:00&after=2026-11-20T09:00:00.5Z\
        &include_spam=true&include_trash=1&limit=7&ascending=TRUE&unknown=x";
    let answered = answer(world, with_key("get", uri)).await;
    assert_eq!(answered.json(), json!({"count": 0, "limit": 7, "messages": []}));
    let query = asked.only();
    assert_eq!(query.labels, ["a", "b", "c"]);
    assert_eq!(query.from, ["smith, anna"]);
    assert_eq!(query.subject, ["[urgent]"]);
    assert_eq!(query.to, ["x", "y"]);
    assert_eq!(query.before, Some(fixtures::NOW));
    assert_eq!(query.after, Some(fixtures::NOW - time::Duration::milliseconds(3_599_500)));
    assert_eq!(query.included, HidingLabels::NONE.with(0).with(3));
    assert_eq!((query.page.limit, query.page.direction), (7, inboxd_core::model::Direction::Ascending));
}

#[actix_web::test]
async fn batch_get_skips_unknown_ids() {
    let mut world = prepared();
    let asked = Captured::default();
    let seen = asked.clone();
    world.store.expect_body_sizes().returning(|_, _, _, _| Ok(vec![10]));
    world.store.expect_messages().returning(move |_, _, ids, _| {
        seen.push(ids.iter().map(ToString::to_string).collect::<Vec<_>>());
        Ok(vec![Message { item: item(), body: inboxd_core::model::MessageBody::default() }])
    });
    let request = with_key("post", "/v0/inboxes/scout@inboxd.example/messages/batch-get")
        .set_payload(r#"{"message_ids": ["question@example.org", "not an id"]}"#);
    let json = answer(world, request).await.json();
    assert_eq!((&json["limit"], &json["count"]), (&json!(500), &json!(1)));
    assert_eq!(json["messages"][0]["sent_by"]["type"], "api_key");
    assert_eq!(asked.only(), ["<question@example.org>", "not an id"]);
}

#[actix_web::test]
async fn key_is_returned_to_permitted_callers() {
    let reach = |inbox: &str| Reach::Inbox { pod_id: fixtures::id(2), inbox_id: fixtures::inbox_id(inbox) };
    let key = |reach| ApiKey { reach, api_key_id: fixtures::id(9), ..fixtures::api_key() };
    let (one, other) = (reach("scout@inboxd.example"), reach("other@inboxd.example"));
    let (pod, elsewhere) = (Reach::Pod(fixtures::id(2)), Reach::Pod(fixtures::id(5)));
    for (caller, asked, status) in [
        (Reach::Organization, Reach::Organization, 200),
        (Reach::Organization, one.clone(), 200),
        (pod.clone(), one.clone(), 200),
        (pod.clone(), pod.clone(), 200),
        (pod.clone(), Reach::Organization, 404),
        (elsewhere.clone(), one.clone(), 404),
        (elsewhere, pod.clone(), 404),
        (one.clone(), one.clone(), 200),
        (one.clone(), other, 404),
        (one.clone(), pod, 404),
        (one, Reach::Organization, 404),
    ] {
        let mut world = super::world_with(ApiKey { reach: caller.clone(), ..fixtures::api_key() });
        let (found, asked_for) = (key(asked.clone()), fixtures::id::<ApiKeyId>(9));
        world.store.expect_api_key().return_once(move |_, id| Ok(Some(found).filter(|_| id == asked_for)));
        let answered = answer(world, with_key("get", &format!("/v0/api-keys/{asked_for}"))).await;
        assert_eq!(answered.status, status, "{caller:?} asks for {asked:?}");
    }
}

#[actix_web::test]
async fn deletion_returns_204_without_body() {
    let mut world = world();
    let key = fixtures::api_key();
    let api_key_id = key.api_key_id;
    world.store.expect_api_key().return_once(move |_, _| Ok(Some(key)));
    let unit = world.unit_of_work();
    unit.api_keys.expect_revoke().returning(|_, _, _| Ok(true));
    unit.threads.expect_unassign().returning(|_, _, _, _| Ok(()));
    let answered = answer(world, with_key("delete", &format!("/v0/api-keys/{api_key_id}"))).await;
    assert_eq!((answered.status, answered.body.len()), (204, 0));
}

#[actix_web::test]
async fn creation_without_body_is_accepted() {
    let mut world = world();
    let unit = world.unit_of_work();
    unit.accounts.expect_lock().returning(|_| Ok(Some(fixtures::organization())));
    unit.inboxes.expect_count().returning(|_| Ok(0));
    unit.usage.expect_storage_bytes().returning(|_| Ok(0));
    unit.members.expect_reads().returning(|_| Ok(false));
    unit.inboxes.expect_insert().returning(|_| Ok(()));
    let answered = answer(world, with_key("post", "/v0/inboxes")).await;
    let json = answered.json();
    assert_eq!(answered.status, 200);
    let email = json["email"].as_str().unwrap();
    assert!(email.ends_with("@inboxd.example"), "{email}");
    assert_eq!(json["inbox_id"], email);
    assert_eq!(json.get("display_name"), None::<&Value>);
}

#[actix_web::test]
async fn label_history_response_shape() {
    let MessageItem { organization_id, inbox_id, message_id, .. } = fixtures::message_item();
    let event = LabelEvent {
        event_id: fixtures::id(21),
        event_type: LabelEventType::Removed,
        organization_id,
        pod_id: fixtures::id(2),
        inbox_id,
        message_id,
        label: "unread".to_owned(),
        actor: Actor::Member {
            member_id: fixtures::id(4),
            name: "Grace".to_owned(),
            email: "grace@example.org".to_owned(),
            connection_id: None,
        },
        event_at: fixtures::NOW,
    };
    let mut world = prepared();
    world.store.expect_list_label_events().return_once(move |_| Ok(Page { items: vec![event], next: None }));
    let answered = answer(world, with_key("get", "/v0/inboxes/scout@inboxd.example/events")).await;
    assert_described("/v0/inboxes/{inbox_id}/events", &answered.json());
    insta::assert_snapshot!(answered.pretty(), @r#"
    {
      "count": 1,
      "events": [
        {
          "actor": {
            "email": "grace@example.org",
            "member_id": "mem_00000000000000000000000000000004",
            "name": "Grace",
            "type": "member"
          },
          "created_at": "2026-11-20T10:00:00.000Z",
          "event_at": "2026-11-20T10:00:00.000Z",
          "event_id": "evt_00000000000000000000000000000015",
          "event_type": "label.removed",
          "inbox_id": "scout@inboxd.example",
          "label": "unread",
          "message_id": "<question@example.org>",
          "organization_id": "org_00000000000000000000000000000001",
          "pod_id": "pod_00000000000000000000000000000002"
        }
      ],
      "limit": 50
    }
    "#);
}
