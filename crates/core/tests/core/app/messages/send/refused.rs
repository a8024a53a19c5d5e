use super::*;

#[tokio::test]
async fn send_over_any_cap_is_refused_without_write() {
    let startup = Organization { plan: Plan::Startup, ..fixtures::organization() };
    let daily = LimitReached::Daily { resets_at: datetime!(2026-11-21 00:00 UTC) };
    let monthly = LimitReached::Monthly { resets_at: datetime!(2026-12-01 00:00 UTC) };
    let gb = 1_000_000_000;
    let table = [
        (fixtures::organization(), 100, 100, 0, daily, 100),
        (fixtures::organization(), 0, 1_000, 0, monthly, 1_000),
        (fixtures::organization(), 0, 0, gb, LimitReached::Storage, gb),
        (fixtures::unverified(), 10, 10, 0, daily, 10),
        (fixtures::unverified(), 0, 100, 0, monthly, 100),
        (startup, 500, 10_000, 0, monthly, 10_000),
    ];
    for (organization, today, this_month, stored, expected, cap) in table {
        let mut world = sending_world();
        expect_caps(world.unit_of_work(), organization, SendCounts { today, this_month }, stored);
        let error = refused(world, letter(&["owner@example.org"])).await;
        assert!(matches!(error, Error::LimitReached { which, limit, .. } if which == expected && limit == cap));
    }
}

#[tokio::test]
async fn enterprise_sends_without_cap() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    let enterprise = Organization { plan: Plan::Enterprise, ..fixtures::organization() };
    expect_caps(tx, enterprise, SendCounts { today: u64::MAX, this_month: u64::MAX }, u64::MAX);
    expect_storing(tx);
    assert!(send_as(world, &fixtures::caller(), letter(&["anna@example.org"])).await.is_ok());
}

#[tokio::test]
async fn unverified_organization_sends_to_owner_only() {
    let caller = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let mut both = letter(&["owner@example.org"]);
    both.bcc = vec![mailbox("anna@example.org")];
    let mut world = world();
    let rejected = expect_rejection(&mut world);
    let error = rejected_for(world, &caller, both).await;
    assert_eq!(reason_of(&rejected), "the organization is unverified and can send to its owner only");
    assert!(matches!(error, Error::OrganizationUnverified { recipient } if recipient == "anna@example.org"));

    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::unverified(), SendCounts { today: 9, this_month: 99 }, 0);
    expect_storing(tx);
    assert!(send_as(world, &caller, letter(&["Owner <OWNER@example.org>"])).await.is_ok());
}

