//! Routing of mail to inboxes and return paths.

use super::*;

/// A domain with a pending record of its subdomains, or of itself.
fn waiting(organization: &Organization, number: u128, name: &str, purpose: RecordPurpose) -> Domain {
    let domain = domain(organization, number, name);
    let record = |purpose, status| DomainRecord { purpose, status, ..domain.records[0].clone() };
    let records = vec![record(RecordPurpose::Dkim, RecordStatus::Valid), record(purpose, RecordStatus::Missing)];
    Domain { status: DomainStatus::Pending, subdomains_enabled: true, records, ..domain }
}

#[tokio::test]
async fn domain_receives_mail_while_only_subdomain_record_is_missing() {
    let world = world().await;
    let whole = waiting(&world.organization, 1, "whole.example", RecordPurpose::WildcardMx);
    let partial = waiting(&world.organization, 2, "partial.example", RecordPurpose::Spf);
    for domain in [&whole, &partial] {
        add(&world, domain).await;
        assert!(claim(&world, domain).await);
    }
    let names = [whole.name.clone(), partial.name.clone()];
    let held = world.begin().await.domains().held(world.organization_id(), &names).await.unwrap();
    assert_eq!(held.len(), 2);
    for held in held {
        let DomainHolder::Own { domain_id, serves_name, .. } = held.holder else { panic!("{held:?}") };
        assert_eq!(serves_name, domain_id == whole.domain_id);
    }
    let asked = ["a@whole.example", "a@below.whole.example", "a@partial.example"].map(address);
    let homes = world.store.custom_homes(&asked).await.unwrap();
    assert_eq!(homes, [Locality::Claimed, Locality::Remote, Locality::Remote]);
}

#[tokio::test]
async fn return_path_uses_nearest_receiving_domain() {
    let world = world().await;
    let other = other(&world).await;
    let whole = waiting(&world.organization, 1, "whole.example", RecordPurpose::WildcardMx);
    let nearer = waiting(&world.organization, 2, "below.whole.example", RecordPurpose::WildcardMx);
    let partial = waiting(&world.organization, 3, "partial.below.whole.example", RecordPurpose::Spf);
    let theirs = waiting(&other, 4, "theirs.example", RecordPurpose::WildcardMx);
    for domain in [&whole, &nearer, &partial, &theirs] {
        add(&world, domain).await;
        assert!(claim(&world, domain).await);
    }
    add(&world, &waiting(&world.organization, 5, "unproven.example", RecordPurpose::WildcardMx)).await;
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
async fn address_on_foreign_domain_has_no_inbox() {
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
    assert_eq!(reached().await, [true; 4], "no domain is verified");
    assert!(claim(&world, &ours).await);
    assert_eq!(reached().await, [true; 4], "the domains belong to the organization");
    delete(&world, &ours).await;
    let (theirs, nearer) =
        (domain(&other, 2, "lost.example"), domain(&world.organization, 3, "kept.below.lost.example"));
    for domain in [&theirs, &nearer, &domain(&other, 4, "free.example"), &domain(&other, 5, "ee.example")] {
        add(&world, domain).await;
    }
    for domain in [&theirs, &nearer, &domain(&other, 5, "ee.example")] {
        assert!(claim(&world, domain).await);
    }
    assert_eq!(reached().await, [false, false, true, true], "the nearest verified name decides");
    let tagged = world.store.destinations(&[address("A+tag@Lost.example")]).await.unwrap();
    assert_eq!(tagged, [None]);
}

#[tokio::test]
async fn locality_of_address_follows_inbox_and_domain() {
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
    // An unverified claim of another organization does not count.
    add(&world, &domain(&other, 5, "unproven.example")).await;
    for address in ["a@example.com", "b@x.example.com", "c@example.net", "d@example.org", "e@whole.example"] {
        add_inbox(&world.store, &inbox(&world.organization, address)).await;
    }
    let gone = inbox(&world.organization, "f@example.com");
    add_inbox(&world.store, &gone).await;
    delete_inbox(&world.store, &gone).await;
    let asked = [
        ("A@Example.com", Locality::Local),
        ("a+tag@example.com", Locality::Local),
        ("b@x.example.com", Locality::Local),
        ("nobody@example.com", Locality::Remote),
        ("c@example.net", Locality::Remote),
        ("d@example.org", Locality::Remote),
        ("f@example.com", Locality::Remote),
        ("e+tag@whole.example", Locality::Local),
        ("nobody@whole.example", Locality::Claimed),
        ("nobody@below.whole.example", Locality::Claimed),
        ("nobody+tag@narrow.example", Locality::Claimed),
        ("nobody@below.narrow.example", Locality::Remote),
        ("nobody@notwhole.example", Locality::Remote),
        ("nobody@unproven.example", Locality::Remote),
    ];
    let addresses: Vec<_> = asked.iter().map(|(text, _)| address(text)).collect();
    let expected: Vec<Locality> = asked.iter().map(|(_, home)| *home).collect();
    assert_eq!(world.store.custom_homes(&addresses).await.unwrap(), expected);
    assert_eq!(world.store.custom_homes(&[]).await.unwrap(), []);
}
