use inboxd_core::model::{Inbox, NewMessage};
use inboxd_core::rules::response_limits::MAX_BODY_BYTES;

use super::*;

fn received(mail: &NewMessage, inbox: &Inbox, number: u128) -> Event {
    Event {
        event_id: Uuid::from_u128(number).into(),
        event_type: EventType::MessageReceived,
        organization_id: inbox.organization_id,
        pod_id: Some(inbox.pod_id),
        inbox_id: Some(inbox.inbox_id.clone()),
        thread_id: Some(mail.message.item.thread_id),
        message_id: Some(mail.message.item.message_id.clone()),
        body: EventBody::Received { verdict: None },
        created_at: at(3),
        traceparent: None,
    }
}

fn key(event: &Event) -> EventKey {
    EventKey { organization_id: event.organization_id, created_at: event.created_at, event_id: event.event_id }
}

#[tokio::test]
async fn events_of_all_organizations_are_read_without_too_large_bodies() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let theirs = inbox(&other, "theirs@agents.example");
    add_inbox(&world.store, &theirs).await;
    let spam = world.labelled(1, &["received", "spam", "trash"]);
    let mut large = mail(&theirs, 2);
    large.message.body.html = Some("x".repeat(50));
    large.message.body.extracted_text = Some("y".repeat(51));
    large.message.body.headers = vec![("X-Long".to_owned(), "z".repeat(51))];
    for mail in [&spam, &large] {
        deliver(&world.store, mail).await;
    }
    let events = [received(&spam, &world.inbox, 1), received(&large, &theirs, 2)];
    let mut tx = world.begin().await;
    tx.events().append(&events).await.unwrap();
    tx.commit().await.unwrap();

    let mut keys: Vec<EventKey> = events.iter().map(key).collect();
    // An event is not found under another organization.
    keys.push(EventKey { organization_id: other.organization_id, ..keys[0] });
    let mut found = world.store.whole_events(&keys, 50).await.unwrap();
    found.sort_by_key(|event| event.record.event.event_id);
    let [first, second] = found.try_into().unwrap();
    assert_eq!((&first.record.event, first.left_out), (&events[0], vec![]));
    assert_eq!(first.record.mail.unwrap().0, spam.message, "for every reader");
    assert_eq!(
        (&second.record.event, second.left_out),
        (&events[1], vec![OmittablePart::ExtractedText, OmittablePart::Headers])
    );
    let (message, thread) = second.record.mail.unwrap();
    let body = MessageBody { extracted_text: None, headers: vec![], ..large.message.body.clone() };
    assert_eq!(message.body, body);
    assert_eq!((thread.organization_id, thread.thread_id), (other.organization_id, large.message.item.thread_id));

    delete_inbox(&world.store, &theirs).await;
    let [second] = world.store.whole_events(&keys[1..2], 50).await.unwrap().try_into().unwrap();
    assert_eq!(second, WholeEvent { record: EventRecord { event: events[1].clone(), mail: None }, left_out: vec![] });
}

#[tokio::test]
async fn each_organization_has_its_limit_of_large_bodies() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let theirs = inbox(&other, "theirs@agents.example");
    add_inbox(&world.store, &theirs).await;
    let mut events = Vec::new();
    for (number, inbox) in [(1, &world.inbox), (2, &world.inbox), (3, &theirs)] {
        let mut mail = mail(inbox, number);
        mail.message.body.html = Some("x".repeat(usize::try_from(MAX_BODY_BYTES).unwrap()));
        deliver(&world.store, &mail).await;
        events.push(received(&mail, inbox, u128::try_from(number).unwrap()));
    }
    let mut tx = world.begin().await;
    tx.events().append(&events).await.unwrap();
    tx.commit().await.unwrap();
    let keys: Vec<EventKey> = events.iter().map(key).collect();
    let found = world.store.whole_events(&keys, 1000).await.unwrap();
    let left_out: Vec<usize> = found.iter().map(|event| event.left_out.len()).collect();
    assert_eq!(left_out, [1, 5, 1], "in the order of the keys");
}

#[tokio::test]
async fn webhooks_are_read_with_encrypted_values() {
    let world = world().await;
    let (one, other) = (add_webhook(&world, 1).await, add_webhook(&world, 2).await);
    add_webhook(&world, 3).await;
    let id = world.organization_id();
    let foreign = Uuid::from_u128(9).into();
    let asked = [(id, one), (id, other), (id, webhook_id(4)), (foreign, webhook_id(3))];
    let mut found = world.store.receivers(&asked).await.unwrap();
    found.sort_by_key(|(webhook, _)| webhook.webhook_id);
    assert_eq!(found.iter().map(|(webhook, _)| webhook.webhook_id).collect::<Vec<_>>(), [one, other]);
    assert!(found.iter().all(|(_, sealed)| sealed.secret == [7; 40]));
}

