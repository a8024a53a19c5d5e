use inboxd_core::app::domains::DomainChange;
use inboxd_core::app::inboxes::{self, NewInbox};
use inboxd_core::model::{Caller, DomainName, DomainStatus, Permission, Scope};
use inboxd_core::rules::domains::inbox_domain_policy::{DomainHolder, HeldDomain};
use inboxd_core::testing::fixtures::{self, id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, Resource};

use super::{delete, expect_update, locks_domain, update};
use crate::app::{locks, permissions, within};

#[tokio::test]
async fn omitted_domain_fields_stay() {
    let table = [
        (DomainChange::default(), (true, false, 4)),
        (DomainChange { feedback_enabled: Some(false), ..DomainChange::default() }, (false, false, 4)),
        (DomainChange { subdomains_enabled: Some(true), ..DomainChange::default() }, (true, true, 5)),
    ];
    for (change, expected) in table {
        let mut world = World::default();
        let tx = world.unit_of_work();
        locks_domain(tx, fixtures::domain());
        let updated = expect_update(tx);
        let domain = update(&world.app(), &fixtures::caller(), &Scope::Organization, id(30), change).await.unwrap();
        assert_eq!((domain.feedback_enabled, domain.subdomains_enabled, domain.records.len()), expected);
        assert_eq!(updated.only(), domain);
    }
}

#[tokio::test]
async fn domain_with_inboxes_cannot_be_deleted() {
    for (inboxes, commits) in [(2, 0), (0, 1)] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        locks_domain(tx, fixtures::domain());
        tx.domains.expect_count_inboxes().once().returning(move |_| Ok(inboxes));
        tx.domains.expect_delete().times(commits).returning(|_, _| Ok(()));
        let journal = world.journal.clone();
        match delete(&world.app(), &fixtures::caller(), &Scope::Organization, id(30)).await {
            Ok(()) => assert_eq!(inboxes, 0),
            Err(Error::CannotDelete { resource, name, used_by }) => {
                assert_eq!((resource, name.as_str()), (Resource::Domain, "example.com"));
                assert!(used_by.starts_with('2'), "{used_by}");
            }
            Err(other) => panic!("{other:?}"),
        }
        assert_eq!(journal.commits(), commits);
    }
}

#[tokio::test]
async fn each_domain_action_needs_its_permission() {
    let mute = Caller { permissions: permissions(&["domain_read", "domain_create"]), ..fixtures::caller() };
    for caller in [mute, fixtures::inbox_caller()] {
        let refused =
            update(&World::default().app(), &caller, &Scope::Organization, id(30), DomainChange::default()).await;
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::DomainUpdate))));
        let refused = delete(&World::default().app(), &caller, &Scope::Organization, id(30)).await;
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::DomainDelete))));
    }
}

#[tokio::test]
async fn inbox_needs_verified_domain() {
    for (status, is_allowed) in [(DomainStatus::Verified, true), (DomainStatus::Pending, false)] {
        let mut world = World::default();
        let asked = Captured::<Vec<DomainName>>::default();
        let seen = asked.clone();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        tx.domains.expect_held().once().returning(move |_, names| {
            seen.push(names.to_vec());
            let (domain_id, serves_name) = (id(30), status == DomainStatus::Verified);
            let holder = DomainHolder::Own { domain_id, pod_id: None, status, serves_name, subdomains_enabled: false };
            Ok(vec![HeldDomain { name: fixtures::domain().name, holder }])
        });
        tx.inboxes.expect_count().returning(|_| Ok(0));
        tx.usage.expect_storage_bytes().returning(|_| Ok(0));
        tx.members.expect_reads().times(usize::from(is_allowed)).returning(|_| Ok(false));
        tx.inboxes.expect_insert().times(usize::from(is_allowed)).returning(|_| Ok(()));
        let new = NewInbox {
            username: Some("agent".to_owned()),
            domain: Some("Example.Com".to_owned()),
            ..NewInbox::default()
        };
        match inboxes::create(&world.app(), &within(&fixtures::caller(), Scope::Organization), new).await {
            Ok(inbox) => assert_eq!((inbox.inbox_id.as_str(), is_allowed), ("agent@example.com", true)),
            Err(Error::DomainNotVerified { domain_id, .. }) => {
                assert_eq!((domain_id, is_allowed), (Some(id(30)), false));
            }
            Err(other) => panic!("{other:?}"),
        }
        assert_eq!(asked.only(), [fixtures::domain().name]);
    }
}
