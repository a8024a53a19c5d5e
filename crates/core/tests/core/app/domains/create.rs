use inboxd_core::app::domains::NewDomain;
use inboxd_core::model::{Caller, Domain, DomainStatus, Organization, Permission, Plan, PodId, Reach, Scope};
use inboxd_core::ports::Standing;
use inboxd_core::testing::fixtures::{self, id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, LimitReached, Resource};

use super::create;
use crate::app::{locks, paths, permissions};

fn new(domain: &str) -> NewDomain {
    NewDomain {
        domain: domain.to_owned(),
        pod_id: None,
        client_id: None,
        feedback_enabled: true,
        subdomains_enabled: false,
        inbound_enabled: true,
        catch_all_inbox_id: None,
    }
}

fn nothing() -> Standing {
    Standing { live: 0, same_name: None, of_client_id: None, has_pod: true }
}

/// An environment with these conflicts of the domain, before and after the organization is locked.
fn world(at_first: Standing, under_lock: Option<(Organization, Standing)>) -> World {
    let mut world = World::default();
    world.store.expect_domain_standing().times(..=1).return_once(move |_| Ok(at_first));
    if let Some((organization, standing)) = under_lock {
        let tx = world.unit_of_work();
        locks(tx, organization);
        tx.domains.expect_standing().once().return_once(move |_| Ok(standing));
    }
    world
}

#[tokio::test]
async fn new_domain_has_records_and_encrypted_key() {
    let mut world = world(nothing(), Some((fixtures::organization(), nothing())));
    let stored = Captured::<(Domain, Vec<u8>)>::default();
    let seen = stored.clone();
    world.last_unit_of_work().domains.expect_insert().once().returning(move |domain, sealed| {
        seen.push((domain.clone(), sealed.to_vec()));
        Ok(())
    });
    let journal = world.journal.clone();
    let made = create(&world.app(), &fixtures::caller(), &Scope::Organization, new("Example.COM.")).await.unwrap();
    let (domain, sealed) = stored.only();
    assert_eq!((domain, journal.commits()), (made.clone(), 1));
    assert_eq!((made.name.as_str(), made.status), ("example.com", DomainStatus::NotStarted));
    assert_eq!(made.records, fixtures::domain().records, "the record contains the public key");
    let context = [b"sealed for ", made.domain_id.0.as_bytes().as_slice(), b": private"].concat();
    assert_eq!(sealed, context, "the private key is encrypted for this domain");
}

#[tokio::test]
async fn domain_cap_is_checked_under_lock_before_key_generation() {
    let one = || Standing { live: 1, ..nothing() };
    let full = create(&world(one(), None).app(), &fixtures::caller(), &Scope::Organization, new("example.com")).await;
    let reached = |error: &Error| matches!(error, Error::LimitReached { which: LimitReached::Domains, limit: 1, .. });
    assert!(full.as_ref().is_err_and(reached), "{full:?}");
    let race = world(nothing(), Some((fixtures::organization(), one())));
    let lost = create(&race.app(), &fixtures::caller(), &Scope::Organization, new("example.com")).await;
    assert!(lost.as_ref().is_err_and(reached), "{lost:?}");
}

#[tokio::test]
async fn unverified_organization_creates_no_domain() {
    let caller = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let refused = create(&world(nothing(), None).app(), &caller, &Scope::Organization, new("example.com")).await;
    assert!(matches!(refused, Err(Error::LimitReached { limit: 0, verified: false, .. })));
}

#[tokio::test]
async fn domain_is_unique_within_organization() {
    let rich = Caller {
        organization: Organization { plan: Plan::Enterprise, ..fixtures::organization() },
        ..fixtures::caller()
    };
    let there = Standing { live: 1, same_name: Some(id(30)), ..nothing() };
    let refused = create(&world(there, None).app(), &rich, &Scope::Organization, new("example.com")).await;
    let expected = fixtures::domain().domain_id.to_string();
    assert!(matches!(refused, Err(Error::AlreadyExists { resource: Resource::Domain, id, .. }) if id == expected));
}

#[tokio::test]
async fn repeated_client_id_returns_original_domain() {
    let again = NewDomain { client_id: Some("one".to_owned()), ..new("other.com") };
    let table = [(fixtures::caller(), true, true), (fixtures::caller(), false, false)];
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, is_live, answers) in table.into_iter().chain([(pod, true, false)]) {
        let standing = Standing { live: 1, of_client_id: Some((fixtures::domain(), is_live)), ..nothing() };
        match create(&world(standing, None).app(), &caller, &Scope::Organization, again.clone()).await {
            Ok(original) => assert!(answers && original == fixtures::domain()),
            Err(Error::ClientIdSpent(client_id)) => assert!(!answers && client_id == "one"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn unusable_domain_fields_are_named() {
    let bad = NewDomain { client_id: Some("a b".to_owned()), pod_id: Some("x".to_owned()), ..new("192.0.2.1") };
    let refused = create(&World::default().app(), &fixtures::caller(), &Scope::Organization, bad).await;
    assert_eq!(paths(refused.unwrap_err()), ["domain", "client_id", "pod_id"]);
    let ours =
        create(&World::default().app(), &fixtures::caller(), &Scope::Organization, new("a.inboxd.example")).await;
    assert_eq!(paths(ours.unwrap_err()), ["domain"]);
    let no_pod = Standing { has_pod: false, ..nothing() };
    let asked = NewDomain { pod_id: Some(id::<PodId>(99).to_string()), ..new("example.com") };
    let refused = create(&world(no_pod, None).app(), &fixtures::caller(), &Scope::Organization, asked).await;
    assert_eq!(paths(refused.unwrap_err()), ["pod_id"]);
}

#[tokio::test]
async fn domain_creation_checks_scope_and_permission_first() {
    let mute = Caller { permissions: permissions(&["domain_read"]), ..fixtures::caller() };
    for caller in [mute, fixtures::inbox_caller()] {
        let refused = create(&World::default().app(), &caller, &Scope::Organization, new("")).await;
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::DomainCreate))));
    }
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let elsewhere = NewDomain { pod_id: Some(id::<PodId>(3).to_string()), ..new("example.com") };
    assert!(matches!(
        create(&World::default().app(), &pod, &Scope::Organization, elsewhere).await,
        Err(Error::PodOutOfScope)
    ));
}
