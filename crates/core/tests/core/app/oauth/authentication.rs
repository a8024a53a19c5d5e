//! Callers with access tokens, and drafts that they schedule.

use inboxd_core::app::account::switch;
use inboxd_core::app::authenticate;
use inboxd_core::model::{Actor, ApiKey, Caller, Permission, Reach, Role};
use inboxd_core::ports::Credential;
use inboxd_core::rules::{access, loops};

use super::*;

fn credential(connection: Option<Connection>) -> Credential {
    let api_key = ApiKey {
        member_id: Some(id(40)),
        connection_id: Some(id(60)),
        expires_at: Some(NOW + Duration::hours(1)),
        used_at: Some(NOW),
        ..fixtures::api_key()
    };
    let member = Some(Member { role: Role::Owner, ..fixtures::member() });
    Credential { api_key, organization: fixtures::organization(), member, connection }
}

async fn caller_of(credential: Credential) -> Result<Caller, Error> {
    let mut world = World::default();
    world.store.expect_credential().return_once(move |_| Ok(Some(credential)));
    authenticate(&world.app(), "am_token").await
}

#[tokio::test]
async fn access_token_acts_as_member_through_connection() {
    let caller = caller_of(credential(Some(fixtures::connection()))).await.unwrap();
    assert_eq!(caller.reach, Reach::Organization);
    assert!(access::holds(&caller, Permission::MessageDelete) && !access::holds(&caller, Permission::ApiKeyCreate));
    assert!(!access::is_unrestricted(&caller));
    assert!(matches!(caller.actor, Actor::Member { connection_id: Some(_), .. }));
    assert!(loops::applies_to(&caller.actor), "a client is no person who sees the recipients");
    let refused = switch(&World::default().app(), &caller, "org_0").await;
    assert!(matches!(refused, Err(Error::NotForConnections)));
}

#[tokio::test]
async fn token_of_ended_or_foreign_connection_is_unknown() {
    let connection = fixtures::connection();
    let other = [fixtures::inbox_id("other@inboxd.example")].into();
    let limited = Member { inbox_ids: [fixtures::inbox().inbox_id].into(), ..fixtures::member() };
    let table = [
        credential(None),
        credential(Some(Connection { expires_at: NOW, ..connection.clone() })),
        credential(Some(Connection { revoked_at: Some(NOW), ..connection.clone() })),
        credential(Some(Connection { resource: "https://old.example".to_owned(), ..connection.clone() })),
        Credential { member: None, ..credential(Some(connection.clone())) },
        Credential { member: Some(limited), ..credential(Some(Connection { inbox_ids: other, ..connection })) },
    ];
    for credential in table {
        let refused = caller_of(credential.clone()).await;
        assert!(matches!(refused, Err(Error::UnknownApiKey)), "{credential:?}");
    }
}
