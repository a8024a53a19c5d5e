//! Rotation of refresh tokens.

use futures_util::future::join_all;
use tokio::join;

use super::*;

#[tokio::test]
async fn refresh_token_is_replaced_and_predecessor_accepted_for_a_minute() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let second = flow.refresh(&first.refresh_token).await.unwrap();
    assert_ne!(first.refresh_token, second.refresh_token);
    flow.clock.advance(Duration::seconds(59));
    let sibling = flow.refresh(&first.refresh_token).await.unwrap();
    assert!(is_alive(&flow.caller(&second).await) && is_alive(&flow.caller(&sibling).await));
    let third = flow.refresh(&sibling.refresh_token).await.unwrap();
    assert!(is_alive(&flow.caller(&third).await));
    assert_eq!(flow.connections().await.len(), 1, "all tokens are of the same connection");
}

#[tokio::test]
async fn predecessor_after_a_minute_revokes_connection() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let second = flow.refresh(&first.refresh_token).await.unwrap();
    flow.clock.advance(Duration::seconds(60));
    assert_eq!(code_of(flow.refresh(&first.refresh_token).await), OAuthErrorCode::InvalidGrant);
    assert!(!is_alive(&flow.caller(&second).await));
    assert_eq!(code_of(flow.refresh(&second.refresh_token).await), OAuthErrorCode::InvalidGrant);
    assert_eq!(flow.connections().await, []);
}

#[tokio::test]
async fn older_token_revokes_connection_even_within_a_minute() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let second = flow.refresh(&first.refresh_token).await.unwrap();
    let third = flow.refresh(&second.refresh_token).await.unwrap();
    assert_eq!(code_of(flow.refresh(&first.refresh_token).await), OAuthErrorCode::InvalidGrant);
    assert!(!is_alive(&flow.caller(&third).await));
}

#[tokio::test]
async fn two_refreshes_at_once_both_succeed() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let (one, other) = join!(flow.refresh(&first.refresh_token), flow.refresh(&first.refresh_token));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_ne!(one.refresh_token, other.refresh_token);
    assert!(is_alive(&flow.caller(&one).await) && is_alive(&flow.caller(&other).await));
    flow.refresh(&one.refresh_token).await.unwrap();
    flow.refresh(&other.refresh_token).await.unwrap();
}

#[tokio::test]
async fn five_uses_of_one_refresh_token_at_once_succeed_and_sixth_later_revokes_all() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let issued = join_all((0..5).map(|_| flow.refresh(&first.refresh_token))).await;
    let issued: Vec<IssuedTokens> = issued.into_iter().map(Result::unwrap).collect();
    for tokens in &issued {
        assert!(is_alive(&flow.caller(tokens).await));
    }
    flow.clock.advance(Duration::seconds(61));
    assert_eq!(code_of(flow.refresh(&first.refresh_token).await), OAuthErrorCode::InvalidGrant);
    for tokens in &issued {
        assert!(!is_alive(&flow.caller(tokens).await));
    }
}

#[tokio::test]
async fn scope_of_refresh_narrows_access_token_and_never_widens() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let with_scope = |token: &str, scope: &str| Refresh {
        refresh_token: token.to_owned(),
        scope: Some(scope.to_owned()),
        resource: None,
    };
    let wider = with_scope(&first.refresh_token, "mail:read admin");
    assert_eq!(code_of(refresh(&flow.app, &flow.credentials(), wider).await), OAuthErrorCode::InvalidScope);
    let narrow = with_scope(&first.refresh_token, "mail:read");
    let narrow = refresh(&flow.app, &flow.credentials(), narrow).await.unwrap();
    assert_eq!(narrow.scope, "mail:read");
    let caller = flow.caller(&narrow).await.unwrap();
    assert!(!caller.permissions.unwrap().grants(inboxd_core::model::Permission::MessageSend));
    let whole = flow.refresh(&narrow.refresh_token).await.unwrap();
    assert_eq!(whole.scope, "mail:read mail:draft mail:send mail:manage");
}

#[tokio::test]
async fn unused_refresh_token_ends_after_sixty_days_and_connection_after_its_lifetime() {
    let flow = flow().await;
    let first = flow.tokens().await;
    flow.clock.advance(Duration::days(59));
    let second = flow.refresh(&first.refresh_token).await.unwrap();
    flow.clock.advance(Duration::days(60));
    assert_eq!(code_of(flow.refresh(&second.refresh_token).await), OAuthErrorCode::InvalidGrant);

    let request = GrantRequest { lifetime: Duration::minutes(30), ..flow.request() };
    let code = grant(&flow.app, &flow.session, request).await.unwrap();
    let short = flow.exchange(&code).await.unwrap();
    assert_eq!(short.expires_in, Duration::minutes(30), "an access token ends with its connection");
    flow.clock.advance(Duration::minutes(30));
    assert_eq!(code_of(flow.refresh(&short.refresh_token).await), OAuthErrorCode::InvalidGrant);
    assert!(!is_alive(&flow.caller(&short).await));
}

#[tokio::test]
async fn stored_refresh_tokens_are_current_ones_and_predecessors() {
    let flow = flow().await;
    let mut tokens = flow.tokens().await;
    for _ in 0..5 {
        flow.clock.advance(Duration::minutes(50));
        tokens = flow.refresh(&tokens.refresh_token).await.unwrap();
    }
    flow.assert_rows("oauth_refresh_tokens", 2).await;
    let forged = format!("{}x", tokens.refresh_token);
    assert_eq!(code_of(flow.refresh(&forged).await), OAuthErrorCode::InvalidGrant);
    assert!(is_alive(&flow.caller(&tokens).await), "a forged token revokes nothing");
}

#[tokio::test]
async fn oldest_access_token_ends_beyond_the_bound_of_a_connection() {
    let flow = flow().await;
    let first = flow.tokens().await;
    let mut latest = flow.refresh(&first.refresh_token).await.unwrap();
    for _ in 2..Connection::MAX_TOKENS {
        flow.clock.advance(Duration::seconds(1));
        latest = flow.refresh(&latest.refresh_token).await.unwrap();
    }
    assert!(is_alive(&flow.caller(&first).await));
    flow.clock.advance(Duration::seconds(1));
    latest = flow.refresh(&latest.refresh_token).await.unwrap();
    assert!(!is_alive(&flow.caller(&first).await));
    assert!(is_alive(&flow.caller(&latest).await));
}