#[tokio::test]
async fn event_is_queued_for_subscribed_webhooks_with_its_position() {
    let world = world().await;
    let (id, pod_id, inbox_id) = (world.organization_id(), world.inbox.pod_id, world.inbox_id().clone());
    let (other_pod, other) = (PodId::from(Uuid::from_u128(77)), inbox(&world.organization, "other@agents.example"));
    add_pod(&world, other_pod).await;
    add_inbox(&world.store, &other).await;
    let other_inbox = other.inbox_id;
    let foreign = organization(2, "other@example.org");
    add_organization(&world.store, &foreign).await;
    let all = |number| Webhook { event_types: EventType::ALL.to_vec(), ..webhook(id, number) };
    let narrowed = |number, pod_ids: &[PodId], inbox_ids: &[InboxId]| Webhook {
        selection: Some(WebhookTargets { pod_ids: pod_ids.to_vec(), inbox_ids: inbox_ids.to_vec() }),
        ..all(number)
    };
    let inbox_place = |inbox_id: &InboxId| Reach::Inbox { pod_id, inbox_id: inbox_id.clone() };
    let (mail, spam, domain) = (1, 2, 3);
    let trusting = |number, trust: &[Verdict]| Webhook { trust: trust.to_vec(), ..all(number) };
    let mut heard = Vec::new();
    for (webhook, expected) in [
        (all(1), vec![mail, spam, domain]),
        (webhook(id, 2), vec![mail]),
        (Webhook { event_types: vec![EventType::MessageReceivedSpam], ..all(3) }, vec![spam]),
        (Webhook { enabled: false, ..all(4) }, vec![]),
        (Webhook { place: Reach::Pod(pod_id), ..all(5) }, vec![mail, spam]),
        (Webhook { place: Reach::Pod(other_pod), ..all(6) }, vec![]),
        (Webhook { place: inbox_place(&inbox_id), ..all(7) }, vec![mail, spam]),
        (Webhook { place: inbox_place(&other_inbox), ..all(8) }, vec![]),
        (narrowed(9, &[], &[]), vec![]),
        (narrowed(10, &[other_pod], std::slice::from_ref(&inbox_id)), vec![mail, spam]),
        (narrowed(11, &[pod_id], std::slice::from_ref(&other_inbox)), vec![mail, spam]),
        (narrowed(12, &[other_pod], std::slice::from_ref(&other_inbox)), vec![]),
        (trusting(14, &[Verdict::Known]), vec![mail, domain]),
        (trusting(15, &[Verdict::Trusted, Verdict::Suspicious]), vec![domain]),
        (Webhook { event_types: EventType::ALL.to_vec(), ..webhook(foreign.organization_id, 13) }, vec![]),
    ] {
        store_webhook(&world, &webhook).await;
        heard.push((webhook.webhook_id, expected));
    }
    let about_mail = |number, event_type| Event {
        event_id: Uuid::from_u128(number).into(),
        event_type,
        organization_id: id,
        pod_id: Some(pod_id),
        inbox_id: Some(inbox_id.clone()),
        thread_id: Some(thread_id(1)),
        message_id: Some(message_id("1")),
        body: EventBody::Received { verdict: None },
        created_at: at(1),
        traceparent: None,
    };
    let events = [
        Event {
            body: EventBody::Received { verdict: Some(Verdict::Known) },
            ..about_mail(1, EventType::MessageReceived)
        },
        about_mail(2, EventType::MessageReceivedSpam),
        Event { pod_id: None, inbox_id: None, ..about_mail(3, EventType::DomainVerified) },
    ];
    let mut holder = world.hold_heads().await;
    let mut tx = world.begin().await;
    tx.events().append(&events).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claim(&world, claim_of(100, 100)).await, [], "no event has a position yet");
    holder.batch_execute("COMMIT").await.unwrap();
    assert_eq!(world.store.sequence(&[id], at(5)).await.unwrap().len(), 1);
    let claimed = claim(&world, claim_of(101, 100)).await;
    for (webhook_id, expected) in heard {
        assert_eq!(of(&claimed, webhook_id), expected, "{webhook_id}");
    }
    let second = claimed.iter().find(|delivery| delivery.position == 2).unwrap();
    assert_eq!(
        (second.event_id, second.event_type, second.event_created_at),
        (events[1].event_id, events[1].event_type, at(1))
    );
}

#[tokio::test]
async fn pending_event_sequenced_by_other_commit_is_queued() {
    let world = world().await;
    let id = world.organization_id();
    store_webhook(&world, &webhook(id, 1)).await;
    let happens = async |number| {
        let event = Event {
            event_id: Uuid::from_u128(number).into(),
            event_type: EventType::MessageReceived,
            organization_id: id,
            pod_id: Some(world.inbox.pod_id),
            inbox_id: Some(world.inbox_id().clone()),
            thread_id: Some(thread_id(1)),
            message_id: Some(message_id("1")),
            body: EventBody::Received { verdict: None },
            created_at: at(1),
            traceparent: None,
        };
        let mut tx = world.begin().await;
        tx.events().append(&[event]).await.unwrap();
        tx.commit().await.unwrap();
        world.store.committed().await
    };
    let mut holder = world.hold_heads().await;
    assert!(happens(1).await.placed.is_empty());
    holder.batch_execute("COMMIT").await.unwrap();
    let second = happens(2).await;
    assert_eq!(second.placed.iter().map(|one| (one.placed.len(), one.has_deliveries)).collect::<Vec<_>>(), [(2, true)]);
    let positions: Vec<_> = claim(&world, claim_of(100, 100)).await.iter().map(|one| one.position).collect();
    assert_eq!(positions, [1, 2]);
}
