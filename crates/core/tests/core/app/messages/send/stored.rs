use super::*;

#[tokio::test]
async fn send_stores_message_event_queue_and_usage_in_one_unit_of_work() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let journal = world.journal.clone();
    let letter = Letter { labels: vec!["Offer".to_owned()], ..letter(&["Anna <anna@example.org>"]) };
    let sent = send_as(world, &fixtures::caller(), letter).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken], "the workers are woken after the commit");

    let new = outbox.messages.only();
    let item = &new.message.item;
    assert_eq!((&item.message_id, item.thread_id), (&sent.message_id, sent.thread_id));
    assert_eq!(item.from, "Scout <scout@inboxd.example>");
    assert_eq!(item.labels.to_vec(), ["offer", "sent"]);
    let recorded = outbox.history.only();
    assert_eq!((recorded.label.as_str(), &recorded.message_id), ("offer", &sent.message_id));
    assert_eq!((recorded.actor, recorded.event_at), (fixtures::caller().actor, NOW));
    assert_eq!((item.sent_by.clone(), item.timestamp), (Some(fixtures::caller().actor), NOW));
    assert_eq!((new.digest, new.header_message_id), (None, None));
    assert_eq!(outbox.begun.only(), Thread::started_by(item));
    let event = outbox.events.only().remove(0);
    assert_eq!(event.event_type, EventType::MessageSent);
    assert_eq!(event.body, EventBody::Send { recipients: vec!["anna@example.org".to_owned()] });
    assert_eq!((event.message_id, event.thread_id), (Some(sent.message_id.clone()), Some(sent.thread_id)));
    let change = UsageChange { storage_bytes: i64::try_from(new.raw.len()).unwrap(), messages: 1, threads: 1 };
    assert_eq!(outbox.usage.only(), [(fixtures::inbox().inbox_id, change)]);

    let mail = outbox.mail();
    assert_eq!(mail.message_id.as_deref(), Some(sent.message_id.as_str()));
    assert!(mail.in_reply_to.is_empty() && mail.references.is_empty());
    let header = |name: &str| mail.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
    assert_eq!(header("Auto-Submitted"), Some("auto-generated"));
}

#[tokio::test]
async fn message_of_person_has_no_auto_submitted_field() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let maria = fixtures::calling(&fixtures::member());
    send_as(world, &maria, letter(&["anna@example.org"])).await.unwrap();
    assert_eq!(outbox.messages.only().message.item.sent_by, Some(maria.actor));
    assert!(outbox.mail().headers.iter().all(|(field, _)| field != "Auto-Submitted"));
}

#[tokio::test]
async fn direct_delivery_queues_each_destination_separately() {
    let mut world = sending_world();
    world.settings.delivers_directly = true;
    let outbox = expect_sending(&mut world);
    let to =
        ["anna@example.org", "ben@b\u{fc}cher.example", "carl@EXAMPLE.org", "other@inboxd.example", "d@[192.0.2.1]"];
    send_as(world, &fixtures::caller(), letter(&to)).await.unwrap();
    let queued = outbox.queued.only();
    let ways: Vec<_> =
        queued.iter().map(|mail| (mail.route, mail.destination.as_str(), mail.recipients.clone())).collect();
    assert_eq!(
        ways,
        [
            (Route::Local, "", vec![address("other@inboxd.example")]),
            (Route::Remote, "[192.0.2.1]", vec![address("d@[192.0.2.1]")]),
            (Route::Remote, "example.org", vec![address("anna@example.org"), address("carl@example.org")]),
            (Route::Remote, "xn--bcher-kva.example", vec![address("ben@b\u{fc}cher.example")]),
        ]
    );
}

