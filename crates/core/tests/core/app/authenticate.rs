use std::collections::BTreeSet;

use inboxd_core::Error;
use inboxd_core::app::authenticate;
use inboxd_core::model::api_key::hash_key;
use inboxd_core::model::{Actor, ApiKey, Member, Reach, Role};
use inboxd_core::ports::Credential;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, id};
use time::Duration;

fn world(api_key: ApiKey) -> World {
    let mut world = World::default();
    world.store.expect_credential().once().return_once(move |hash| {
        assert_eq!(*hash, hash_key("am_secret"));
        Ok(Some(Credential { api_key, organization: fixtures::organization(), member: None, connection: None }))
    });
    world
}

#[tokio::test]
async fn valid_key_yields_its_caller() {
    let reach = Reach::Inbox { pod_id: id(2), inbox_id: fixtures::inbox().inbox_id };
    let expires_at = Some(NOW + Duration::MILLISECOND);
    let key = ApiKey { reach: reach.clone(), expires_at, used_at: Some(NOW), ..fixtures::api_key() };
    let caller = authenticate(&world(key).app(), "am_secret").await.unwrap();
    assert_eq!(caller.organization, fixtures::organization());
    assert_eq!((caller.reach, caller.expires_at), (reach, expires_at));
    assert_eq!(caller.actor, Actor::ApiKey { api_key_id: id(3), name: "Sign-up".to_owned() });
}

#[tokio::test]
async fn unknown_key_is_refused() {
    let mut world = World::default();
    world.store.expect_credential().returning(|_| Ok(None));
    assert!(matches!(authenticate(&world.app(), "am_other").await, Err(Error::UnknownApiKey)));
}

#[tokio::test]
async fn expired_key_is_refused_without_recorded_use() {
    for expires_at in [NOW, NOW - Duration::days(1)] {
        let key = ApiKey { expires_at: Some(expires_at), ..fixtures::api_key() };
        let refused = authenticate(&world(key).app(), "am_secret").await;
        assert!(matches!(refused, Err(Error::ApiKeyExpired { at }) if at == expires_at));
        assert!(refused.err().is_some_and(|error| error.to_string().ends_with("T10:00:00.000Z")));
    }
}

#[tokio::test]
async fn key_use_is_recorded_with_at_most_a_minute_lag() {
    let table = [
        (None, true),
        (Some(NOW), false),
        (Some(NOW - Duration::milliseconds(59_999)), false),
        (Some(NOW - Duration::seconds(60)), true),
        (Some(NOW - Duration::days(9)), true),
    ];
    for (used_at, is_noted) in table {
        let mut world = world(ApiKey { used_at, ..fixtures::api_key() });
        world.store.expect_touch_api_key().times(usize::from(is_noted)).returning(|_, api_key_id, at| {
            assert_eq!((api_key_id, at), (id(3), NOW));
            Ok(())
        });
        authenticate(&world.app(), "am_secret").await.unwrap();
    }
}

#[tokio::test]
async fn sign_in_key_has_role_and_inboxes_of_its_member() {
    let limited = BTreeSet::from([fixtures::inbox().inbox_id]);
    let table = [
        (Role::Member, BTreeSet::new(), Reach::Organization),
        (Role::Member, limited.clone(), Reach::Inboxes(limited.clone())),
        (Role::Admin, limited.clone(), Reach::Organization),
        (Role::Owner, limited, Reach::Organization),
    ];
    for (role, inbox_ids, reach) in table {
        let person = Member { role, inbox_ids, ..fixtures::member() };
        let key = ApiKey { member_id: Some(person.member_id), used_at: Some(NOW), ..fixtures::api_key() };
        let mut world = World::default();
        let credential = Credential {
            api_key: key,
            organization: fixtures::organization(),
            member: Some(person.clone()),
            connection: None,
        };
        world.store.expect_credential().return_once(move |_| Ok(Some(credential)));
        let caller = authenticate(&world.app(), "am_secret").await.unwrap();
        assert_eq!(caller, fixtures::calling(&person));
        assert_eq!((caller.reach, caller.actor), (reach, person.actor()));
    }
}

#[tokio::test]
async fn key_of_former_member_is_refused() {
    let key = ApiKey { member_id: Some(id(40)), used_at: Some(NOW), ..fixtures::api_key() };
    assert!(matches!(authenticate(&world(key).app(), "am_secret").await, Err(Error::UnknownApiKey)));
}
