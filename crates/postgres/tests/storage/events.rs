use std::time::Duration;

use inboxd_core::model::event::RecipientStatus;
use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{
    Domain, Event, EventBody, EventType, HidingLabels, Inbox, MessageBody, NewMessage, PolicyAction, PolicyLevel,
    PolicyRule, PolicyVerdict, TraceContext,
};
use inboxd_core::ports::{EventQuery, EventReads, SubmissionKey};
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;
use inboxd_core::rules::trust::Verdict;
use inboxd_core::rules::webhooks::truncation::OmittablePart;
use tokio::time::sleep;
use uuid::Uuid;

use crate::support::*;

fn event(inbox: &Inbox, number: i64, event_type: EventType, body: EventBody) -> Event {
    Event {
        event_id: Uuid::from_u128(u128::try_from(number).unwrap()).into(),
        event_type,
        organization_id: inbox.organization_id,
        pod_id: Some(inbox.pod_id),
        inbox_id: Some(inbox.inbox_id.clone()),
        thread_id: Some(thread_id(number)),
        message_id: Some(message_id(&number.to_string())),
        body,
        created_at: at(number),
        traceparent: None,
    }
}

fn received(mail: &NewMessage, inbox: &Inbox, number: i64) -> Event {
    Event {
        thread_id: Some(mail.message.item.thread_id),
        ..event(inbox, number, EventType::MessageReceived, EventBody::Received { verdict: None })
    }
}

async fn append(world: &World, events: &[Event]) {
    let mut tx = world.begin().await;
    tx.events().append(events).await.unwrap();
    tx.commit().await.unwrap();
}

fn query(world: &World) -> EventQuery {
    EventQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        event_types: vec![],
        trust: Vec::new(),
        start: at(0),
        end: at(1000),
        readable: HidingLabels::NONE,
        with_mail: true,
        largest_body: 1000,
        page: PageRequest::default(),
    }
}

async fn list(world: &World, query: EventQuery) -> Vec<Event> {
    world.store.list_events(&query).await.unwrap().items.into_iter().map(|whole| whole.record.event).collect()
}

#[tokio::test]
async fn events_survive_round_trip_newest_first() {
    let world = world().await;
    let recipients = strings(&["a@example.org"]);
    let bounced = vec![RecipientStatus { address: "a@example.org".to_owned(), status: "5.1.1\0".to_owned() }];
    let bounce =
        |recipients| EventBody::Bounce { kind: "Permanent".to_owned(), sub_type: "NoEmail".to_owned(), recipients };
    let traceparent = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    assert!(traceparent.is_some());
    let events = [
        event(&world.inbox, 1, EventType::MessageSent, EventBody::Send { recipients: recipients.clone() }),
        Event {
            traceparent,
            ..event(&world.inbox, 2, EventType::MessageDelivered, EventBody::Delivery { recipients })
        },
        event(&world.inbox, 3, EventType::MessageBounced, bounce(bounced)),
        event(&world.inbox, 4, EventType::MessageRejected, EventBody::Reject { reason: "no".to_owned() }),
    ];
    append(&world, &events).await;
    append(&world, &[]).await;
    let mut wanted = events.to_vec();
    wanted.reverse();
    let cleaned = vec![RecipientStatus { address: "a@example.org".to_owned(), status: "5.1.1\u{fffd}".to_owned() }];
    wanted[1].body = bounce(cleaned);
    assert_eq!(list(&world, query(&world)).await, wanted);
}

#[tokio::test]
async fn received_events_include_existing_mail() {
    let world = world().await;
    let mut large = world.mail(2);
    large.message.body.text = Some("ü".repeat(501));
    large.message.body.html = Some("x".repeat(1000));
    let spam = world.labelled(3, &["spam"]);
    let mails = [world.mail(1), large.clone(), spam.clone(), world.mail(4)];
    for (number, mail) in (1..).zip(&mails) {
        world.deliver(mail).await;
        append(&world, &[received(mail, &world.inbox, number)]).await;
    }
    let mut tx = world.begin().await;
    tx.messages().delete(world.organization_id(), world.inbox_id(), &[message_id("4")]).await.unwrap();
    tx.commit().await.unwrap();

    let mail = async |readable| {
        let page = world.store.list_events(&EventQuery { readable, ..query(&world) }).await.unwrap();
        page.items.into_iter().map(|whole| whole.record.mail.map(|(message, _)| message)).collect::<Vec<_>>()
    };
    large.message.body.text = None;
    let large = Some(large.message);
    let page = world.store.list_events(&query(&world)).await.unwrap();
    let left_out: Vec<_> = page.items.iter().map(|whole| whole.left_out.clone()).collect();
    assert_eq!(left_out, [vec![], vec![], vec![OmittablePart::Text], vec![]]);
    assert_eq!(mail(HidingLabels::NONE).await, [None, None, large.clone(), Some(mails[0].message.clone())]);
    assert_eq!(mail(HidingLabels::ALL).await, [None, Some(spam.message), large, Some(mails[0].message.clone())]);

    let page = world.store.list_events(&query(&world)).await.unwrap();
    let (message, thread) = page.items.last().unwrap().record.mail.clone().unwrap();
    assert_eq!((thread.thread_id, thread.last_message_id), (message.item.thread_id, message.item.message_id));

    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(mail(HidingLabels::ALL).await, [None, None, None, None]);
}

