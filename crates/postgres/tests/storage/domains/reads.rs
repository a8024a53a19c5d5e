//! Stored rows, counts and pages.

use super::*;

#[tokio::test]
async fn domain_survives_round_trip_within_its_organization() {
    let world = world().await;
    let stored = Domain {
        pod_id: Some(world.organization.default_pod_id),
        client_id: Some("one".to_owned()),
        verified_at: Some(at(3)),
        ..domain(&world.organization, 1, "example.com")
    };
    add(&world, &stored).await;
    let read = world.store.domain(world.organization_id(), stored.domain_id).await.unwrap().unwrap();
    assert_eq!(read.records[0].found.as_deref(), Some("a\u{fffd}b"));
    assert_eq!(Domain { records: stored.records.clone(), ..read.clone() }, stored);
    let foreign = organization(2, "other@example.org").organization_id;
    assert_eq!(world.store.domain(foreign, stored.domain_id).await.unwrap(), None);

    let mut tx = world.begin().await;
    let locked = tx.domains().lock(world.organization_id(), stored.domain_id).await.unwrap();
    assert_eq!(locked, Some(read.clone()));
    assert_eq!(tx.domains().lock(foreign, stored.domain_id).await.unwrap(), None);
    let changed = Domain {
        status: DomainStatus::Failed,
        feedback_enabled: false,
        subdomains_enabled: true,
        records: vec![],
        verified_at: Some(at(4)),
        updated_at: at(5),
        ..read
    };
    tx.domains().update(&changed).await.unwrap();
    let gone = Domain { domain_id: DomainId::from(Uuid::from_u128(99)), ..changed.clone() };
    assert_eq!(tx.domains().update(&gone).await, Err(StoreError::Contention));
    tx.commit().await.unwrap();
    assert_eq!(world.store.domain(world.organization_id(), stored.domain_id).await.unwrap(), Some(changed));
}

#[tokio::test]
async fn inboxes_of_domain_are_counted_with_subdomains() {
    let world = world().await;
    let (apex, below) =
        (domain(&world.organization, 1, "example.com"), domain(&world.organization, 2, "mail.example.com"));
    for domain in [&apex, &below] {
        add(&world, domain).await;
    }
    let addresses =
        ["a@example.com", "b@x.example.com", "c@mail.example.com", "d@y.mail.example.com", "e@notexample.com"];
    for address in addresses {
        add_inbox(&world.store, &inbox(&world.organization, address)).await;
    }
    let gone = inbox(&world.organization, "f@example.com");
    add_inbox(&world.store, &gone).await;
    delete_inbox(&world.store, &gone).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.domains().count_inboxes(&apex).await.unwrap(), 2);
    assert_eq!(tx.domains().count_inboxes(&below).await.unwrap(), 2);
    assert_eq!(tx.domains().count_inboxes(&domain(&world.organization, 3, "le.com")).await.unwrap(), 0);
}

#[tokio::test]
async fn domain_pages_handle_equal_times_and_omit_deleted_domains() {
    let world = world().await;
    let other = other(&world).await;
    let mut all = Vec::new();
    for number in 1..=7 {
        let name = format!("d{number}.example.com");
        let pod_id = (number % 2 == 0).then_some(world.organization.default_pod_id);
        let created_at = at(i64::try_from(number / 4).unwrap());
        let stored = Domain { pod_id, created_at, records: vec![], ..domain(&world.organization, number, &name) };
        add(&world, &stored).await;
        all.push(stored);
    }
    add(&world, &domain(&other, 50, "example.org")).await;
    delete(&world, &all.remove(2)).await;
    for direction in [Direction::Ascending, Direction::Descending] {
        for pod_id in [None, Some(world.organization.default_pod_id)] {
            let mut page = PageRequest { limit: 2, after: None, direction };
            let mut seen = Vec::new();
            loop {
                let (organization_id, page_now) = (world.organization_id(), page.clone());
                let query = DomainQuery { organization_id, pod_id, of_inboxes: None, page: page_now };
                let found = world.store.list_domains(&query).await.unwrap();
                seen.extend(found.items);
                page.after = found.next;
                if page.after.is_none() {
                    break;
                }
            }
            if direction == Direction::Descending {
                seen.reverse();
            }
            let expected: Vec<_> =
                all.iter().filter(|domain| pod_id.is_none() || domain.pod_id == pod_id).cloned().collect();
            assert_eq!(seen, expected);
        }
    }
}

#[tokio::test]
async fn domains_of_inboxes_are_those_of_their_pods_and_of_organization() {
    let world = world().await;
    let other_pod = Uuid::from_u128(77).into();
    add_pod(&world, other_pod).await;
    let pods = [None, Some(world.organization.default_pod_id), Some(other_pod)];
    for (number, pod_id) in (1..).zip(pods) {
        let created_at = at(i64::try_from(number).unwrap());
        let name = format!("d{number}.example.com");
        add(&world, &Domain { pod_id, created_at, ..domain(&world.organization, number, &name) }).await;
    }
    let names = async |of_inboxes: &[&InboxId]| {
        let query = DomainQuery {
            organization_id: world.organization_id(),
            pod_id: None,
            of_inboxes: Some(of_inboxes.iter().map(|&inbox_id| inbox_id.clone()).collect()),
            page: PageRequest { direction: Direction::Ascending, ..PageRequest::default() },
        };
        let found = world.store.list_domains(&query).await.unwrap().items;
        found.iter().map(|domain| domain.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[world.inbox_id()]).await, ["d1.example.com", "d2.example.com"]);
    assert_eq!(names(&[]).await, ["d1.example.com"]);
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(names(&[world.inbox_id()]).await, ["d1.example.com"]);
}
