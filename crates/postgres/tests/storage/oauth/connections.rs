//! Connections: bounds, change, revocation, lists and purge.

use inboxd_core::app::account;
use inboxd_core::app::oauth::{
    ConnectionChange, get_connection, purge_oauth, revoke_connection, revoke_token, update_connection,
};
use inboxd_core::model::permissions::ApiKeyCreate;
use inboxd_core::model::{ActingMember, Connection, Permission, Reach, Scope};
use inboxd_core::ports::{ApiKeyQuery, ApiKeyReads};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::testing::fixtures;

use super::*;

/// The caller with a sign-in key of a member.
pub(super) fn person(world: &World, member: &Member) -> Caller {
    let ActingMember { member_id, email, role } =
        ActingMember { member_id: member.member_id, email: member.email.clone(), role: member.role };
    Caller {
        organization: world.organization.clone(),
        api_key_id: None,
        reach: member.reach(),
        actor: member.actor(),
        member: Some(ActingMember { member_id, email, role }),
        ..fixtures::caller()
    }
}

async fn only(flow: &Flow) -> Connection {
    let [connection] = flow.connections().await.try_into().unwrap();
    connection
}

#[tokio::test]
async fn revoked_connection_is_dead_at_once_and_made_no_key() {
    let flow = flow().await;
    let request = GrantRequest { scope: Some("mail:read admin".to_owned()), ..flow.request() };
    let code = grant(&flow.app, &flow.session, request).await.unwrap();
    let tokens = flow.exchange(&code).await.unwrap();
    let caller = flow.caller(&tokens).await.unwrap();
    let creator = AuthorizedCaller::<ApiKeyCreate>::new(caller.clone(), Scope::Organization);
    assert!(matches!(creator, Err(Error::MissingPermission(Permission::ApiKeyCreate))));
    let switched = account::switch(&flow.app, &caller, &flow.world.organization_id().to_string()).await;
    assert!(matches!(switched, Err(Error::NotForConnections)));

    let connection = only(&flow).await;
    let person = person(&flow.world, &flow.member);
    revoke_connection(&flow.app, &person, connection.connection_id).await.unwrap();
    assert!(!is_alive(&flow.caller(&tokens).await));
    assert_eq!(code_of(flow.refresh(&tokens.refresh_token).await), OAuthErrorCode::InvalidGrant);
    let again = revoke_connection(&flow.app, &person, connection.connection_id).await;
    assert!(matches!(again, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn access_tokens_are_in_no_list_of_keys_and_in_no_count() {
    let flow = flow().await;
    let tokens = flow.tokens().await;
    let caller = flow.caller(&tokens).await.unwrap();
    let organization_id = flow.world.organization_id();
    let query =
        ApiKeyQuery { organization_id, pod_id: None, inbox_id: None, among: None, page: PageRequest::default() };
    assert_eq!(flow.world.store.list_api_keys(&query).await.unwrap().items, []);
    assert_eq!(flow.world.store.api_key(organization_id, caller.api_key_id.unwrap()).await.unwrap(), None);
    let mut tx = flow.world.begin().await;
    assert_eq!(tx.api_keys().all(organization_id).await.unwrap(), []);
    let counted = inboxd_core::ports::CountedRows::ApiKeys;
    assert_eq!(tx.usage().count_rows(organization_id, &counted, 10).await.unwrap(), 0);
}

#[tokio::test]
async fn change_of_connection_takes_effect_with_next_request() {
    let flow = flow().await;
    let tokens = flow.tokens().await;
    let person = person(&flow.world, &flow.member);
    let connection_id = only(&flow).await.connection_id;
    let change = |scope: &str, inbox_ids: &[&str]| ConnectionChange {
        scope: Some(scope.to_owned()),
        inbox_ids: Some(inboxes(inbox_ids)),
        expires_at: None,
    };
    let narrowed = change("mail:read mail:draft", &["scout@agents.example"]);
    update_connection(&flow.app, &person, connection_id, narrowed).await.unwrap();
    let caller = flow.caller(&tokens).await.unwrap();
    assert_eq!(caller.reach, Reach::Inboxes(inboxes(&["scout@agents.example"]).into_iter().collect()));
    let holds = |caller: &Caller, permission| inboxd_core::rules::access::holds(caller, permission);
    assert!(holds(&caller, Permission::DraftCreate) && !holds(&caller, Permission::MessageSend));

    let widened = change("mail:read mail:send admin", &[]);
    let refused = update_connection(&flow.app, &caller, connection_id, widened.clone()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(_))), "a client never widens itself");
    update_connection(&flow.app, &person, connection_id, widened).await.unwrap();
    let caller = flow.caller(&tokens).await.unwrap();
    assert_eq!(caller.reach, Reach::Organization);
    assert!(holds(&caller, Permission::MessageSend) && holds(&caller, Permission::DomainCreate));
}

#[tokio::test]
async fn people_see_own_connections_and_admins_all() {
    let flow = flow().await;
    flow.tokens().await;
    let teammate = Member { joined_at: Some(at(1)), ..member(&flow.world, 2, "max@example.org") };
    add(&flow.world, &teammate).await;
    let teammate = person(&flow.world, &teammate);
    let connection = only(&flow).await;
    let seen = list_connections(&flow.app, &teammate, PageRequest::default()).await.unwrap();
    assert_eq!(seen.items, []);
    for refused in [
        get_connection(&flow.app, &teammate, connection.connection_id).await.err(),
        revoke_connection(&flow.app, &teammate, connection.connection_id).await.err(),
    ] {
        assert!(matches!(refused, Some(Error::NotFound { .. })), "{refused:?}");
    }
    let key = Caller { organization: flow.world.organization.clone(), api_key_id: None, ..fixtures::caller() };
    let refused = list_connections(&flow.app, &key, PageRequest::default()).await;
    assert!(matches!(refused, Err(Error::MemberConnectionProtected)), "the organization is unverified");
    let organization = flow.world.organization.clone().verified(at(1));
    let key = Caller { organization, ..key };
    let seen = list_connections(&flow.app, &key, PageRequest::default()).await.unwrap();
    assert_eq!(seen.items, [connection]);
}

#[tokio::test]
async fn client_revokes_own_tokens_alone() {
    let flow = flow().await;
    let (first, second) = (flow.tokens().await, flow.tokens().await);
    let other = RegisterClient { redirect_uris: vec![REDIRECT.to_owned()], ..RegisterClient::default() };
    let other = register_client(&flow.app, other).await.unwrap();
    let foreign = ClientCredentials { client_id: other.client.client_id, secret: other.secret };
    for token in [first.access_token.reveal(), &first.refresh_token, "unknown"] {
        revoke_token(&flow.app, &foreign, token).await.unwrap();
    }
    assert!(is_alive(&flow.caller(&first).await));
    revoke_token(&flow.app, &flow.credentials(), first.access_token.reveal()).await.unwrap();
    assert!(!is_alive(&flow.caller(&first).await));
    let refreshed = flow.refresh(&first.refresh_token).await.unwrap();
    revoke_token(&flow.app, &flow.credentials(), &refreshed.refresh_token).await.unwrap();
    assert!(!is_alive(&flow.caller(&refreshed).await));
    assert!(is_alive(&flow.caller(&second).await), "another connection stays");
}

#[tokio::test]
async fn removed_organization_and_another_base_url_end_tokens() {
    let flow = flow().await;
    let tokens = flow.tokens().await;
    let mut moved = flow.app.clone();
    moved.settings.issuer = Some("https://other.example".to_owned());
    assert!(!is_alive(&authenticate(&moved, tokens.access_token.reveal()).await));
    assert!(is_alive(&flow.caller(&tokens).await));
    account::remove(&flow.app, flow.world.organization_id()).await.unwrap();
    assert!(!is_alive(&flow.caller(&tokens).await));
    assert_eq!(code_of(flow.refresh(&tokens.refresh_token).await), OAuthErrorCode::InvalidGrant);
}

#[tokio::test]
async fn member_has_limited_number_of_connections() {
    let flow = flow().await;
    let mut limits = flow.app.settings.limits.get();
    limits.rows.connections = 2;
    flow.app.settings.limits.replace(limits);
    flow.tokens().await;
    flow.code().await;
    let refused = grant(&flow.app, &flow.session, flow.request()).await;
    assert!(matches!(refused, Err(Error::RowLimitReached { limit: 2, .. })), "{refused:?}");
}

#[tokio::test]
async fn use_of_token_is_recorded_with_connection() {
    let flow = flow().await;
    let tokens = flow.tokens().await;
    flow.clock.advance(Duration::minutes(5));
    flow.caller(&tokens).await.unwrap();
    assert_eq!(only(&flow).await.used_at, Some(at(10) + Duration::minutes(5)));
}

#[tokio::test]
async fn ended_rows_are_purged_and_live_ones_stay() {
    let flow = flow().await;
    let tokens = flow.tokens().await;
    flow.code().await;
    assert!(!purge_oauth(&flow.app).await.unwrap());
    flow.assert_rows("oauth_grants", 2).await;
    flow.clock.advance(Duration::minutes(61));
    purge_oauth(&flow.app).await.unwrap();
    flow.assert_rows("oauth_grants", 1).await;
    flow.assert_rows("api_keys", 1).await;

    flow.clock.advance(Duration::days(2));
    purge_oauth(&flow.app).await.unwrap();
    flow.assert_rows("api_keys", 0).await;
    flow.assert_rows("api_key_hashes", 0).await;
    flow.assert_rows("oauth_codes", 0).await;
    let tokens = flow.refresh(&tokens.refresh_token).await.unwrap();

    flow.clock.advance(Duration::days(40));
    purge_oauth(&flow.app).await.unwrap();
    flow.assert_rows("oauth_clients", 1).await;
    flow.clock.advance(Duration::days(21));
    purge_oauth(&flow.app).await.unwrap();
    for table in ["oauth_grants", "oauth_refresh_tokens", "api_keys"] {
        flow.assert_rows(table, 0).await;
    }
    purge_oauth(&flow.app).await.unwrap();
    flow.assert_rows("oauth_clients", 0).await;
    assert_eq!(code_of(flow.refresh(&tokens.refresh_token).await), OAuthErrorCode::InvalidClient);
}

#[tokio::test]
async fn idle_connection_is_purged_with_its_refresh_tokens() {
    let flow = flow().await;
    flow.tokens().await;
    flow.world.database.execute("UPDATE oauth_refresh_tokens SET expires_at = 'infinity'").await;
    flow.clock.advance(Duration::days(61));
    purge_oauth(&flow.app).await.unwrap();
    for table in ["oauth_grants", "oauth_refresh_tokens"] {
        flow.assert_rows(table, 0).await;
    }
}

#[tokio::test]
async fn purged_refresh_token_is_refused_and_ends_no_live_connection() {
    let flow = flow().await;
    let first = flow.tokens().await;
    flow.clock.advance(Duration::days(50));
    let second = flow.refresh(&first.refresh_token).await.unwrap();
    flow.clock.advance(Duration::days(11));
    purge_oauth(&flow.app).await.unwrap();
    flow.assert_rows("oauth_refresh_tokens", 1).await;
    assert_eq!(code_of(flow.refresh(&first.refresh_token).await), OAuthErrorCode::InvalidGrant);
    flow.refresh(&second.refresh_token).await.unwrap();
}
