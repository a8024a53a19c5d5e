use inboxd_core::model::domain::{Domain, DomainRecord, DomainStatus, Purpose, RecordStatus};
use inboxd_core::model::{Caller, DkimKey, Event, EventBody, EventType, KeyState, Permission, Reach, Scope};
use inboxd_core::ports::{Lookup, MxHost};
use inboxd_core::rules::domains::rotation;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, MockTx, StubDns, World};
use inboxd_core::{Error, Resource};

use super::{expect_update, verify};
use crate::app::permissions;

/// The domain and the holder of its name are there to be locked.
fn locks_both(tx: &mut MockTx, domain: Domain, holder: Option<Domain>) {
    tx.domains.expect_lock_with_holder().once().return_once(move |_, _| Ok(Some((domain, holder))));
}

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

/// What verifying makes of a domain in this DNS, the events it appends, and how often it lets its name go.
async fn verified(before: Domain, dns: StubDns) -> (Domain, Vec<Event>, usize) {
    verified_meanwhile(before.clone(), before, dns, Vec::new()).await
}

/// The same, where the domain has these keys, and changed while DNS was asked.
async fn verified_meanwhile(
    found: Domain,
    before: Domain,
    dns: StubDns,
    keys: Vec<DkimKey>,
) -> (Domain, Vec<Event>, usize) {
    let mut world = World::default();
    world.dns = dns;
    world.store.expect_dkim_keys().returning(move |_, _| Ok(keys.clone()));
    world.store.expect_domain().return_once(move |_, _| Ok(Some(found)));
    let (events, released) = (Captured::<Vec<Event>>::default(), Captured::<Domain>::default());
    let (seen, lost) = (events.clone(), released.clone());
    let tx = world.unit_of_work();
    locks_both(tx, before, None);
    tx.domains.expect_claim().times(..=1).returning(|_| Ok(true));
    tx.domains.expect_release().times(..=1).returning(move |domain| {
        lost.push(domain.clone());
        Ok(())
    });
    tx.domains.expect_promote_dkim_key().times(..=1).returning(|_, _| Ok(()));
    tx.events.expect_append().times(..=1).returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    let updated = expect_update(tx);
    let journal = world.journal.clone();
    let answered = verify(&world.app(), &fixtures::caller(), &Scope::Organization, id(30)).await.unwrap();
    assert_eq!((updated.only(), journal.commits()), (answered.clone(), 1));
    (answered, events.all().concat(), released.all().len())
}

#[tokio::test]
async fn a_domain_becomes_verified_once_and_its_event_is_appended_then() {
    let (first, events, released) = verified(fixtures::domain(), published()).await;
    assert_eq!((first.status, first.verified_at, released), (DomainStatus::Verified, Some(NOW), 0));
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((event.event_type, event.created_at), (EventType::DomainVerified, NOW));
    assert_eq!((event.pod_id, &event.inbox_id, event.thread_id, &event.message_id), (None, &None, None, &None));
    assert_eq!(event.body, EventBody::Domain { domain: Box::new(first.clone()) });
    let (again, events, _) = verified(first, published()).await;
    assert_eq!((again.status, events.len()), (DomainStatus::Verified, 0));
}

/// The same domain of another organization, verified in all its records, with this key.
fn holder(key: &str) -> Domain {
    let domain = fixtures::domain();
    let record = |record: DomainRecord| match record.purpose {
        Purpose::Dkim => DomainRecord { status: RecordStatus::Valid, value: key.to_owned(), ..record },
        _ => DomainRecord { status: RecordStatus::Valid, ..record },
    };
    let records = domain.records.into_iter().map(record).collect();
    let status = DomainStatus::Verified;
    Domain { organization_id: id(9), domain_id: id(39), status, records, verified_at: Some(NOW), ..domain }
}

