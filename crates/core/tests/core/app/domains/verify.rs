use inboxd_core::app::domains::verify;
use inboxd_core::model::domain::{Domain, DomainStatus, RecordStatus};
use inboxd_core::model::{Caller, Event, EventBody, EventType, Permission, Reach};
use inboxd_core::ports::{Lookup, MxHost};
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, StubDns, World};
use inboxd_core::{Error, Resource};

use super::{expect_update, locks_domain};
use crate::app::permissions;

/// A DNS in which every record of the domain stands.
fn published() -> StubDns {
    fixtures::domain().records.iter().fold(StubDns::default(), |dns, record| match record.priority {
        Some(preference) => {
            let host = MxHost { preference, host: record.value.clone() };
            dns.with_mx(&record.name, Lookup::Found(vec![host]))
        }
        None => dns.with_txt(&record.name, Lookup::Found(vec![record.value.clone()])),
    })
}

/// What verifying makes of a domain in this DNS, whose name is free or taken, and the events it appends.
async fn verified(before: Domain, dns: StubDns, is_free: bool) -> (Domain, Vec<Event>, usize) {
    let mut world = World::default();
    world.dns = dns;
    let found = before.clone();
    world.store.expect_domain().return_once(move |_, _| Ok(Some(found)));
    let (events, released) = (Captured::<Vec<Event>>::default(), Captured::<Domain>::default());
    let (seen, lost) = (events.clone(), released.clone());
    let tx = world.unit_of_work();
    locks_domain(tx, before);
    tx.domains.expect_claim().times(..=1).returning(move |_| Ok(is_free));
    tx.domains.expect_release().times(..=1).returning(move |domain| {
        lost.push(domain.clone());
        Ok(())
    });
    tx.events.expect_append().times(..=1).returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    let updated = expect_update(tx);
    let journal = world.journal.clone();
    let answered = verify(&world.app(), &fixtures::caller(), id(30)).await.unwrap();
    assert_eq!((updated.only(), journal.commits()), (answered.clone(), 1));
    (answered, events.all().concat(), released.all().len())
}

#[tokio::test]
async fn a_domain_becomes_verified_once_and_its_event_is_appended_then() {
    let (first, events, released) = verified(fixtures::domain(), published(), true).await;
    assert_eq!((first.status, first.verified_at, released), (DomainStatus::Verified, Some(NOW), 0));
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((event.event_type, event.created_at), (EventType::DomainVerified, NOW));
    assert_eq!((event.pod_id, &event.inbox_id, event.thread_id, &event.message_id), (None, &None, None, &None));
    assert_eq!(event.body, EventBody::Domain { domain: Box::new(first.clone()) });
    let (again, events, _) = verified(first, published(), true).await;
    assert_eq!((again.status, events.len()), (DomainStatus::Verified, 0));
}

#[tokio::test]
async fn a_name_that_another_organization_has_verified_stays_invalid_with_its_reason() {
    let (domain, events, released) = verified(fixtures::domain(), published(), false).await;
    assert_eq!((domain.status, events.len(), released), (DomainStatus::Invalid, 0, 0));
    let dkim = domain.records.iter().find(|record| record.name.contains("_domainkey")).unwrap();
    assert_eq!(dkim.status, RecordStatus::Invalid);
    assert!(dkim.reason.as_deref().unwrap().starts_with("verified_elsewhere: "));
}

#[tokio::test]
async fn a_time_out_never_turns_valid_into_missing() {
    let silent = || Lookup::Failed("no answer in time".to_owned());
    let (verified_before, ..) = verified(fixtures::domain(), published(), true).await;
    let dns = StubDns::default()
        .with_mx("example.com", Lookup::Failed("no answer in time".to_owned()))
        .with_txt("example.com", silent())
        .with_txt("inboxd._domainkey.example.com", silent())
        .with_txt("_dmarc.example.com", silent());
    let (after, events, released) = verified(verified_before, dns.clone(), true).await;
    assert_eq!((after.status, events.len(), released), (DomainStatus::Verified, 0, 0));
    assert!(after.records.iter().all(|record| record.status == RecordStatus::Valid));
    let (unknown, _, released) = verified(fixtures::domain(), dns, true).await;
    assert_eq!((unknown.status, released), (DomainStatus::Verifying, 0));
}

#[tokio::test]
async fn who_no_longer_publishes_the_key_lets_the_name_go() {
    let (verified_before, ..) = verified(fixtures::domain(), published(), true).await;
    let dns = published().with_txt("inboxd._domainkey.example.com", Lookup::Absent);
    let (after, _, released) = verified(verified_before, dns, true).await;
    assert_eq!((after.status, released), (DomainStatus::Pending, 1));
}

#[tokio::test]
async fn scope_and_permission_come_before_the_domain() {
    let mute = Caller { permissions: permissions(&["domain_read"]), ..fixtures::caller() };
    for caller in [mute, fixtures::inbox_caller()] {
        let refused = verify(&World::default().app(), &caller, id(30)).await;
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::DomainUpdate))));
    }
    let mut world = World::default();
    world.store.expect_domain().return_once(|_, _| Ok(None));
    let missing = verify(&world.app(), &fixtures::caller(), id(31)).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Domain, .. })));
    let mut world = World::default();
    world.store.expect_domain().return_once(|_, _| Ok(Some(fixtures::domain())));
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    assert!(matches!(verify(&world.app(), &pod, id(30)).await, Err(Error::NotFound { .. })));
}