#[tokio::test]
async fn events_of_submissions_outlive_their_messages() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let recipients = strings(&["a@example.org"]);
    let sent = event(&world.inbox, 1, EventType::MessageSent, EventBody::Send { recipients: recipients.clone() });
    let delivery = EventBody::Delivery { recipients: recipients.clone() };
    let delivered =
        Event { event_id: Uuid::nil().into(), ..event(&world.inbox, 1, EventType::MessageDelivered, delivery) };
    let (level, rule, action) = (PolicyLevel::Organization, PolicyRule::FirstContact, PolicyAction::Hold);
    let rule = Box::new(PolicyVerdict { level, rule, action, found: None });
    let body = EventBody::Hold { draft_id: Uuid::from_u128(5).into(), rule, recipients, expires_at: at(9) };
    let held = event(&world.inbox, 2, EventType::MessageHeld, body);
    append(&world, &[delivered, sent.clone(), held.clone()]).await;
    let mut tx = world.begin().await;
    tx.messages().delete(world.organization_id(), world.inbox_id(), &[message_id("1")]).await.unwrap();
    tx.commit().await.unwrap();
    let keys = [(1, 1), (2, 2), (1, 2), (2, 1)].map(|(number, time)| submission(&world, number, time));
    let found = async |organization_id| world.store.submission_events(organization_id, &keys).await.unwrap();
    assert_eq!(found(world.organization_id()).await, [Some(sent), Some(held), None, None]);
    assert_eq!(found(Uuid::from_u128(99).into()).await, vec![None::<Event>; 4]);
}

fn submission(world: &World, number: i64, time: i64) -> SubmissionKey {
    let message_id = message_id(&number.to_string());
    SubmissionKey { inbox_id: world.inbox_id().clone(), message_id, submitted_at: at(time) }
}

#[tokio::test]
async fn submission_in_progress_is_awaited() {
    let world = world().await;
    let recipients = strings(&["a@example.org"]);
    let sent = event(&world.inbox, 1, EventType::MessageSent, EventBody::Send { recipients });
    let mut tx = world.begin().await;
    assert!(tx.accounts().lock(world.organization_id()).await.unwrap().is_some());
    let keys = [submission(&world, 1, 1)];
    let storing = async {
        world.until_one_waits().await;
        tx.events().append(std::slice::from_ref(&sent)).await.unwrap();
        tx.commit().await.unwrap();
    };
    let (found, ()) = tokio::join!(world.store.submission_events(world.organization_id(), &keys), storing);
    assert_eq!(found.unwrap(), [Some(sent)]);
}

#[tokio::test]
async fn submission_is_found_after_outage() {
    let world = world().await;
    let recipients = strings(&["a@example.org"]);
    let sent = event(&world.inbox, 1, EventType::MessageSent, EventBody::Send { recipients });
    append(&world, std::slice::from_ref(&sent)).await;
    let keys = [submission(&world, 1, 1)];
    world.database.begin_outage().await;
    let ending = async {
        // The first attempt fails meanwhile.
        sleep(Duration::from_millis(100)).await;
        world.database.end_outage().await;
    };
    let (found, ()) = tokio::join!(world.store.submission_events(world.organization_id(), &keys), ending);
    assert_eq!(found.unwrap(), [Some(sent)]);
}

#[tokio::test]
async fn event_includes_small_bodies_of_large_mail() {
    let world = world().await;
    let mut mail = world.mail(1);
    mail.message.body.html = Some("x".repeat(300_000));
    world.deliver(&mail).await;
    append(&world, &[received(&mail, &world.inbox, 1)]).await;
    let page = world.store.list_events(&query(&world)).await.unwrap();
    let whole = page.items.into_iter().next().unwrap();
    mail.message.body.html = None;
    assert_eq!(whole.left_out, [OmittablePart::Html]);
    assert_eq!(whole.record.mail.unwrap().0, mail.message);
}