#[tokio::test]
async fn message_is_queued_by_route_with_return_path() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let letter = Letter {
        bcc: vec![mailbox("Other <other@inboxd.example>"), mailbox("hidden@example.net")],
        ..letter(&["anna@example.org", "ANNA@example.org"])
    };
    let sent = send_as(world, &fixtures::caller(), letter).await.unwrap();
    let queued = outbox.queued.only();
    let ways: Vec<_> = queued.iter().map(|mail| (mail.route, mail.recipients.clone())).collect();
    assert_eq!(
        ways,
        [
            (Route::Local, vec![address("other@inboxd.example")]),
            (Route::Remote, vec![address("anna@example.org"), address("hidden@example.net")]),
        ]
    );
    for mail in &queued {
        assert_eq!((&mail.raw, mail.attempts, mail.due_at), (&RawMail::OfMessage, 0, NOW));
        assert_eq!(mail.message.as_ref().map(|message| &message.message_id), Some(&sent.message_id));
        let (tag, domain) = (mail.envelope_from.local(), mail.envelope_from.domain());
        assert!(tag.starts_with(&format!("b-{}-", mail.outgoing_id.0.simple())), "{tag}");
        assert_eq!((tag.len(), domain.as_str()), ("b--".len() + 32 + 16, "inboxd.example"));
    }
    assert_ne!(queued[0].envelope_from, queued[1].envelope_from);
    let new = outbox.messages.only();
    assert_eq!(new.message.item.bcc, ["Other <other@inboxd.example>", "hidden@example.net"]);
    let raw = String::from_utf8(new.raw).unwrap();
    assert!(!raw.contains("hidden@") && !raw.contains("Bcc"), "Bcc recipients are invisible");
}

#[tokio::test]
async fn send_caps_are_checked_and_counted_under_one_lock() {
    let mut world = sending_world();
    let mut order = Sequence::new();
    let tx = world.unit_of_work();
    tx.accounts.expect_lock().once().in_sequence(&mut order).returning(|_| Ok(Some(fixtures::organization())));
    tx.usage.expect_storage_bytes().once().in_sequence(&mut order).returning(|_| Ok(0));
    tx.usage.expect_sends().once().in_sequence(&mut order).returning(|_, today| {
        assert_eq!(today, NOW.date());
        Ok(SendCounts { today: 99, this_month: 999 })
    });
    tx.inboxes.expect_lock_sending().once().in_sequence(&mut order).returning(|wanted| Ok(wanted.to_vec()));
    tx.mail.expect_insert().once().in_sequence(&mut order).returning(|new| {
        assert_eq!(new.sends, [(fixtures::organization().organization_id, NOW.date(), 1)]);
        assert_eq!(new.queued.len(), 1);
        Ok(())
    });
    send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await.unwrap();
}

#[tokio::test]
async fn attachments_are_taken_from_request_or_url() {
    let mut world = sending_world();
    world.fetch = StubFetch::default().with("https://files.example/a", b"from afar", Some("text/csv"));
    expect_trial(&mut world);
    expect_room(&mut world);
    let outbox = expect_sending(&mut world);
    let attachments = vec![
        attached(AttachmentSource::Content(b"from here".to_vec())),
        attached(AttachmentSource::Url("https://files.example/a".to_owned())),
    ];
    send_as(world, &fixtures::caller(), Letter { attachments, ..letter(&["anna@example.org"]) }).await.unwrap();
    let new = outbox.messages.only();
    let content: Vec<_> = new
        .message
        .item
        .attachments
        .iter()
        .map(|attachment| {
            let bytes = attachment_content(&new.raw, attachment.part).unwrap();
            (attachment.content_type.clone().unwrap(), String::from_utf8(bytes).unwrap())
        })
        .collect();
    let expected = [("application/octet-stream", "from here"), ("text/csv", "from afar")];
    assert_eq!(content, expected.map(|(kind, text)| (kind.to_owned(), text.to_owned())));
}

#[tokio::test]
async fn url_is_fetched_up_to_remaining_message_size() {
    let mut world = sending_world();
    world.settings.max_message_bytes = 10_000;
    world.fetch = StubFetch::default().with("https://files.example/a", &[b'x'; 5_001], None);
    expect_trial(&mut world);
    expect_room(&mut world);
    let attachments = vec![
        attached(AttachmentSource::Content(vec![b'y'; 5_000])),
        attached(AttachmentSource::Url("https://files.example/a".to_owned())),
    ];
    let error = refused(world, Letter { attachments, ..letter(&["anna@example.org"]) }).await;
    assert_eq!(paths(error), ["attachments[1].url"]);
}

