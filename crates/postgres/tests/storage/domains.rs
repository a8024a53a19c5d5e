use inboxd_core::model::domain::{DomainRecord, Purpose, RecordStatus};
use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{Domain, DomainId, DomainName, DomainStatus, Home, InboxId, Organization};
use inboxd_core::ports::{
    AccountReads, AskedDomain, DomainQuery, DomainReads, InboxReads, ReturnPathReads, StoreError,
};
use inboxd_core::rules::domains::minting::{HeldDomain, Holder};
use uuid::Uuid;

use crate::support::*;

pub(crate) fn domain(organization: &Organization, number: u128, name: &str) -> Domain {
    let record = DomainRecord {
        purpose: Purpose::Mx,
        name: name.to_owned(),
        value: "mx.agents.example".to_owned(),
        status: RecordStatus::Invalid,
        priority: Some(10),
        reason: Some("value_mismatch: no".to_owned()),
        found: Some("a\0b".to_owned()),
    };
    Domain {
        organization_id: organization.organization_id,
        domain_id: Uuid::from_u128(number).into(),
        pod_id: None,
        client_id: None,
        name: DomainName::stored(name.to_owned()),
        status: DomainStatus::Verified,
        feedback_enabled: true,
        subdomains_enabled: false,
        inbound_enabled: true,
        catch_all_inbox_id: None,
        records: vec![record],
        verified_at: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

async fn add(world: &World, domain: &Domain) {
    let mut tx = world.begin().await;
    tx.domains().insert(domain, b"sealed").await.unwrap();
    tx.commit().await.unwrap();
}

async fn claim(world: &World, domain: &Domain) -> bool {
    let mut tx = world.begin().await;
    let is_ours = tx.domains().claim(domain).await.unwrap();
    tx.commit().await.unwrap();
    is_ours
}

async fn delete(world: &World, domain: &Domain) {
    let mut tx = world.begin().await;
    tx.domains().delete(domain, at(9)).await.unwrap();
    tx.commit().await.unwrap();
}

async fn other(world: &World) -> Organization {
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    other
}

#[tokio::test]
async fn a_domain_is_read_back_as_it_was_stored_by_its_own_organization_alone() {
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
async fn what_stands_against_a_domain_is_the_same_inside_and_outside_a_unit_of_work() {
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
    assert!(standing.of_client_id.is_some_and(|(_, is_live)| !is_live), "a deleted one keeps its client_id");
    let overview = world.store.overview(other.organization_id).await.unwrap().unwrap();
    assert_eq!(overview.domain_count, 1);
}

#[tokio::test]
async fn a_name_is_proven_to_be_one_organizations_at_a_time() {
    let world = world().await;
    let other = other(&world).await;
    let (ours, theirs) = (domain(&world.organization, 1, "example.com"), domain(&other, 2, "example.com"));
    for domain in [&ours, &theirs] {
        add(&world, domain).await;
    }
    assert!(claim(&world, &ours).await);
    assert!(claim(&world, &ours).await, "again and again");
    assert!(!claim(&world, &theirs).await);
    let mut tx = world.begin().await;
    tx.domains().release(&theirs).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!claim(&world, &theirs).await, "nobody lets go of what is another's");
    delete(&world, &ours).await;
    assert!(claim(&world, &theirs).await);
}

#[tokio::test]
async fn a_domain_is_locked_with_whoever_holds_its_name() {
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
    assert_eq!(locked(&ours).await, Some((ours.clone(), None)), "nobody holds it");
    assert!(claim(&world, &theirs).await);
    assert_eq!(locked(&ours).await, Some((ours.clone(), Some(theirs.clone()))));
    assert_eq!(locked(&theirs).await, Some((theirs.clone(), None)), "they hold it themselves");
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
    assert!(!second.is_finished(), "it waits");
    first.commit().await.unwrap();
    assert_eq!(second.await.unwrap(), Some(theirs.clone()));
    delete(&world, &theirs).await;
    assert_eq!(locked(&ours).await, Some((ours, None)));
}

#[tokio::test]
async fn who_claims_a_name_at_the_same_moment_waits_for_the_other() {
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
    assert!(!second.is_finished(), "it waits");
    first.commit().await.unwrap();
    assert!(!second.await.unwrap());
}

#[tokio::test]
async fn who_has_a_name_or_one_above_it() {
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
    let own = Holder::Own {
        domain_id: pending.domain_id,
        pod_id: None,
        status: DomainStatus::Pending,
        serves_name: false,
        subdomains_enabled: false,
    };
    let expected =
        [HeldDomain { name: pending.name, holder: own }, HeldDomain { name: foreign.name, holder: Holder::Other }];
    assert_eq!(held, expected);
}

/// A domain that waits for the record of its subdomains alone, or for one of its own.
fn waiting(organization: &Organization, number: u128, name: &str, purpose: Purpose) -> Domain {
    let domain = domain(organization, number, name);
    let record = |purpose, status| DomainRecord { purpose, status, ..domain.records[0].clone() };
    let records = vec![record(Purpose::Dkim, RecordStatus::Valid), record(purpose, RecordStatus::Missing)];
    Domain { status: DomainStatus::Pending, subdomains_enabled: true, records, ..domain }
}

#[tokio::test]
async fn a_domain_serves_its_own_name_while_only_the_record_of_its_subdomains_is_missing() {
    let world = world().await;
    let whole = waiting(&world.organization, 1, "whole.example", Purpose::WildcardMx);
    let partial = waiting(&world.organization, 2, "partial.example", Purpose::Spf);
    for domain in [&whole, &partial] {
        add(&world, domain).await;
        assert!(claim(&world, domain).await);
    }
    let names = [whole.name.clone(), partial.name.clone()];
    let held = world.begin().await.domains().held(world.organization_id(), &names).await.unwrap();
    assert_eq!(held.len(), 2);
    for held in held {
        let Holder::Own { domain_id, serves_name, .. } = held.holder else { panic!("{held:?}") };
        assert_eq!(serves_name, domain_id == whole.domain_id);
    }
    let asked = ["a@whole.example", "a@below.whole.example", "a@partial.example"].map(address);
    let homes = world.store.custom_homes(&asked).await.unwrap();
    assert_eq!(homes, [Home::Claimed, Home::Elsewhere, Home::Elsewhere]);
}

#[tokio::test]
async fn reports_come_back_to_the_nearest_domain_that_serves_its_name() {
    let world = world().await;
    let other = other(&world).await;
    let whole = waiting(&world.organization, 1, "whole.example", Purpose::WildcardMx);
    let nearer = waiting(&world.organization, 2, "below.whole.example", Purpose::WildcardMx);
    let partial = waiting(&world.organization, 3, "partial.below.whole.example", Purpose::Spf);
    let theirs = waiting(&other, 4, "theirs.example", Purpose::WildcardMx);
    for domain in [&whole, &nearer, &partial, &theirs] {
        add(&world, domain).await;
        assert!(claim(&world, domain).await);
    }
    add(&world, &waiting(&world.organization, 5, "unproven.example", Purpose::WildcardMx)).await;
    for (name, expected) in [
        ("whole.example", Some("whole.example")),
        ("far.whole.example", Some("whole.example")),
        ("below.whole.example", Some("below.whole.example")),
        ("partial.below.whole.example", Some("below.whole.example")),
        ("theirs.example", None),
        ("unproven.example", None),
        ("nobodys.example", None),
    ] {
        let names = DomainName::stored(name.to_owned()).with_parents();
        let found = world.store.served_domain(world.organization_id(), &names).await.unwrap();
        assert_eq!(found.as_ref().map(DomainName::as_str), expected, "{name}");
    }
}

#[tokio::test]
async fn no_address_leads_to_an_inbox_on_a_domain_that_is_anothers() {
    let world = world().await;
    let other = other(&world).await;
    let addresses = ["a@lost.example", "b@below.lost.example", "c@kept.below.lost.example", "d@free.example"];
    for address in addresses {
        add_inbox(&world.store, &inbox(&world.organization, address)).await;
    }
    let reached = async || {
        let asked = addresses.map(address);
        let found = world.store.destinations(&asked).await.unwrap();
        found.iter().map(Option::is_some).collect::<Vec<_>>()
    };
    let ours = domain(&world.organization, 1, "lost.example");
    add(&world, &ours).await;
    assert_eq!(reached().await, [true; 4], "nobody has proven anything");
    assert!(claim(&world, &ours).await);
    assert_eq!(reached().await, [true; 4], "they are our own");
    delete(&world, &ours).await;
    let (theirs, nearer) =
        (domain(&other, 2, "lost.example"), domain(&world.organization, 3, "kept.below.lost.example"));
    for domain in [&theirs, &nearer, &domain(&other, 4, "free.example"), &domain(&other, 5, "ee.example")] {
        add(&world, domain).await;
    }
    for domain in [&theirs, &nearer, &domain(&other, 5, "ee.example")] {
        assert!(claim(&world, domain).await);
    }
    assert_eq!(reached().await, [false, false, true, true], "the nearest proven name decides");
    let tagged = world.store.destinations(&[address("A+tag@Lost.example")]).await.unwrap();
    assert_eq!(tagged, [None]);
}

#[tokio::test]
async fn the_live_inboxes_of_a_domain_are_counted_on_it_and_below_it() {
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
async fn the_home_of_an_address_is_known_by_its_inbox_and_by_its_domain() {
    let world = world().await;
    let other = other(&world).await;
    let (ours, theirs) = (domain(&world.organization, 1, "example.com"), domain(&other, 2, "example.net"));
    let whole = Domain { subdomains_enabled: true, ..domain(&world.organization, 3, "whole.example") };
    let narrow = domain(&world.organization, 4, "narrow.example");
    let (ours, theirs) = [ours, theirs].map(|domain| Domain { status: DomainStatus::Invalid, ..domain }).into();
    for domain in [&ours, &theirs, &whole, &narrow] {
        add(&world, domain).await;
        claim(&world, domain).await;
    }
    // Somebody else's word for it counts for nothing until it is proven.
    add(&world, &domain(&other, 5, "unproven.example")).await;
    for address in ["a@example.com", "b@x.example.com", "c@example.net", "d@example.org", "e@whole.example"] {
        add_inbox(&world.store, &inbox(&world.organization, address)).await;
    }
    let gone = inbox(&world.organization, "f@example.com");
    add_inbox(&world.store, &gone).await;
    delete_inbox(&world.store, &gone).await;
    let asked = [
        ("A@Example.com", Home::Here),
        ("a+tag@example.com", Home::Here),
        ("b@x.example.com", Home::Here),
        ("nobody@example.com", Home::Elsewhere),
        ("c@example.net", Home::Elsewhere),
        ("d@example.org", Home::Elsewhere),
        ("f@example.com", Home::Elsewhere),
        ("e+tag@whole.example", Home::Here),
        ("nobody@whole.example", Home::Claimed),
        ("nobody@below.whole.example", Home::Claimed),
        ("nobody+tag@narrow.example", Home::Claimed),
        ("nobody@below.narrow.example", Home::Elsewhere),
        ("nobody@notwhole.example", Home::Elsewhere),
        ("nobody@unproven.example", Home::Elsewhere),
    ];
    let addresses: Vec<_> = asked.iter().map(|(text, _)| address(text)).collect();
    let expected: Vec<Home> = asked.iter().map(|(_, home)| *home).collect();
    assert_eq!(world.store.custom_homes(&addresses).await.unwrap(), expected);
    assert_eq!(world.store.custom_homes(&[]).await.unwrap(), []);
}

#[tokio::test]
async fn pages_follow_each_other_through_equal_times_and_leave_out_what_is_deleted() {
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
async fn the_domains_of_some_inboxes_are_those_of_their_pods_and_of_none() {
    let world = world().await;
    let pods = [None, Some(world.organization.default_pod_id), Some(Uuid::from_u128(77).into())];
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

#[tokio::test]
async fn the_database_keeps_a_name_once_an_organization_whatever_the_program_does() {
    let world = world().await;
    let first = domain(&world.organization, 1, "example.com");
    add(&world, &first).await;
    let again = domain(&world.organization, 2, "example.com");
    assert!(world.begin().await.domains().insert(&again, b"sealed").await.is_err());
    delete(&world, &first).await;
    add(&world, &again).await;
}