#[tokio::test]
async fn events_read_large_bodies_up_to_limit() {
    let world = world().await;
    for number in [1, 2] {
        let mut mail = world.mail(number);
        mail.message.body.html = Some("x".repeat(usize::try_from(MAX_BODY_BYTES).unwrap()));
        world.deliver(&mail).await;
        append(&world, &[received(&mail, &world.inbox, number)]).await;
    }
    let page = world.store.list_events(&query(&world)).await.unwrap();
    let left_out: Vec<usize> = page.items.iter().map(|whole| whole.left_out.len()).collect();
    assert_eq!(left_out, [1, 5], "the bodies of the second event were not read");
    let (message, _) = page.items.into_iter().next_back().unwrap().record.mail.unwrap();
    let checks = MessageBody { text: None, extracted_text: None, headers: vec![], ..world.mail(1).message.body };
    assert_eq!(message.body, checks, "authentication, spam report and extraction remain");
}

#[tokio::test]
async fn event_lists_apply_window_types_inbox_and_pod() {
    let world = world().await;
    add_pod(&world, Uuid::from_u128(50).into()).await;
    let second = Inbox { pod_id: Uuid::from_u128(50).into(), ..inbox(&world.organization, "second@agents.example") };
    add_inbox(&world.store, &second).await;
    let sent = || EventBody::Send { recipients: vec![] };
    append(
        &world,
        &[
            event(&world.inbox, 1, EventType::MessageSent, sent()),
            event(&second, 2, EventType::MessageSent, sent()),
            event(&world.inbox, 3, EventType::MessageRejected, EventBody::Reject { reason: String::new() }),
            event(&world.inbox, 4, EventType::MessageReceived, EventBody::Received { verdict: Some(Verdict::Known) }),
        ],
    )
    .await;
    let numbers = async |query: EventQuery| {
        list(&world, query).await.iter().map(|event| event.event_id.0.as_u128()).collect::<Vec<_>>()
    };
    let all = || query(&world);
    assert_eq!(numbers(EventQuery { start: at(2), end: at(4), ..all() }).await, [3, 2]);
    let kinds = vec![EventType::MessageSent, EventType::MessageReceived];
    assert_eq!(numbers(EventQuery { event_types: kinds, ..all() }).await, [4, 2, 1]);
    let trust = vec![Verdict::Trusted, Verdict::Known];
    assert_eq!(numbers(EventQuery { trust, ..all() }).await, [4, 3, 2, 1]);
    assert_eq!(numbers(EventQuery { trust: vec![Verdict::Trusted], ..all() }).await, [3, 2, 1]);
    assert_eq!(numbers(EventQuery { inbox_id: Some(second.inbox_id.clone()), ..all() }).await, [2]);
    assert_eq!(numbers(EventQuery { pod_id: Some(world.inbox.pod_id), ..all() }).await, [4, 3, 1]);
    let foreign = organization(2, "other@example.org").organization_id;
    assert_eq!(numbers(EventQuery { organization_id: foreign, ..all() }).await, [0; 0]);
}

#[tokio::test]
async fn event_pages_handle_equal_times() {
    let world = world().await;
    let events: Vec<Event> = (1..=7)
        .map(|number| Event {
            created_at: at(number / 4),
            ..event(&world.inbox, number, EventType::MessageSent, EventBody::Send { recipients: vec![] })
        })
        .collect();
    append(&world, &events).await;
    for direction in [Direction::Ascending, Direction::Descending] {
        let mut page = PageRequest { limit: 2, after: None, direction };
        let mut seen = Vec::new();
        loop {
            let found = world.store.list_events(&EventQuery { page: page.clone(), ..query(&world) }).await.unwrap();
            seen.extend(found.items.into_iter().map(|record| record.record.event));
            page.after = found.next;
            if page.after.is_none() {
                break;
            }
        }
        if direction == Direction::Descending {
            seen.reverse();
        }
        assert_eq!(seen, events);
    }
}

#[tokio::test]
async fn event_without_message_is_stored() {
    let world = world().await;
    let domain = crate::domains::domain(&world.organization, 30, "example.com");
    let domain = Domain { records: vec![], ..domain };
    let verified = Event {
        pod_id: None,
        inbox_id: None,
        thread_id: None,
        message_id: None,
        ..event(&world.inbox, 1, EventType::DomainVerified, EventBody::Domain { domain: Box::new(domain) })
    };
    let sent = event(&world.inbox, 2, EventType::MessageSent, EventBody::Send { recipients: vec![] });
    append(&world, &[verified.clone(), sent.clone()]).await;
    assert_eq!(list(&world, query(&world)).await, [sent.clone(), verified]);
    let of_pod = EventQuery { pod_id: Some(world.inbox.pod_id), ..query(&world) };
    assert_eq!(list(&world, of_pod).await, [sent], "events of the whole organization are in no pod");
}
