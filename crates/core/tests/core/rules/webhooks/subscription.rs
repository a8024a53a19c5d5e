use inboxd_core::Error;
use inboxd_core::model::{
    Caller, Event, EventBody, EventType, Permission, Permissions, Reach, Webhook, WebhookTargets,
};
use inboxd_core::rules::trust::Verdict;
use inboxd_core::rules::webhooks::subscription::{
    self, default_types, event_types, require_visible_names, required_permission,
};
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns whether a webhook receives an event.
fn hears(webhook: &Webhook, event: &Event) -> bool {
    subscription::matches(webhook, (event.event_type, event.verdict()), event.pod_id, event.inbox_id.as_ref())
}

/// Mail received in the inbox `a@` of pod 2.
fn received() -> Event {
    Event {
        event_id: id(60),
        event_type: EventType::MessageReceived,
        organization_id: id(1),
        pod_id: Some(id(2)),
        inbox_id: Some(inbox_id("a@inboxd.example")),
        thread_id: Some(id(61)),
        message_id: Some(fixtures::message_id("<m@example.org>")),
        body: EventBody::Received { verdict: None },
        created_at: NOW,
        traceparent: None,
    }
}

#[test]
fn default_subscription_omits_hidden_mail() {
    let hidden = [
        (EventType::MessageReceivedSpam, Permission::LabelSpamRead),
        (EventType::MessageReceivedBlocked, Permission::LabelBlockedRead),
        (EventType::MessageReceivedUnauthenticated, Permission::LabelUnauthenticatedRead),
    ];
    for kind in EventType::ALL {
        let needed = hidden.iter().find(|(hidden, _)| hidden == kind).map(|(_, permission)| *permission);
        assert_eq!(required_permission(*kind), needed, "{kind}");
        assert_eq!(default_types().contains(kind), needed.is_none(), "{kind}");
    }
}

#[test]
fn type_names_are_parsed_once_in_order() {
    let read = event_types(&names(&["message.sent", "message.received", "message.sent"])).unwrap();
    assert_eq!(read, [EventType::MessageSent, EventType::MessageReceived]);
    assert_eq!(event_types(&[]).unwrap(), default_types());
    let never = event_types(&names(&["message.opened"])).unwrap();
    assert_eq!(never, [EventType::MessageOpened]);
    assert!(!default_types().contains(&EventType::MessageOpened));
    for unknown in ["", "message", "Message.Sent", "label.added", "message.eaten"] {
        let refused = event_types(&names(&["message.sent", unknown]));
        assert!(matches!(refused, Err(Error::UnknownEventType(ref name)) if name == unknown), "{unknown}");
    }
}

#[test]
fn hidden_mail_needs_label_permission() {
    let map =
        Permissions(["webhook_create", "message_read", "label_spam_read"].map(|name| (name.to_owned(), true)).into());
    let reader = Caller { permissions: Some(map), ..fixtures::caller() };
    assert!(require_visible_names(&reader, &names(&["message.received", "message.received.spam", "no.such"])).is_ok());
    let refused = require_visible_names(&reader, &names(&["message.received.spam", "message.received.blocked"]));
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::LabelBlockedRead))));
    assert!(require_visible_names(&fixtures::caller(), &names(&["message.received.unauthenticated"])).is_ok());
}

#[test]
fn webhook_receives_only_its_types() {
    let only = |kind| Webhook { event_types: vec![kind], ..fixtures::webhook() };
    assert!(hears(&only(EventType::MessageReceived), &received()));
    for variant in EventType::ALL.iter().filter(|kind| **kind != EventType::MessageReceived) {
        assert!(!hears(&only(*variant), &received()), "{variant}");
        assert!(!hears(&only(EventType::MessageReceived), &Event { event_type: *variant, ..received() }), "{variant}");
    }
}

#[test]
fn webhook_receives_mail_with_its_verdicts() {
    let only = |trust: &[Verdict]| Webhook { trust: trust.to_vec(), ..fixtures::webhook() };
    let judged = |verdict| Event { body: EventBody::Received { verdict }, ..received() };
    for (trust, verdict, expected) in [
        (&[][..], None, true),
        (&[Verdict::Trusted, Verdict::Known], Some(Verdict::Known), true),
        (&[Verdict::Trusted], Some(Verdict::Known), false),
        (&[Verdict::Trusted], None, false),
    ] {
        assert_eq!(hears(&only(trust), &judged(verdict)), expected, "{trust:?} {verdict:?}");
    }
    let bounced = Event { event_type: EventType::MessageBounced, ..received() };
    assert!(hears(&only(&[Verdict::Trusted]), &bounced), "it is not about received mail");
}

#[test]
fn webhook_receives_events_of_scope_and_targets() {
    let (a, b) = (inbox_id("a@inboxd.example"), inbox_id("b@inboxd.example"));
    let in_inbox = |inbox_id| Reach::Inbox { pod_id: id(2), inbox_id };
    let selection = |pods: &[u128], inboxes: &[&inboxd_core::model::InboxId]| {
        let pod_ids = pods.iter().map(|number| id(*number)).collect();
        Some(WebhookTargets { pod_ids, inbox_ids: inboxes.iter().map(|inbox| (*inbox).clone()).collect() })
    };
    for (place, chosen, expected) in [
        (Reach::Organization, None, true),
        (Reach::Pod(id(2)), None, true),
        (Reach::Pod(id(3)), None, false),
        (in_inbox(a.clone()), None, true),
        (in_inbox(b.clone()), None, false),
        (Reach::Organization, selection(&[2], &[]), true),
        (Reach::Organization, selection(&[3], &[]), false),
        (Reach::Organization, selection(&[3], &[&a]), true),
        (Reach::Organization, selection(&[], &[&b]), false),
        (Reach::Organization, selection(&[2], &[&b]), true),
        // Its targets were deleted: it receives nothing rather than everything.
        (Reach::Organization, selection(&[], &[]), false),
        // No target extends its scope.
        (Reach::Pod(id(3)), selection(&[2], &[&a]), false),
        (in_inbox(b.clone()), selection(&[2], &[&a]), false),
    ] {
        let webhook = Webhook { place, selection: chosen, ..fixtures::webhook() };
        assert_eq!(hears(&webhook, &received()), expected, "{webhook:?}");
    }
}

#[test]
fn event_without_inbox_is_matched_by_pod() {
    let of_organization = Event { pod_id: None, inbox_id: None, event_type: EventType::DomainVerified, ..received() };
    let of_pod = Event { pod_id: Some(id(2)), ..of_organization.clone() };
    let at = |place| Webhook { place, ..fixtures::webhook() };
    let in_inbox = Reach::Inbox { pod_id: id(2), inbox_id: inbox_id("a@inboxd.example") };
    for (place, expected) in
        [(Reach::Organization, (true, true)), (Reach::Pod(id(2)), (false, true)), (in_inbox, (false, false))]
    {
        assert_eq!((hears(&at(place.clone()), &of_organization), hears(&at(place), &of_pod)), expected);
    }
}