#[tokio::test]
async fn urls_are_not_fetched_at_cap() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    let unverified = Organization { verified_at: None, ..fixtures::organization() };
    let sent = SendCounts { today: u64::MAX, this_month: u64::MAX };
    expect_caps(tx, unverified, sent, 0);
    holds_sending_inbox(tx);
    // The stub knows no URL, so a fetch would name the field.
    let attachments = vec![attached(AttachmentSource::Url("https://files.example/a".to_owned()))];
    let error = refused(world, Letter { attachments, ..letter(&["anna@example.org"]) }).await;
    assert!(matches!(error, Error::LimitReached { .. }), "{error:?}");
}

#[tokio::test]
async fn url_attachments_share_size_limit_during_fetch() {
    let mut world = sending_world();
    world.settings.max_message_bytes = 10_000;
    world.fetch = StubFetch::default().with("https://files.example/a", &[b'x'; 6_000], None).with(
        "https://files.example/b",
        &[b'x'; 6_000],
        None,
    );
    expect_trial(&mut world);
    expect_room(&mut world);
    let url = |name: &str| attached(AttachmentSource::Url(format!("https://files.example/{name}")));
    let error = refused(world, Letter { attachments: vec![url("a"), url("b")], ..letter(&["anna@example.org"]) }).await;
    assert_eq!(paths(error), ["attachments[1].url"]);
}

#[tokio::test]
async fn contended_send_is_retried_and_sends_once() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.usage.expect_storage_bytes().returning(|_| Err(StoreError::Contention));
    let outbox = expect_sending(&mut world);
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    let again = expect_sending(&mut world);
    let journal = world.journal.clone();
    let sent = send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
    assert_eq!(again.messages.only().message.item.message_id, sent.message_id);
    assert_eq!(outbox.messages.only().message.item.message_id, sent.message_id, "the id is the same at each attempt");
}

#[tokio::test]
async fn failed_commit_wakes_no_worker() {
    let mut world = sending_world();
    expect_sending(&mut world);
    world.last_unit_of_work().commit_fails = Some(StoreError::Unavailable("gone".to_owned()));
    let error = refused(world, letter(&["anna@example.org"])).await;
    assert!(matches!(error, Error::Store(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn undecided_commit_of_send_is_verified_and_not_repeated() {
    for (found, refusal) in [
        (Ok(true), None),
        (Ok(false), Some(StoreError::Unavailable("broken".to_owned()))),
        (Err(StoreError::Unavailable("gone".to_owned())), Some(StoreError::Undecided("broken".to_owned()))),
    ] {
        let mut world = sending_world();
        let outbox = expect_sending(&mut world);
        world.last_unit_of_work().commit_fails = Some(StoreError::Undecided("broken".to_owned()));
        // The message itself may be deleted by then.
        world.store.expect_submission_events().once().returning(move |_, keys| {
            let [key] = keys else { panic!("{} submissions", keys.len()) };
            assert_eq!(key.submitted_at, NOW);
            Ok(vec![found.clone()?.then(|| submission_event(&key.message_id, None))])
        });
        let answer = send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await;
        match (answer, refusal) {
            (Ok(sent), None) => {
                let message_id = outbox.messages.only().message.item.message_id;
                assert_eq!(sent, SendResult { message_id, thread_id: id(71), held: None });
            }
            (Err(Error::Store(error)), Some(refusal)) => assert_eq!(error, refusal),
            (answer, refusal) => panic!("{answer:?}, not {refusal:?}"),
        }
    }
}

#[tokio::test]
async fn send_to_oneself_is_allowed() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    let outbox = expect_storing(tx);
    send_as(world, &fixtures::caller(), letter(&["scout@inboxd.example"])).await.unwrap();
    assert_eq!(outbox.queued.only()[0].route, Route::Local);
}

#[tokio::test]
async fn idempotent_result_is_stored_in_unit_of_work_of_message() {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let kept = Captured::<(IdempotencyClaim, SendResult)>::default();
    let seen = kept.clone();
    world.last_unit_of_work().idempotency_keys.expect_keep().once().returning(move |claim, sent, now| {
        assert_eq!(now, NOW);
        seen.push((claim.clone(), sent.clone()));
        Ok(true)
    });
    let (app, inbox_id) = (world.app(), fixtures::inbox().inbox_id);
    let sent = send(&app, &fixtures::caller(), &inbox_id, letter(&["anna@example.org"]), Some(claim())).await.unwrap();
    assert_eq!(outbox.messages.only().message.item.message_id, sent.message_id);
    assert_eq!(kept.only(), (claim(), sent));
}