#[tokio::test]
async fn messages_of_unverified_organizations_to_an_owner_have_a_limit_of_their_own() {
    let caller = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::unverified(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
    let until = datetime!(2026-11-21 00:00 UTC);
    tx.mail_quotas.expect_charge().once().returning(move |_, _| Ok(Some(until)));
    let refused = send_as(world, &caller, letter(&["owner@example.org"])).await;
    assert!(matches!(refused, Err(Error::OwnerMailLimitReached(at)) if at == until), "{refused:?}");
}

#[tokio::test]
async fn suppressed_recipient_is_refused_on_every_plan() {
    let mut world = world();
    world.store.expect_recipient_policy().once().returning(|query| {
        assert_eq!(query.recipients.len(), 2);
        let suppression = Suppression {
            organization_id: query.organization_id,
            address: address("dead@example.org"),
            reason: SuppressionReason::Complaint,
            created_at: NOW,
        };
        Ok(RecipientPolicy { suppressed: vec![suppression], ..RecipientPolicy::default() })
    });
    let rejected = expect_rejection(&mut world);
    let error = rejected_for(world, &fixtures::caller(), letter(&["anna@example.org", "dead@example.org"])).await;
    assert!(matches!(
        error,
        Error::RecipientSuppressed { address, reason: SuppressionReason::Complaint } if address == "dead@example.org"
    ));
    assert_eq!(reason_of(&rejected), "dead@example.org is suppressed");
}

#[tokio::test]
async fn send_refused_for_recipient_appends_message_rejected_without_quota() {
    let list = |list_type, entries: &[&str]| ListExcerpt {
        list: ListKey {
            organization_id: id(1),
            level: ListLevel::Organization,
            direction: ListDirection::Send,
            list_type,
        },
        entries: entries.iter().map(|&entry| entry.to_owned()).collect(),
        authenticated: std::collections::BTreeSet::new(),
    };
    for (excerpt, reason) in [
        (
            list(ListType::Block, &["example.org"]),
            "Anna@example.org is blocked by the entry example.org of the send block list of the organization",
        ),
        (
            list(ListType::Allow, &[]),
            "Anna@example.org is not on the send allow list of the organization, which has entries",
        ),
    ] {
        let mut world = world();
        world.store.expect_recipient_policy().once().returning(move |query| {
            assert_eq!(query.lists.names, ["anna@example.org", "example.org", "org"]);
            assert_eq!((query.lists.levels.len(), query.lists.directions.as_slice()), (3, &[ListDirection::Send][..]));
            Ok(RecipientPolicy { excerpts: vec![excerpt.clone()], ..RecipientPolicy::default() })
        });
        let rejected = expect_rejection(&mut world);
        let error = rejected_for(world, &fixtures::caller(), letter(&["Anna <Anna@example.org>"])).await;
        assert!(matches!(error, Error::RecipientBlocked { .. } | Error::RecipientNotAllowed { .. }), "{error:?}");
        assert_eq!(reason_of(&rejected), reason);
        assert!(rejected.only().message_id.unwrap().as_str().ends_with("@inboxd.example>"));
    }
}

#[tokio::test]
async fn message_needs_1_to_50_recipients() {
    assert_eq!(paths(refused(world(), letter(&[])).await), ["to"]);
    let crowd: Vec<String> = (0..51).map(|number| format!("n{number}@example.org")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    assert_eq!(paths(refused(world(), letter(&crowd)).await), ["to"]);

    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    send_as(world, &fixtures::caller(), letter(&crowd[..50])).await.unwrap();
    assert_eq!(outbox.recipients().len(), 50, "one mail, counted once");
}

#[tokio::test]
async fn line_break_or_nul_in_header_is_refused() {
    let to = ["anna@example.org"];
    let injected = "x\r\nBcc: victim@example.org";
    let mut named = letter(&to);
    named.to[0].name = Some(injected.to_owned());
    let table = [
        (Letter { subject: Some(injected.to_owned()), ..letter(&to) }, "subject"),
        (Letter { subject: Some("a\0b".to_owned()), ..letter(&to) }, "subject"),
        (Letter { headers: vec![("X-Tag".to_owned(), "a\nb".to_owned())], ..letter(&to) }, "headers.X-Tag"),
        (Letter { headers: vec![("Bcc".to_owned(), "a@b.example".to_owned())], ..letter(&to) }, "headers.Bcc"),
        (Letter { text: Some("a\0b".to_owned()), ..letter(&to) }, "text"),
        (named, "to[0]"),
    ];
    for (letter, path) in table {
        let found = paths(refused(sending_world(), letter).await);
        assert!(found.len() == 1 && found[0].starts_with(path), "{path}: {found:?}");
    }
}

#[tokio::test]
async fn system_labels_are_refused() {
    let mine = Letter { labels: vec!["Received".to_owned()], ..letter(&["anna@example.org"]) };
    let Error::Invalid(problems) = refused(world(), mine).await else { unreachable!() };
    assert_eq!(problems, [FieldError::system_label("labels[0]", "received")]);
}

#[tokio::test]
async fn invalid_message_fields_are_named_before_lookup() {
    let bad = Letter {
        subject: Some("a\nb".to_owned()),
        text: Some("\0".to_owned()),
        headers: vec![("Bad Name".to_owned(), "x".to_owned())],
        labels: vec!["a,b".to_owned(), "sent".to_owned()],
        attachments: vec![
            LetterAttachment {
                content_type: Some("png".to_owned()),
                ..attached(AttachmentSource::Content(Vec::new()))
            },
            attached(AttachmentSource::Content(vec![0; 25_000_001])),
        ],
        ..letter(&[])
    };
    let expected = [
        "subject",
        "text",
        "headers.Bad Name",
        "attachments[0].content_type",
        "attachments[1]",
        "labels[0]",
        "labels[1]",
    ];
    let of_answer: Vec<String> = problems_of_answer(&bad).into_iter().map(|problem| problem.path).collect();
    assert_eq!(of_answer, expected);
    assert_eq!(paths(refused(world(), bad).await), [&["to"][..], &expected].concat());
}

#[tokio::test]
async fn invalid_attachments_are_all_named() {
    let large = || attached(AttachmentSource::Content(vec![0; 25_000_001]));
    let missing = || attached(AttachmentSource::Url("https://files.example/missing".to_owned()));
    let with = |attachments| Letter { attachments, ..letter(&["anna@example.org"]) };
    let error = refused(world(), with(vec![large(), missing(), large()])).await;
    assert_eq!(paths(error), ["attachments[0]", "attachments[2]"], "no URL is fetched for an invalid message");
    let fine = attached(AttachmentSource::Content(Vec::new()));
    let mut world = sending_world();
    expect_trial(&mut world);
    expect_room(&mut world);
    let error = refused(world, with(vec![missing(), fine, missing()])).await;
    assert_eq!(paths(error), ["attachments[0].url", "attachments[2].url"]);
}

#[tokio::test]
async fn too_large_message_is_refused() {
    let mut world = sending_world();
    world.settings.max_message_bytes = 1_000;
    let error = refused(world, Letter { text: Some("x".repeat(1_000)), ..letter(&["anna@example.org"]) }).await;
    assert!(matches!(error, Error::TooLarge { size, limit: 1_000 } if size > 1_000));
}

#[tokio::test]
async fn concurrently_deleted_inbox_sends_nothing() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    tx.inboxes.expect_lock_sending().once().returning(|_| Ok(Vec::new()));
    tx.inboxes.expect_hold().once().returning(|_| Ok(Vec::new()));
    let error = refused(world, letter(&["anna@example.org"])).await;
    assert!(matches!(error, Error::NotFound { resource: Resource::Inbox, .. }));
}

#[tokio::test]
async fn message_above_500_attachments_is_refused() {
    let attachments = vec![attached(AttachmentSource::Content(Vec::new())); 501];
    let error = refused(world(), Letter { attachments, ..letter(&["anna@example.org"]) }).await;
    assert_eq!(paths(error), ["attachments"]);
}

#[tokio::test]
async fn invalid_message_is_refused_before_inbox_lookup() {
    let nowhere = inbox_id("nowhere@inboxd.example");
    let refused = send(&World::default().app(), &fixtures::caller(), &nowhere, letter(&[]), None).await;
    assert_eq!(paths(refused.unwrap_err()), ["to"]);
    let missing = send(&world().app(), &fixtures::caller(), &nowhere, letter(&["anna@example.org"]), None).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Inbox, .. })));
}

