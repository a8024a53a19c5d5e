//! Claims of domain names.

use super::*;

#[tokio::test]
async fn domain_conflicts_are_equal_inside_and_outside_unit_of_work() {
    let world = world().await;
    let other = other(&world).await;
    let mut first = domain(&world.organization, 1, "example.com");
    first.client_id = Some("one".to_owned());
    first.records = vec![];
    let second = domain(&world.organization, 2, "example.net");
    for domain in [&first, &second, &domain(&other, 3, "example.org")] {
        add(&world, domain).await;
    }
    delete(&world, &second).await;
    let asked = |name: &str, client_id: Option<&str>| AskedDomain {
        organization_id: world.organization_id(),
        name: DomainName::stored(name.to_owned()),
        client_id: client_id.map(str::to_owned),
        pod_id: None,
    };
    for (asked, same_name, of_client_id, has_pod) in [
        (asked("example.com", None), Some(first.domain_id), None, true),
        (asked("example.com", Some("one")), Some(first.domain_id), Some((first.clone(), true)), true),
        (asked("example.net", Some("two")), None, None, true),
        (asked("example.org", None), None, None, true),
        (AskedDomain { pod_id: Some(world.organization.default_pod_id), ..asked("a.org", None) }, None, None, true),
        (AskedDomain { pod_id: Some(other.default_pod_id), ..asked("a.org", None) }, None, None, false),
    ] {
        let standing = world.store.domain_standing(&asked).await.unwrap();
        assert_eq!((standing.live, standing.same_name, standing.has_pod), (1, same_name, has_pod), "{asked:?}");
        assert_eq!(standing.of_client_id, of_client_id);
        assert_eq!(world.begin().await.domains().standing(&asked).await.unwrap(), standing);
    }
    delete(&world, &first).await;
    let standing = world.store.domain_standing(&asked("example.com", Some("one"))).await.unwrap();
    assert_eq!((standing.live, standing.same_name), (0, None));
    assert!(standing.of_client_id.is_some_and(|(_, is_live)| !is_live), "a deleted one retains its client_id");
    let overview = world.store.overview(other.organization_id).await.unwrap().unwrap();
    assert_eq!(overview.domain_count, 1);
}

#[tokio::test]
async fn name_is_claimed_by_one_organization_at_a_time() {
    let world = world().await;
    let other = other(&world).await;
    let (ours, theirs) = (domain(&world.organization, 1, "example.com"), domain(&other, 2, "example.com"));
    for domain in [&ours, &theirs] {
        add(&world, domain).await;
    }
    assert!(claim(&world, &ours).await);
    assert!(claim(&world, &ours).await, "repeatedly");
    assert!(!claim(&world, &theirs).await);
    let mut tx = world.begin().await;
    tx.domains().release(&theirs).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!claim(&world, &theirs).await, "only the holder can release the name");
    delete(&world, &ours).await;
    assert!(claim(&world, &theirs).await);
}

#[tokio::test]
async fn domain_is_locked_with_holder_of_its_name() {
    let world = world().await;
    let other = other(&world).await;
    let strip = |domain: Domain| Domain { records: vec![], ..domain };
    let ours = strip(domain(&world.organization, 1, "example.com"));
    let theirs = strip(domain(&other, 2, "example.com"));
    let stranger = strip(domain(&other, 3, "example.net"));
    for domain in [&ours, &theirs, &stranger] {
        add(&world, domain).await;
    }
    let locked = async |domain: &Domain| {
        let mut tx = world.begin().await;
        tx.domains().lock_with_holder(domain.organization_id, domain.domain_id).await.unwrap()
    };
    assert!(claim(&world, &stranger).await);
    assert_eq!(locked(&ours).await, Some((ours.clone(), None)), "the name is free");
    assert!(claim(&world, &theirs).await);
    assert_eq!(locked(&ours).await, Some((ours.clone(), Some(theirs.clone()))));
    assert_eq!(locked(&theirs).await, Some((theirs.clone(), None)), "the organization holds it");
    let foreign = Domain { organization_id: other.organization_id, ..ours.clone() };
    assert_eq!(locked(&foreign).await, None);

    let mut first = world.begin().await;
    first.domains().lock_with_holder(ours.organization_id, ours.domain_id).await.unwrap();
    let (store, held) = (world.store.clone(), theirs.clone());
    let second = tokio::spawn(async move {
        let mut tx = inboxd_core::ports::Store::begin(&store).await.unwrap();
        tx.domains().lock(held.organization_id, held.domain_id).await.unwrap()
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(!second.is_finished(), "the lock waits");
    first.commit().await.unwrap();
    assert_eq!(second.await.unwrap(), Some(theirs.clone()));
    delete(&world, &theirs).await;
    assert_eq!(locked(&ours).await, Some((ours, None)));
}

#[tokio::test]
async fn concurrent_claim_of_name_waits() {
    let world = world().await;
    let other = other(&world).await;
    let (ours, theirs) = (domain(&world.organization, 1, "example.com"), domain(&other, 2, "example.com"));
    let mut first = world.begin().await;
    assert!(first.domains().claim(&ours).await.unwrap());
    let store = world.store.clone();
    let second = tokio::spawn(async move {
        let mut tx = inboxd_core::ports::Store::begin(&store).await.unwrap();
        tx.domains().claim(&theirs).await.unwrap()
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(!second.is_finished(), "the lock waits");
    first.commit().await.unwrap();
    assert!(!second.await.unwrap());
}

#[tokio::test]
async fn holder_of_name_or_parent_name_is_found() {
    let world = world().await;
    let other = other(&world).await;
    let pending = Domain { status: DomainStatus::Pending, ..domain(&world.organization, 1, "a.example.com") };
    let foreign = domain(&other, 2, "example.com");
    let unproven = domain(&other, 3, "b.example.com");
    for domain in [&pending, &foreign, &unproven] {
        add(&world, domain).await;
    }
    claim(&world, &foreign).await;
    let names = ["a.example.com", "b.example.com", "example.com"].map(|name| DomainName::stored(name.to_owned()));
    let mut held = world.begin().await.domains().held(world.organization_id(), &names).await.unwrap();
    held.sort_by(|one, other| one.name.cmp(&other.name));
    let own = DomainHolder::Own {
        domain_id: pending.domain_id,
        pod_id: None,
        status: DomainStatus::Pending,
        serves_name: false,
        subdomains_enabled: false,
    };
    let expected = [
        HeldDomain { name: pending.name, holder: own },
        HeldDomain { name: foreign.name, holder: DomainHolder::Other },
    ];
    assert_eq!(held, expected);
}

#[tokio::test]
async fn database_enforces_unique_name_within_organization() {
    let world = world().await;
    let first = domain(&world.organization, 1, "example.com");
    add(&world, &first).await;
    let again = domain(&world.organization, 2, "example.com");
    assert!(world.begin().await.domains().insert(&again, b"sealed").await.is_err());
    delete(&world, &first).await;
    add(&world, &again).await;
}
