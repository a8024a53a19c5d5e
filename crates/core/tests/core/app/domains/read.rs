use std::collections::BTreeSet;

use inboxd_core::model::{Caller, Domain, Member, Page, PageRequest, PodId, Reach, Scope};
use inboxd_core::ports::DomainQuery;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, id, inbox_id};
use inboxd_core::{Error, Resource};

use super::{get, list, zone_file};

/// A member with the inbox that limits it.
fn limited() -> (Caller, BTreeSet<inboxd_core::model::InboxId>) {
    let theirs = BTreeSet::from([inbox_id("scout@inboxd.example")]);
    (fixtures::calling(&Member { inbox_ids: theirs.clone(), ..fixtures::member() }), theirs)
}

#[tokio::test]
async fn domain_list_is_limited_to_caller_scope() {
    let (limited, theirs) = limited();
    let of_pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let table = [(fixtures::caller(), None, None), (of_pod, Some(id(2)), None), (limited, None, Some(theirs))];
    for (caller, pod_id, of_inboxes) in table {
        let mut world = World::default();
        let expected = DomainQuery { organization_id: id(1), pod_id, of_inboxes, page: PageRequest::default() };
        world.store.expect_list_domains().once().returning(move |query| {
            assert_eq!(*query, expected);
            Ok(Page { items: vec![fixtures::domain()], next: None })
        });
        let page = list(&world.app(), &caller, &Scope::Organization, PageRequest::default()).await.unwrap();
        assert_eq!(page.items, [fixtures::domain()]);
    }
}

#[tokio::test]
async fn limited_member_reads_domains_of_own_pods_and_of_organization() {
    let (limited, theirs) = limited();
    let (own, other): (PodId, PodId) = (id(2), id(3));
    for (pod_id, is_read) in [(None, true), (Some(own), true), (Some(other), false)] {
        let mut world = World::default();
        world.store.expect_domain().returning(move |_, _| Ok(Some(Domain { pod_id, ..fixtures::domain() })));
        let asked = theirs.clone();
        world.store.expect_pod_has_any().returning(move |organization_id, pod_id, inbox_ids| {
            assert_eq!((organization_id, inbox_ids), (id(1), &asked));
            Ok(pod_id == own)
        });
        let app = world.app();
        let not_there = |error: Error| matches!(error, Error::NotFound { resource: Resource::Domain, .. });
        match get(&app, &limited, &Scope::Organization, id(30)).await {
            Ok(domain) => assert!(is_read, "{domain:?}"),
            Err(error) => assert!(!is_read && not_there(error)),
        }
        match zone_file(&app, &limited, &Scope::Organization, id(30)).await {
            Ok(file) => assert!(is_read, "{file:?}"),
            Err(error) => assert!(!is_read && not_there(error)),
        }
    }
}