#[tokio::test]
async fn send_checks_scope_then_permission_first() {
    let app = World::default().app();
    let mute = Caller { permissions: permissions(&["message_read"]), ..fixtures::inbox_caller() };
    let sibling = send(&app, &mute, &inbox_id("other@inboxd.example"), letter(&[]), None).await;
    assert!(matches!(sibling, Err(Error::InboxOutOfScope { .. })));
    let own = send(&app, &mute, &fixtures::inbox().inbox_id, letter(&[]), None).await;
    assert!(matches!(own, Err(Error::MissingPermission(Permission::MessageSend))));
}

#[tokio::test]
async fn pod_key_sends_from_its_pod_only() {
    let elsewhere = Caller { reach: inboxd_core::model::Reach::Pod(id(99)), ..fixtures::caller() };
    let error = send_as(world(), &elsewhere, letter(&["anna@example.org"])).await.unwrap_err();
    assert!(matches!(error, Error::PodOutOfScope));
}

#[tokio::test]
async fn send_with_expired_claim_stores_nothing() {
    let mut world = sending_world();
    let tx = world.unit_of_work();
    expect_caps(tx, fixtures::organization(), SendCounts::default(), 0);
    tx.inboxes.expect_lock_sending().returning(|wanted| Ok(wanted.to_vec()));
    tx.idempotency_keys.expect_keep().once().returning(|_, _, _| Ok(false));
    let journal = world.journal.clone();
    let (app, inbox_id) = (world.app(), fixtures::inbox().inbox_id);
    let refused = send(&app, &fixtures::caller(), &inbox_id, letter(&["anna@example.org"]), Some(claim())).await;
    assert!(matches!(&refused, Err(Error::SendKeyInUse(key)) if key == "a"), "{refused:?}");
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn inbox_on_lost_domain_cannot_send_with_reason() {
    let lost = Inbox { inbox_id: inbox_id("ceo@example.com"), ..fixtures::inbox() };
    let sends = async |is_lost: bool| {
        let mut world = World::default();
        let found = lost.clone();
        world.store.expect_inbox().return_once(move |_, _| Ok(Some(found)));
        world
            .store
            .expect_is_name_lost()
            .once()
            .withf(|_, names| names.iter().map(DomainName::as_str).eq(["example.com"]))
            .return_once(move |_, _| Ok(is_lost));
        // The next check, which does not run for an inbox that cannot send.
        let next = StoreError::Unavailable("asked".to_owned());
        world.store.expect_recipient_policy().times(usize::from(!is_lost)).returning(move |_| Err(next.clone()));
        let journal = world.journal.clone();
        let letter = letter(&["bob@outside.example"]);
        let refused = send(&world.app(), &fixtures::caller(), &lost.inbox_id, letter, None).await.unwrap_err();
        assert_eq!(journal.entries(), []);
        refused
    };
    assert!(matches!(sends(true).await, Error::DomainLost { inbox_id } if inbox_id == lost.inbox_id));
    assert!(matches!(sends(false).await, Error::Store(StoreError::Unavailable(_))));
}
