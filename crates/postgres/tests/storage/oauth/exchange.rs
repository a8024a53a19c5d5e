//! Exchange of codes.

use inboxd_core::app::members;
use tokio::join;

use super::connections::person;
use super::*;

#[tokio::test]
async fn access_token_acts_as_member_within_connection() {
    let flow = flow().await;
    let tokens = flow.tokens().await;
    assert_eq!(tokens.scope, "mail:read mail:draft mail:send mail:manage");
    assert_eq!(tokens.expires_in, Duration::hours(1));
    let caller = flow.caller(&tokens).await.unwrap();
    assert_eq!(caller.member.as_ref().unwrap().member_id, flow.member.member_id);
    assert!(inboxd_core::rules::access::require(&caller, inboxd_core::model::Permission::MessageSend).is_ok());
    assert!(inboxd_core::rules::access::require(&caller, inboxd_core::model::Permission::DomainRead).is_err());
    let [connection] = flow.connections().await.try_into().unwrap();
    assert_eq!((connection.client_name.as_str(), connection.redirect_host.as_str()), ("Chat", "chat.example"));
    assert_eq!(caller.connection.unwrap().connection_id, connection.connection_id);

    flow.clock.advance(Duration::hours(1));
    assert!(!is_alive(&flow.caller(&tokens).await), "an hour has passed");
}

#[tokio::test]
async fn two_exchanges_of_one_code_at_once_yield_one_pair_and_revoke_it() {
    let flow = flow().await;
    let code = flow.code().await;
    let (one, other) = join!(flow.exchange(&code), flow.exchange(&code));
    let (issued, refused) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!(code_of(refused), OAuthErrorCode::InvalidGrant);
    let issued = issued.unwrap();
    assert!(!is_alive(&flow.caller(&issued).await), "the second use revoked the connection");
    assert_eq!(code_of(flow.refresh(&issued.refresh_token).await), OAuthErrorCode::InvalidGrant);
    assert_eq!(flow.connections().await, []);
}

#[tokio::test]
async fn first_use_ends_code_even_if_it_fails() {
    let flow = flow().await;
    let code = flow.code().await;
    let wrong = CodeExchange { code: code.clone(), redirect_uri: None, code_verifier: "w".repeat(43), resource: None };
    assert_eq!(code_of(exchange_code(&flow.app, &flow.credentials(), wrong).await), OAuthErrorCode::InvalidGrant);
    assert_eq!(code_of(flow.exchange(&code).await), OAuthErrorCode::InvalidGrant);
    flow.assert_rows("api_keys", 0).await;
}

#[tokio::test]
async fn code_is_valid_for_a_minute_one_client_and_one_redirect_uri() {
    let flow = flow().await;
    let code = flow.code().await;
    flow.clock.advance(Duration::seconds(60));
    assert_eq!(code_of(flow.exchange(&code).await), OAuthErrorCode::InvalidGrant);

    let exchange = |code: &str, redirect_uri: &str, resource: Option<&str>| CodeExchange {
        code: code.to_owned(),
        redirect_uri: Some(redirect_uri.to_owned()),
        code_verifier: VERIFIER.to_owned(),
        resource: resource.map(str::to_owned),
    };
    let code = flow.code().await;
    let elsewhere = exchange(&code, "https://chat.example/other", None);
    assert_eq!(code_of(exchange_code(&flow.app, &flow.credentials(), elsewhere).await), OAuthErrorCode::InvalidGrant);

    let code = flow.code().await;
    let target = exchange(&code, REDIRECT, Some("https://other.example/mcp"));
    assert_eq!(code_of(exchange_code(&flow.app, &flow.credentials(), target).await), OAuthErrorCode::InvalidTarget);

    let code = flow.code().await;
    let other = RegisterClient {
        redirect_uris: vec![REDIRECT.to_owned()],
        token_endpoint_auth_method: Some("none".to_owned()),
        ..RegisterClient::default()
    };
    let other = register_client(&flow.app, other).await.unwrap().client;
    let credentials = ClientCredentials { client_id: other.client_id, secret: None };
    let stolen = exchange(&code, REDIRECT, None);
    assert_eq!(code_of(exchange_code(&flow.app, &credentials, stolen).await), OAuthErrorCode::InvalidGrant);
}

#[tokio::test]
async fn member_removed_in_mid_flow_receives_no_tokens() {
    let flow = flow().await;
    let owner = Member { role: Role::Owner, ..member(&flow.world, 9, "owner@example.org") };
    let owner = Member { inbox_ids: [].into(), joined_at: Some(at(1)), ..owner };
    add(&flow.world, &owner).await;
    let (code, tokens) = (flow.code().await, flow.tokens().await);
    members::remove(&flow.app, &person(&flow.world, &owner), flow.member.member_id).await.unwrap();
    assert_eq!(code_of(flow.exchange(&code).await), OAuthErrorCode::InvalidGrant);
    assert_eq!(code_of(flow.refresh(&tokens.refresh_token).await), OAuthErrorCode::InvalidGrant);
    assert!(!is_alive(&flow.caller(&tokens).await));
    let granted = grant(&flow.app, &flow.session, flow.request()).await;
    assert!(matches!(granted, Err(Error::NotFound { .. })), "the session proves the address and grants nothing");
    flow.assert_rows("oauth_refresh_tokens", 0).await;
    flow.assert_rows("oauth_grants WHERE revoked_at IS NULL", 0).await;
}

#[tokio::test]
async fn removal_races_with_exchange_and_leaves_no_live_token() {
    let flow = flow().await;
    let owner = Member { role: Role::Owner, ..member(&flow.world, 9, "owner@example.org") };
    let owner = Member { inbox_ids: [].into(), joined_at: Some(at(1)), ..owner };
    add(&flow.world, &owner).await;
    let owner = person(&flow.world, &owner);
    let code = flow.code().await;
    let (exchanged, removed) = join!(flow.exchange(&code), members::remove(&flow.app, &owner, flow.member.member_id));
    removed.unwrap();
    if let Ok(tokens) = exchanged {
        assert!(!is_alive(&flow.caller(&tokens).await));
    }
    flow.assert_rows("api_keys WHERE revoked_at IS NULL", 0).await;
}
