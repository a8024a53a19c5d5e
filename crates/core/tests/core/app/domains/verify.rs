use inboxd_core::model::domain::{Domain, DomainRecord, DomainStatus, RecordPurpose, RecordStatus};
use inboxd_core::model::{Caller, DkimKey, Event, EventBody, EventType, KeyState, Permission, Reach, Scope};
use inboxd_core::ports::{Lookup, MxHost};
use inboxd_core::rules::domains::rotation;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, MockTx, StubDns, World};
use inboxd_core::{Error, Resource};
use serde_json::json;

use super::{expect_update, verify};
use crate::app::{permissions, records_audit};

/// Expects that the domain and the holder of its name are locked.
fn locks_both(tx: &mut MockTx, domain: Domain, holder: Option<Domain>) {
    tx.domains.expect_lock_with_holder().once().return_once(move |_, _| Ok(Some((domain, holder))));
}

/// A DNS with every record of the domain.
fn published() -> StubDns {
    fixtures::domain().records.iter().fold(StubDns::default(), |dns, record| match record.priority {
        Some(preference) => {
            let host = MxHost { preference, host: record.value.clone() };
            dns.with_mx(&record.name, Lookup::Found(vec![host]))
        }
        None => dns.with_txt(&record.name, Lookup::Found(vec![record.value.clone()])),
    })
}

/// Verifies a domain with this DNS. Returns the domain, its events, and the number of released names.
async fn verified(before: Domain, dns: StubDns) -> (Domain, Vec<Event>, usize) {
    verified_meanwhile(before.clone(), before, dns, Vec::new()).await
}

/// The same for a domain with these keys that changes during the DNS lookups.
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
async fn first_verification_appends_event_once() {
    let (first, events, released) = verified(fixtures::domain(), published()).await;
    assert_eq!((first.status, first.verified_at, released), (DomainStatus::Verified, Some(NOW), 0));
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((event.event_type, event.created_at), (EventType::DomainVerified, NOW));
    assert_eq!((event.pod_id, &event.inbox_id, event.thread_id, &event.message_id), (None, &None, None, &None));
    assert_eq!(event.body, EventBody::Domain { domain: Box::new(first.clone()) });
    let (again, events, _) = verified(first, published()).await;
    assert_eq!((again.status, events.len()), (DomainStatus::Verified, 0));
}

/// The same domain in another organization, fully verified, with this key.
fn holder(key: &str) -> Domain {
    let domain = fixtures::domain();
    let record = |record: DomainRecord| match record.purpose {
        RecordPurpose::Dkim => DomainRecord { status: RecordStatus::Valid, value: key.to_owned(), ..record },
        _ => DomainRecord { status: RecordStatus::Valid, ..record },
    };
    let records = domain.records.into_iter().map(record).collect();
    let status = DomainStatus::Verified;
    Domain { organization_id: id(9), domain_id: id(39), status, records, verified_at: Some(NOW), ..domain }
}

/// Verifies the domain while the other organization holds its name. Returns both domains, and whether the name changed
/// its holder.
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
    let recorded = records_audit(tx);
    let answered = verify(&world.app(), &fixtures::caller(), &Scope::Organization, id(30)).await.unwrap();
    // The organization that loses the name learns it from its own log.
    let of_loser = recorded.all().into_iter().filter(|entry| entry.organization_id == holder.organization_id);
    let of_loser: Vec<_> = of_loser.map(|entry| (entry.action.as_str(), entry.actor.id(), entry.before)).collect();
    let facts = json!({"status": "VERIFIED"}).as_object().cloned();
    let expected: Vec<_> =
        released.all().iter().map(|_| ("domain.checked", "service".to_owned(), facts.clone())).collect();
    assert_eq!(of_loser, expected);
    assert!(released.all().iter().all(|domain| *domain == holder));
    let of_holder = updated.all().into_iter().find(|domain| domain.domain_id == holder.domain_id);
    (answered, of_holder, !released.all().is_empty())
}

fn key(domain: &Domain) -> &DomainRecord {
    domain.records.iter().find(|record| record.purpose == RecordPurpose::Dkim).unwrap()
}