/// What verifying makes of the domain while this one holds its name: of both, and whether the name changed hands.
async fn contested(holder: Domain, dns: StubDns) -> (Domain, Option<Domain>, bool) {
    let mut world = World::default();
    world.dns = dns;
    let known = holder.clone();
    world.store.expect_proven_domain().once().return_once(move |name| {
        assert_eq!(name, known.name.as_str());
        Ok(Some(known))
    });
    world.store.expect_domain().return_once(|_, _| Ok(Some(fixtures::domain())));
    let (updated, released) = (Captured::<Domain>::default(), Captured::<Domain>::default());
    let (seen, lost, was_lost) = (updated.clone(), released.clone(), released.clone());
    let tx = world.unit_of_work();
    locks_both(tx, fixtures::domain(), Some(holder.clone()));
    tx.domains.expect_claim().times(1..=2).returning(move |_| Ok(!was_lost.all().is_empty()));
    tx.domains.expect_release().times(..=1).returning(move |domain| {
        lost.push(domain.clone());
        Ok(())
    });
    tx.domains.expect_update().times(1..=2).returning(move |domain| {
        seen.push(domain.clone());
        Ok(())
    });
    tx.events.expect_append().times(..=1).returning(|_| Ok(()));
    let answered = verify(&world.app(), &fixtures::caller(), &Scope::Organization, id(30)).await.unwrap();
    assert!(released.all().iter().all(|domain| *domain == holder));
    let of_holder = updated.all().into_iter().find(|domain| domain.domain_id == holder.domain_id);
    (answered, of_holder, !released.all().is_empty())
}

fn key(domain: &Domain) -> &DomainRecord {
    domain.records.iter().find(|record| record.purpose == Purpose::Dkim).unwrap()
}

#[tokio::test]
async fn who_publishes_a_key_takes_the_name_from_the_holder_whose_key_is_gone() {
    let (domain, holder, is_taken) = contested(holder("v=DKIM1; k=rsa; p=b3RoZXI="), published()).await;
    assert_eq!((domain.status, is_taken), (DomainStatus::Verified, true));
    let holder = holder.unwrap();
    assert_eq!((holder.status, holder.verified_at, holder.updated_at), (DomainStatus::Invalid, Some(NOW), NOW));
    assert_eq!(key(&holder).status, RecordStatus::Invalid);
    assert!(key(&holder).reason.as_deref().unwrap().starts_with("value_mismatch: "));
    let others = holder.records.iter().filter(|record| record.purpose != Purpose::Dkim);
    assert!(others.clone().count() == 3 && others.clone().all(|record| record.status == RecordStatus::Valid));
}

#[tokio::test]
async fn a_name_whose_holder_still_publishes_the_key_stays_with_them() {
    let (domain, unchanged, is_taken) = contested(holder(&key(&fixtures::domain()).value), published()).await;
    assert_eq!((domain.status, unchanged, is_taken), (DomainStatus::Invalid, None, false));
    assert_eq!(key(&domain).status, RecordStatus::Invalid);
    assert!(key(&domain).reason.as_deref().unwrap().starts_with("verified_elsewhere: "));
}

/// A key that is to follow the one that the domain was born with.
fn next_key() -> DkimKey {
    DkimKey {
        organization_id: Some(id(1)),
        name: "example.com".to_owned(),
        selector: "inboxd7".to_owned(),
        sealed: b"sealed".to_vec(),
        public_key: "bmV4dA==".to_owned(),
        state: KeyState::Next,
        changed_at: NOW,
    }
}

const NEXT: &str = "inboxd7._domainkey.example.com";

/// The record of the next key, as it is published.
fn next_value() -> Lookup<String> {
    Lookup::Found(vec!["v=DKIM1; k=rsa; p=bmV4dA==".to_owned()])
}

/// A verified domain whose next key waits.
async fn rotating() -> Domain {
    rotation::begun(verified(fixtures::domain(), published()).await.0, &next_key())
}

#[tokio::test]
async fn of_two_that_verify_at_the_same_time_the_later_undoes_no_rotation() {
    let begun = rotating().await;
    let dns = published().with_txt(NEXT, next_value());
    let (switched, _, released) = verified_meanwhile(begun.clone(), begun.clone(), dns.clone(), vec![next_key()]).await;
    assert_eq!((key(&switched).name.as_str(), switched.status, released), (NEXT, DomainStatus::Verified, 0));
    // The other asked before the switch: perhaps before the record was published, which says nothing of now.
    for dns in [dns, published()] {
        let (after, _, released) = verified_meanwhile(begun.clone(), switched.clone(), dns, vec![next_key()]).await;
        assert_eq!((after.status, released), (DomainStatus::Verified, 0));
        assert_eq!(after.records, switched.records);
    }
}

#[tokio::test]
async fn a_new_key_that_is_published_in_place_of_the_old_one_keeps_the_name() {
    let begun = rotating().await;
    let dns = published().with_txt("inboxd._domainkey.example.com", Lookup::Absent).with_txt(NEXT, next_value());
    let (after, _, released) = verified_meanwhile(begun.clone(), begun, dns, vec![next_key()]).await;
    assert_eq!((after.status, released), (DomainStatus::Verified, 0));
    assert_eq!((key(&after).name.as_str(), key(&after).status), (NEXT, RecordStatus::Valid));
    let retired = after.records.iter().find(|record| record.purpose == Purpose::RetiredDkim).unwrap();
    assert_eq!(retired.status, RecordStatus::Missing);
}

