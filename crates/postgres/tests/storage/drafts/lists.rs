use super::*;

#[tokio::test]
async fn drafts_are_listed_by_last_change_with_filters() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let mut drafts: Vec<Draft> = (1..=4).map(|number| draft(&world, number)).collect();
    drafts[0].item.updated_at = at(9);
    drafts[1].item.labels = ["draft", "hot", "q4"].into_iter().collect();
    drafts[2].item.inbox_id = second.inbox_id.clone();
    drafts[3].item.pod_id = Uuid::from_u128(77).into();
    add(&world, &drafts).await;
    let all = query(&world);
    let ascending = PageRequest { direction: Direction::Ascending, ..PageRequest::default() };
    let pod_id = Some(world.inbox.pod_id);
    for (query, expected) in [
        (all.clone(), vec![1, 4, 3, 2]),
        (DraftQuery { page: ascending, ..all.clone() }, vec![2, 3, 4, 1]),
        (DraftQuery { inbox_id: Some(world.inbox_id().clone()), ..all.clone() }, vec![1, 4, 2]),
        (DraftQuery { inbox_id: Some(second.inbox_id.clone()), ..all.clone() }, vec![3]),
        (DraftQuery { pod_id, ..all.clone() }, vec![1, 3, 2]),
        (DraftQuery { labels: strings(&["hot", "q4"]), ..all.clone() }, vec![2]),
        (DraftQuery { labels: strings(&["hot", "x"]), ..all.clone() }, vec![]),
        (DraftQuery { before: Some(at(4)), after: Some(at(2)), ..all.clone() }, vec![3]),
        (DraftQuery { organization_id: Uuid::from_u128(99).into(), ..all.clone() }, vec![]),
    ] {
        assert_eq!(listed(&world, &query).await.0, expected, "{query:?}");
    }
}

#[tokio::test]
async fn draft_pages_contain_every_draft_once_despite_changes() {
    let world = world().await;
    // Three drafts of the same time, so that the id decides.
    let mut drafts: Vec<Draft> = (1..=6).map(|number| draft(&world, number)).collect();
    for draft in &mut drafts[1..4] {
        draft.item.updated_at = at(3);
    }
    add(&world, &drafts).await;
    for (direction, expected) in
        [(Direction::Descending, [6, 5, 4, 3, 2, 1]), (Direction::Ascending, [1, 2, 3, 4, 5, 6])]
    {
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let page = PageRequest { limit: 2, after, direction };
            let (numbers, next) = listed(&world, &DraftQuery { page, ..query(&world) }).await;
            found.extend(numbers);
            after = next;
            if after.is_none() {
                break;
            }
            if found.len() == 2 && direction == Direction::Descending {
                // A draft is inserted before the cursor, and the last one of the page is deleted.
                add(&world, &[draft(&world, 7)]).await;
                let mut tx = world.begin().await;
                tx.drafts().remove(&ClaimedDraft::from(&drafts[4].item)).await.unwrap();
                tx.commit().await.unwrap();
            }
        }
        let expected: Vec<i64> =
            if direction == Direction::Descending { expected.to_vec() } else { vec![1, 2, 3, 4, 6, 7] };
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn thread_drafts_are_its_replies_without_long_bodies() {
    let world = world().await;
    let reply = |number: i64, thread: i64| {
        let kind = DraftKind::Reply {
            in_reply_to: message_id("1"),
            thread_id: thread_id(thread),
            references: vec![message_id("1")],
        };
        let draft = draft(&world, number);
        Draft { item: DraftItem { kind, ..draft.item }, ..draft }
    };
    let long = Draft { text: Some("x".repeat(21)), ..reply(2, 1) };
    add(&world, &[reply(1, 1), long.clone(), reply(3, 2), draft(&world, 4)]).await;
    let of = async |limit| {
        let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
        world.store.drafts_of_thread(organization_id, inbox_id, thread_id(1), limit, 20).await.unwrap()
    };
    assert_eq!(of(10).await, [Draft { text: None, ..long.clone() }, reply(1, 1)]);
    assert_eq!(of(1).await, [Draft { text: None, ..long }]);
}

#[tokio::test]
async fn short_texts_are_read_without_html_and_by_organization() {
    let world = world().await;
    let with = |number, text: Option<&str>, html: Option<&str>| Draft {
        text: text.map(str::to_owned),
        html: html.map(str::to_owned),
        ..draft(&world, number)
    };
    let drafts = [
        with(1, Some("12345"), None),
        with(2, Some("123456"), None),
        with(3, Some("1"), Some("<p>")),
        with(4, None, None),
    ];
    add(&world, &drafts).await;
    let ids: Vec<DraftId> = (1..=5).map(draft_id).collect();
    let read = async |organization_id| {
        let mut found = world.store.short_draft_texts(organization_id, &ids, 5).await.unwrap();
        found.sort_by_key(|found| found.draft_id);
        found.into_iter().map(|found| (found.draft_id, found.revision, found.text)).collect::<Vec<_>>()
    };
    let expected = vec![(draft_id(1), 0, "12345".to_owned()), (draft_id(4), 0, String::new())];
    assert_eq!(read(world.organization_id()).await, expected);
    assert_eq!(read(Uuid::from_u128(99).into()).await, vec![]);
}

#[tokio::test]
async fn drafts_are_selected_by_state() {
    let world = world().await;
    let by = |number, connection_id: Option<u128>| {
        let updated_by = Actor::Member {
            member_id: Uuid::from_u128(7).into(),
            name: "Anna".to_owned(),
            email: "anna@example.org".to_owned(),
            connection_id: connection_id.map(|id| Uuid::from_u128(id).into()),
        };
        let draft = draft(&world, number);
        Draft { item: DraftItem { updated_by, ..draft.item }, ..draft }
    };
    let mut failed = scheduled(&world, 4, 50);
    failed.item.dispatch.has_failed = true;
    let mut relabelled = by(6, None);
    relabelled.item.agent = Some(author("Two"));
    let drafts = [draft(&world, 1), by(2, None), by(3, Some(8)), failed, scheduled(&world, 5, 60), relabelled];
    add(&world, &drafts).await;
    for (state, expected) in [
        (None, vec![6, 5, 4, 3, 2, 1]),
        (Some(DraftState::Unscheduled), vec![6, 3, 2, 1]),
        (Some(DraftState::Waiting), vec![6, 3, 1]),
        (Some(DraftState::Failed), vec![4]),
    ] {
        assert_eq!(listed(&world, &DraftQuery { state, ..query(&world) }).await.0, expected, "{state:?}");
    }
}