#[tokio::test]
async fn published_key_claims_name_from_holder_without_key() {
    let (domain, holder, is_taken) = contested(holder("v=DKIM1; k=rsa; p=b3RoZXI="), published()).await;
    assert_eq!((domain.status, is_taken), (DomainStatus::Verified, true));
    let holder = holder.unwrap();
    assert_eq!((holder.status, holder.verified_at, holder.updated_at), (DomainStatus::Invalid, Some(NOW), NOW));
    assert_eq!(key(&holder).status, RecordStatus::Invalid);
    assert!(key(&holder).reason.as_deref().unwrap().starts_with("value_mismatch: "));
    let others = holder.records.iter().filter(|record| record.purpose != RecordPurpose::Dkim);
    assert!(others.clone().count() == 3 && others.clone().all(|record| record.status == RecordStatus::Valid));
}

#[tokio::test]
async fn name_stays_with_holder_of_published_key() {
    let (domain, unchanged, is_taken) = contested(holder(&key(&fixtures::domain()).value), published()).await;
    assert_eq!((domain.status, unchanged, is_taken), (DomainStatus::Invalid, None, false));
    assert_eq!(key(&domain).status, RecordStatus::Invalid);
    assert!(key(&domain).reason.as_deref().unwrap().starts_with("verified_elsewhere: "));
}

/// The next key in a rotation.
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

/// The published record of the next key.
fn next_value() -> Lookup<String> {
    Lookup::Found(vec!["v=DKIM1; k=rsa; p=bmV4dA==".to_owned()])
}

/// A verified domain with a pending key.
async fn rotating() -> Domain {
    rotation::with_next_key(verified(fixtures::domain(), published()).await.0, &next_key())
}

#[tokio::test]
async fn concurrent_verification_does_not_undo_rotation() {
    let begun = rotating().await;
    let dns = published().with_txt(NEXT, next_value());
    let (switched, _, released) = verified_meanwhile(begun.clone(), begun.clone(), dns.clone(), vec![next_key()]).await;
    assert_eq!((key(&switched).name.as_str(), switched.status, released), (NEXT, DomainStatus::Verified, 0));
    // The other lookup preceded the rotation, perhaps also the publication, so its result is outdated.
    for dns in [dns, published()] {
        let (after, _, released) = verified_meanwhile(begun.clone(), switched.clone(), dns, vec![next_key()]).await;
        assert_eq!((after.status, released), (DomainStatus::Verified, 0));
        assert_eq!(after.records, switched.records);
    }
}

#[tokio::test]
async fn new_key_published_in_place_of_old_one_retains_name() {
    let begun = rotating().await;
    let dns = published().with_txt("inboxd._domainkey.example.com", Lookup::Absent).with_txt(NEXT, next_value());
    let (after, _, released) = verified_meanwhile(begun.clone(), begun, dns, vec![next_key()]).await;
    assert_eq!((after.status, released), (DomainStatus::Verified, 0));
    assert_eq!((key(&after).name.as_str(), key(&after).status), (NEXT, RecordStatus::Valid));
    let retired = after.records.iter().find(|record| record.purpose == RecordPurpose::RetiredDkim).unwrap();
    assert_eq!(retired.status, RecordStatus::Missing);
}

#[tokio::test]
async fn holder_with_rotated_key_is_checked_by_new_selector() {
    let silent = || Lookup::Failed("no answer in time".to_owned());
    for (answer, is_lost) in [(next_value(), false), (silent(), false), (Lookup::Absent, true)] {
        // The signing key of the holder, and a pending key while the earlier one is missing.
        for purpose in [RecordPurpose::Dkim, RecordPurpose::NextDkim] {
            let mut holder = rotation::with_next_key(holder("v=DKIM1; k=rsa; p=b3RoZXI="), &next_key());
            if purpose == RecordPurpose::Dkim {
                holder.records.retain(|record| record.purpose != RecordPurpose::Dkim);
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
async fn concurrently_claimed_name_is_checked_again() {
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
async fn timeout_never_turns_valid_record_into_missing() {
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
async fn domain_without_published_key_releases_name() {
    let (verified_before, ..) = verified(fixtures::domain(), published()).await;
    let dns = published().with_txt("inboxd._domainkey.example.com", Lookup::Absent);
    let (after, _, released) = verified(verified_before, dns).await;
    assert_eq!((after.status, released), (DomainStatus::Pending, 1));
}

#[tokio::test]
async fn verification_checks_scope_and_permission_before_domain() {
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