#[tokio::test]
async fn a_holder_with_another_key_by_now_is_asked_about_by_the_name_of_that_key() {
    let silent = || Lookup::Failed("no answer in time".to_owned());
    for (answer, is_lost) in [(next_value(), false), (silent(), false), (Lookup::Absent, true)] {
        // The key of the holder that signs, and one that waits while the one before is gone.
        for purpose in [Purpose::Dkim, Purpose::NextDkim] {
            let mut holder = rotation::begun(holder("v=DKIM1; k=rsa; p=b3RoZXI="), &next_key());
            if purpose == Purpose::Dkim {
                holder.records.retain(|record| record.purpose != Purpose::Dkim);
            }
            for record in holder.records.iter_mut().filter(|record| record.name == NEXT) {
                record.purpose = purpose;
            }
            let (domain, _, is_taken) = contested(holder, published().with_txt(NEXT, answer.clone())).await;
            let status = if is_lost { DomainStatus::Verified } else { DomainStatus::Invalid };
            assert_eq!((domain.status, is_taken), (status, is_lost), "{answer:?} {purpose:?}");
        }
    }
}

#[tokio::test]
async fn a_name_that_was_claimed_a_moment_ago_is_looked_at_again() {
    let mut world = World::default();
    world.dns = published();
    world.store.expect_domain().return_once(|_, _| Ok(Some(fixtures::domain())));
    let tx = world.unit_of_work();
    locks_both(tx, fixtures::domain(), None);
    tx.domains.expect_claim().once().returning(|_| Ok(false));
    let tx = world.unit_of_work();
    locks_both(tx, fixtures::domain(), None);
    tx.domains.expect_claim().once().returning(|_| Ok(true));
    tx.events.expect_append().once().returning(|_| Ok(()));
    let updated = expect_update(tx);
    let journal = world.journal.clone();
    let answered = verify(&world.app(), &fixtures::caller(), &Scope::Organization, id(30)).await.unwrap();
    assert_eq!((answered.status, journal.commits()), (DomainStatus::Verified, 1));
    assert_eq!(updated.only(), answered);
}

#[tokio::test]
async fn a_time_out_never_turns_valid_into_missing() {
    let silent = || Lookup::Failed("no answer in time".to_owned());
    let (verified_before, ..) = verified(fixtures::domain(), published()).await;
    let dns = StubDns::default()
        .with_mx("example.com", Lookup::Failed("no answer in time".to_owned()))
        .with_txt("example.com", silent())
        .with_txt("inboxd._domainkey.example.com", silent())
        .with_txt("_dmarc.example.com", silent());
    let (after, events, released) = verified(verified_before, dns.clone()).await;
    assert_eq!((after.status, events.len(), released), (DomainStatus::Verified, 0, 0));
    assert!(after.records.iter().all(|record| record.status == RecordStatus::Valid));
    let (unknown, _, released) = verified(fixtures::domain(), dns).await;
    assert_eq!((unknown.status, released), (DomainStatus::Verifying, 0));
}

#[tokio::test]
async fn who_no_longer_publishes_the_key_lets_the_name_go() {
    let (verified_before, ..) = verified(fixtures::domain(), published()).await;
    let dns = published().with_txt("inboxd._domainkey.example.com", Lookup::Absent);
    let (after, _, released) = verified(verified_before, dns).await;
    assert_eq!((after.status, released), (DomainStatus::Pending, 1));
}

#[tokio::test]
async fn scope_and_permission_come_before_the_domain() {
    let mute = Caller { permissions: permissions(&["domain_read"]), ..fixtures::caller() };
    for caller in [mute, fixtures::inbox_caller()] {
        let refused = verify(&World::default().app(), &caller, &Scope::Organization, id(30)).await;
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::DomainUpdate))));
    }
    let mut world = World::default();
    world.store.expect_domain().return_once(|_, _| Ok(None));
    let missing = verify(&world.app(), &fixtures::caller(), &Scope::Organization, id(31)).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Domain, .. })));
    let mut world = World::default();
    world.store.expect_domain().return_once(|_, _| Ok(Some(fixtures::domain())));
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    assert!(matches!(verify(&world.app(), &pod, &Scope::Organization, id(30)).await, Err(Error::NotFound { .. })));
}
